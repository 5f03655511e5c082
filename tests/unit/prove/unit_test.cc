#include "prove/unit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "prove/process.h"

namespace ungate::prove {
namespace {

namespace fs = std::filesystem;

class UnitTest : public testing::Test {
 protected:
  void SetUp() override {
    auto made = ScratchFolder::make();
    ASSERT_TRUE(made);
    folder_.emplace(std::move(*made));
    fs::create_directories(folder_->path() + "/pkg/include");
    std::ofstream(folder_->path() + "/pkg/k.cu") << "";
    compiler_.nvcc = "/cuda/bin/nvcc", compiler_.ptxas = "/cuda/bin/ptxas";
  }

  static bool has(const std::vector<std::string>& command, const std::string& word) {
    return std::ranges::find(command, word) != command.end();
  }

  std::optional<ScratchFolder> folder_;
  Compiler compiler_;
  arch::CodeTarget target_ = *arch::parse_code_target("sm_120a");
  Unit unit_{"m", "pkg/k.cu", {"pkg/include", "pkg/none"}, {"-O3", "--ptxas-options=-v,--allow-expensive-optimizations=true"}};
};

TEST_F(UnitTest, OneCodeTargetACallAndNeverByArch) {
  Tree tree({folder_->path()});
  auto command = command_for(unit_, tree, compiler_, target_, Step::preprocess, {});
  ASSERT_TRUE(command);
  EXPECT_EQ(command->front(), "/cuda/bin/nvcc");
  EXPECT_TRUE(has(*command, "-E"));
  EXPECT_TRUE(has(*command, "-gencode=arch=compute_120a,code=sm_120a"));
  EXPECT_TRUE(std::ranges::none_of(*command, [](const std::string& w) { return w.starts_with("-arch"); }));
  EXPECT_TRUE(has(*command, "-I" + folder_->path() + "/pkg/include"));
  EXPECT_FALSE(has(*command, "-I" + folder_->path() + "/pkg/none"));
  EXPECT_TRUE(has(*command, "-fmacro-prefix-map=" + folder_->path() + "=/ungate/site0"));
  EXPECT_EQ(command->back(), folder_->path() + "/pkg/k.cu");
}

TEST_F(UnitTest, ASourceThatIsNotThere) {
  unit_.source = "pkg/none.cu";
  auto command = command_for(unit_, Tree({folder_->path()}), compiler_, target_, Step::ptx, "/x.ptx");
  ASSERT_FALSE(command);
  EXPECT_EQ(command.error().code, ErrorCode::not_found);
}

TEST_F(UnitTest, TheAssemblerGetsItsOwnFlags) {
  auto command = assemble_command(unit_, compiler_, target_, "/x.ptx", "/x.cubin");
  EXPECT_TRUE(has(command, "-arch=sm_120a"));
  EXPECT_TRUE(has(command, "--allow-expensive-optimizations=true"));
  EXPECT_EQ(std::ranges::count(command, "-v"), 1);
  EXPECT_EQ(command.back(), "/x.cubin");
}

}  // namespace
}  // namespace ungate::prove

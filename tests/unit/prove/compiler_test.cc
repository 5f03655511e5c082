#include "prove/compiler.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "prove/process.h"

namespace ungate::prove {
namespace {

namespace fs = std::filesystem;

class CompilerTest : public testing::Test {
 protected:
  void SetUp() override {
    auto made = ScratchFolder::make();
    ASSERT_TRUE(made);
    folder_.emplace(std::move(*made));
  }

  // A program that answers as nvcc does.
  std::string nvcc(const std::string& folder, const std::string& version, bool with_ptxas = true) {
    std::string bin = folder_->path() + '/' + folder;
    fs::create_directories(bin);
    std::ofstream(bin + "/nvcc") << "#!/bin/sh\ncase $1 in\n--version) echo 'Cuda compilation tools, release X, V" << version
                                 << "';;\n--list-gpu-code) printf 'sm_90\\nsm_100\\nsm_120\\n';;\nesac\n";
    if (with_ptxas) std::ofstream(bin + "/ptxas") << "#!/bin/sh\n";
    for (const char* name : {"/nvcc", "/ptxas"}) {
      std::error_code ec;
      fs::permissions(bin + name, fs::perms::owner_all, ec);
    }
    return bin;
  }

  Result<Compiler> find(std::map<std::string, std::string> variables, const std::vector<std::string>& sites = {}) {
    return find_compiler({"FLASHINFER_NVCC"}, sites, [variables](std::string_view name) -> std::optional<std::string> {
      auto at = variables.find(std::string(name));
      return at == variables.end() ? std::nullopt : std::optional(at->second);
    });
  }

  std::optional<ScratchFolder> folder_;
};

arch::CodeTarget target(const char* name) {
  return *arch::parse_code_target(name);
}

TEST_F(CompilerTest, TheOneThatThePackageWouldCallComesFirst) {
  std::string own = nvcc("own", "12.8.93"), home = nvcc("home/bin", "13.0.88"), path = nvcc("path", "12.9.1");
  std::map<std::string, std::string> all{{"FLASHINFER_NVCC", own + "/nvcc"}, {"CUDA_HOME", folder_->path() + "/home"}, {"PATH", path}};
  auto c = find(all);
  ASSERT_TRUE(c);
  EXPECT_EQ(c->version, "12.8.93");
  EXPECT_EQ(c->found_by, "FLASHINFER_NVCC");
  all.erase("FLASHINFER_NVCC");
  c = find(all);
  EXPECT_EQ(c->found_by, "CUDA_HOME");
  EXPECT_EQ(c->ptxas, home + "/ptxas");
  all.erase("CUDA_HOME");
  EXPECT_EQ(find(all)->found_by, "PATH");
}

TEST_F(CompilerTest, WheelsOfTheEnvironmentAreFound) {
  nvcc("site/nvidia/cu13/bin", "13.0.88");
  auto c = find({}, {folder_->path() + "/site"});
  ASSERT_TRUE(c);
  EXPECT_EQ(c->found_by, "pip");
}

TEST_F(CompilerTest, TargetsWithSuffixes) {
  std::string old = nvcc("old", "12.8.93"), fresh = nvcc("new", "12.9.41");
  auto c = find({{"FLASHINFER_NVCC", old + "/nvcc"}});
  ASSERT_TRUE(c);
  EXPECT_TRUE(c->knows(target("sm_120a")));
  EXPECT_FALSE(c->knows(target("sm_120f")));
  EXPECT_FALSE(c->knows(target("sm_121a")));
  c = find({{"FLASHINFER_NVCC", fresh + "/nvcc"}});
  ASSERT_TRUE(c);
  EXPECT_TRUE(c->knows(target("sm_120f")));
}

TEST_F(CompilerTest, WhatDoesNotAnswerIsPassedOver) {
  std::string broken = folder_->path() + "/broken";
  fs::create_directories(broken);
  std::ofstream(broken + "/nvcc") << "#!/bin/sh\nexit 1\n";
  fs::permissions(broken + "/nvcc", fs::perms::owner_all);
  std::string half = nvcc("half", "13.0.88", false), good = nvcc("good", "13.0.88");
  auto c = find({{"FLASHINFER_NVCC", broken + "/nvcc"}, {"PATH", half + ':' + good}});
  ASSERT_TRUE(c);
  EXPECT_EQ(c->nvcc, good + "/nvcc");
}

TEST_F(CompilerTest, WithoutOneThePipCommandIsTold) {
  auto c = find({});
  ASSERT_FALSE(c);
  EXPECT_EQ(c.error().code, ErrorCode::tool_missing);
  EXPECT_NE(c.error().next.find("pip install nvidia-cuda-nvcc"), std::string::npos);
  EXPECT_EQ(static_cast<int>(exit_of(c.error().code)), 2);
}

}  // namespace
}  // namespace ungate::prove

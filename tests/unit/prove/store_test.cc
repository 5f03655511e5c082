#include "prove/store.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "prove/process.h"

namespace ungate::prove {
namespace {

namespace fs = std::filesystem;

class StoreTest : public testing::Test {
 protected:
  void SetUp() override {
    auto made = ScratchFolder::make();
    ASSERT_TRUE(made);
    folder_.emplace(std::move(*made));
    site_ = folder_->path() + "/site";
    fs::create_directories(site_);
    write("a.cu", "one");
  }
  void write(const std::string& name, const std::string& text) { std::ofstream(site_ + '/' + name) << text; }
  // A new one each time: hashes are kept as long as a store lives.
  Store store() const { return Store(folder_->path() + "/cache"); }
  void remember(const std::string& key) {
    Store s = store();
    s.remember(7, s.used({"/ungate/site0/a.cu"}, 0, Tree({site_})), key);
  }
  std::optional<std::string> find(std::uint64_t question = 7) {
    Tree tree({site_});
    return store().find(question, {&tree});
  }

  std::optional<ScratchFolder> folder_;
  std::string site_;
};

TEST_F(StoreTest, AResultIsFoundAsLongAsItsFilesAreTheSame) {
  EXPECT_FALSE(find());
  remember("k1");
  EXPECT_EQ(find(), "k1");
  EXPECT_FALSE(find(8));
  write("a.cu", "two");
  EXPECT_FALSE(find());
  remember("k2");
  EXPECT_EQ(find(), "k2");
  // The first contents are still known.
  write("a.cu", "one");
  EXPECT_EQ(find(), "k1");
}

TEST_F(StoreTest, AnotherTreeWithTheSameTextsHasTheSameResult) {
  remember("k1");
  std::string other = folder_->path() + "/other";
  fs::create_directories(other);
  std::ofstream(other + "/a.cu") << "one";
  Tree tree({other});
  EXPECT_EQ(store().find(7, {&tree}), "k1");
}

TEST_F(StoreTest, ResultsAreKept) {
  store().save("k", "{}");
  EXPECT_EQ(store().load("k"), "{}");
  EXPECT_FALSE(store().load("other"));
  for (const auto& entry : fs::directory_iterator(folder_->path() + "/cache"))
    EXPECT_EQ(entry.path().filename().string(), "r-k");
}

TEST_F(StoreTest, WithoutAFolderNothingIsKept) {
  Store none("");
  none.save("k", "{}");
  EXPECT_FALSE(none.load("k"));
}

TEST_F(StoreTest, DamagedFilesAreTakenAsNotThere) {
  remember("k1");
  for (const auto& entry : fs::directory_iterator(folder_->path() + "/cache")) std::ofstream(entry.path()) << "= \nx\n0 zz\n";
  EXPECT_FALSE(find());
}

}  // namespace
}  // namespace ungate::prove

// Caches and .pyc files.
#include "patch/by_products.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/patch/patched_package.h"

namespace ungate::patch {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;
using testing_support::TempTree;

class Caches : public testing::Test {
 protected:
  Variables variables() {
    return [this](std::string_view name) -> std::optional<std::string> {
      if (name == "HOME") return tree_.path("home");
      if (name == "BASE") return tree_.path("base");
      return std::nullopt;
    };
  }
  CacheRule rule() {
    return {"FlashInfer JIT",
            {"~/.cache/flashinfer", "$BASE/.cache/flashinfer", "${UNSET}/x", "$UNSET/.cache"},
            {"{version}/{arch}/cached_ops/{module}", "{version}/{arch}/generated/{module}*"},
            {"trtllm_comm"}};
  }
  std::vector<std::string> found(std::vector<CacheRule> rules, std::int64_t edited = 0) {
    std::vector<std::string> out;
    for (const CacheFolder& f : find_caches(rules, variables(), edited)) {
      out.push_back(f.path().substr(tree_.root().size() + 1));
    }
    return out;
  }
  TempTree tree_;
};

TEST_F(Caches, ExactlyTheTouchedModulesInEveryVersionAndArch) {
  for (const char* path :
       {"0.6.3/120a/cached_ops/trtllm_comm/trtllm_comm.so", "0.6.3/120f/cached_ops/trtllm_comm/a.o",
        "0.6.3/90a_120a/cached_ops/trtllm_comm/b/c.o", "0.6.14/120f/generated/trtllm_comm_x/x.cu",
        "0.6.3/120a/cached_ops/trtllm_comm2/a.so", "0.6.3/120a/cached_ops/fp4/a.so",
        "0.6.3/120a/cached_ops/tmp/trtllm_comm.lock", "0.6.3/cached_ops/trtllm_comm/a.so"}) {
    tree_.file("home/.cache/flashinfer/" + std::string(path), "12345");
  }
  tree_.file("base/.cache/flashinfer/0.6.3/120a/cached_ops/trtllm_comm/a.so");
  EXPECT_THAT(found({rule(), rule()}),
              ElementsAre("base/.cache/flashinfer/0.6.3/120a/cached_ops/trtllm_comm",
                          "home/.cache/flashinfer/0.6.14/120f/generated/trtllm_comm_x",
                          "home/.cache/flashinfer/0.6.3/120a/cached_ops/trtllm_comm",
                          "home/.cache/flashinfer/0.6.3/120f/cached_ops/trtllm_comm",
                          "home/.cache/flashinfer/0.6.3/90a_120a/cached_ops/trtllm_comm"));
  auto folders = find_caches({rule()}, variables(), now_ns());
  EXPECT_EQ(folders[4].version, "0.6.3");
  EXPECT_EQ(folders[4].arch, "90a_120a");
  EXPECT_EQ(folders[4].module, "trtllm_comm");
  EXPECT_EQ(folders[4].files, 1u);
  EXPECT_EQ(folders[4].bytes, 5u);
  EXPECT_TRUE(folders[4].stale);
  EXPECT_FALSE(find_caches({rule()}, variables(), folders[4].newest_ns - 1)[4].stale);
  ASSERT_TRUE(ok(remove_cache(folders[4])));
  EXPECT_FALSE(tree_.exists("home/.cache/flashinfer/0.6.3/90a_120a/cached_ops/trtllm_comm"));
  EXPECT_TRUE(tree_.exists("home/.cache/flashinfer/0.6.3/90a_120a/cached_ops"));
  EXPECT_TRUE(tree_.exists("home/.cache/flashinfer/0.6.3/120a/cached_ops/fp4/a.so"));
}

TEST_F(Caches, LinksAreNeverFollowedOut) {
  tree_.file("precious/120a/cached_ops/trtllm_comm/thesis.tex");
  tree_.folder("home/.cache/flashinfer/0.6.3/120a/cached_ops");
  tree_.link(tree_.path("precious"), "home/.cache/flashinfer/0.6.14");
  tree_.link(tree_.path("precious"), "home/.cache/flashinfer/0.6.3/120a/cached_ops/trtllm_comm");
  tree_.file("home/.cache/flashinfer/0.6.3/120f/cached_ops/trtllm_comm/a.so");
  tree_.link(tree_.path("precious"),
             "home/.cache/flashinfer/0.6.3/120f/cached_ops/trtllm_comm/inner");
  ByProducts found = find_by_products({}, {rule()}, variables(), now_ns());
  ASSERT_EQ(found.caches.size(), 2u);
  EXPECT_THAT(found.problems,
              ElementsAre(HasSubstr("120a/cached_ops/trtllm_comm is a symbolic link; left alone")));
  clear_by_products(found, quiet());
  EXPECT_TRUE(tree_.exists("precious/120a/cached_ops/trtllm_comm/thesis.tex"));
  EXPECT_TRUE(tree_.exists("home/.cache/flashinfer/0.6.3/120a/cached_ops/trtllm_comm"));
  EXPECT_FALSE(tree_.exists("home/.cache/flashinfer/0.6.3/120f/cached_ops/trtllm_comm"));
  EXPECT_EQ(found.problems.size(), 1u);
}

TEST_F(Caches, BaseMayBeALinkItself) {
  tree_.file("data/flashinfer/0.6.3/120a/cached_ops/trtllm_comm/a.so");
  tree_.link(tree_.path("data"), "home/.cache");
  EXPECT_THAT(found({rule()}), ElementsAre("data/flashinfer/0.6.3/120a/cached_ops/trtllm_comm"));
}

TEST_F(Caches, RulesThatWouldTakeMoreFindNothing) {
  tree_.file("home/.cache/flashinfer/0.6.3/120a/cached_ops/trtllm_comm/a.so");
  tree_.file("home/.cache/other/trtllm_comm/a");
  auto with = [&](std::vector<std::string> folders, std::vector<std::string> modules) {
    CacheRule r = rule();
    r.folders = std::move(folders);
    r.modules = std::move(modules);
    return found({r});
  };
  EXPECT_THAT(with({"{version}/{arch}/cached_ops/{module}"}, {}), IsEmpty());
  EXPECT_THAT(
      with({"{version}/{arch}/cached_ops/{module}"}, {"*", "", ".", "..", "a/b", "trt?lm_comm"}),
      IsEmpty());
  EXPECT_THAT(with({"../other/{module}", "/{module}", "{version}//{module}", "{version}/{arch}"},
                   {"trtllm_comm"}),
              IsEmpty());
  EXPECT_THAT(with({"*/1?0a/*/{module}"}, {"trtllm_comm"}).size(), 1u);
}

TEST_F(Caches, PatternsMatchWithinAName) {
  tree_.file("home/.cache/flashinfer/a_trtllm_comm_b/x");
  CacheRule r = rule();
  r.folders = {"*_{module}_?"};
  EXPECT_THAT(found({r}), ElementsAre("home/.cache/flashinfer/a_trtllm_comm_b"));
}

TEST(Bytecode, AllTagsOfTheFileAndNoOther) {
  TempTree tree;
  tree.file("pkg/comm.py");
  for (const char* name : {"comm.cpython-311.pyc", "comm.cpython-312.opt-1.pyc", "comm.pypy310.pyc",
                           "comm2.cpython-311.pyc", "comm.cpython-311.opt-1.x.pyc", "comm.pyc",
                           "comm.cpython-311.pyc.123", "comm.cpython-311.nbi"}) {
    tree.file(std::string("pkg/__pycache__/") + name);
  }
  std::vector<std::string> names;
  for (const std::string& path : find_bytecode({tree.root(), "pkg/comm.py"})) {
    names.push_back(path.substr(path.rfind('/') + 1));
  }
  EXPECT_THAT(names, UnorderedElementsAre("comm.cpython-311.pyc", "comm.cpython-312.opt-1.pyc",
                                          "comm.pypy310.pyc"));
  EXPECT_THAT(find_bytecode({tree.root(), "pkg/comm.cu"}), IsEmpty());
  tree.file("elsewhere/other.cpython-311.pyc");
  tree.file("linked/other.py");
  tree.link("../elsewhere", "linked/__pycache__");
  EXPECT_THAT(find_bytecode({tree.root(), "linked/other.py"}), IsEmpty());
}

void fill(const PatchedPackage& package) {
  package.tree().file("cache/0.6.3/120a/cached_ops/trtllm_comm/a.so");
  package.tree().file("cache/0.6.3/120a/cached_ops/other/a.so");
  package.write("fi/jit/__pycache__/comm.cpython-311.pyc", "x");
  package.write("fi/jit/__pycache__/env.cpython-311.pyc", "x");
}

bool is_filled(const PatchedPackage& package) {
  bool cache = package.tree().exists("cache/0.6.3/120a/cached_ops/trtllm_comm");
  EXPECT_EQ(cache, package.tree().exists(package.at("fi/jit/__pycache__/comm.cpython-311.pyc")));
  EXPECT_TRUE(package.tree().exists("cache/0.6.3/120a/cached_ops/other/a.so"));
  EXPECT_TRUE(package.tree().exists(package.at("fi/jit/__pycache__/env.cpython-311.pyc")));
  return cache;
}

TEST(ByProducts, ClearedInEnvironmentsByApplyAndRevert) {
  PatchedPackage package;
  fill(package);
  auto report = apply(package.plan(), {}, quiet());
  ASSERT_TRUE(ok(report));
  EXPECT_TRUE(report->by_products.cleared);
  EXPECT_EQ(report->by_products.caches.size(), 1u);
  EXPECT_EQ(report->by_products.bytecode.size(), 1u);
  EXPECT_FALSE(is_filled(package));
  fill(package);
  auto back = revert(package.root(), {}, {}, quiet());
  ASSERT_TRUE(ok(back));
  EXPECT_EQ(back->runs[0].by_products.caches.size(), 1u);
  EXPECT_FALSE(is_filled(package));
}

TEST(ByProducts, OnlyListedInPlainFolders) {
  PatchedPackage package(false);
  fill(package);
  Plan plan = package.plan();
  auto report = apply(plan, {}, quiet());
  ASSERT_TRUE(ok(report));
  EXPECT_FALSE(report->by_products.cleared);
  EXPECT_EQ(report->by_products.caches.size(), 1u);
  EXPECT_EQ(report->by_products.bytecode.size(), 1u);
  EXPECT_TRUE(report->by_products.caches[0].stale);
  EXPECT_TRUE(is_filled(package));
  ASSERT_TRUE(ok(revert(plan.root, {}, {}, quiet())));
  EXPECT_TRUE(is_filled(package));
  // --clear-caches
  ApplyOptions options;
  options.clear_caches = true;
  ASSERT_TRUE(ok(apply(plan, options, quiet())));
  EXPECT_FALSE(is_filled(package));
  fill(package);
  ASSERT_TRUE(ok(revert(plan.root, {}, {}, quiet())));
  EXPECT_FALSE(is_filled(package));
}

// A later revert clears where the run cleared, even if HOME is another one by then.
TEST(ByProducts, RevertClearsTheFoldersOfTheRun) {
  PatchedPackage package;
  auto home = [&](const std::string& path) {
    return
        [=](std::string_view name) { return name == "HOME" ? std::optional(path) : std::nullopt; };
  };
  Plan plan = package.plan();
  plan.caches[0].bases = {"~"};
  package.tree().folder("first");
  package.tree().folder("second");
  ApplyOptions options;
  options.variables = home(package.tree().path("first"));
  ASSERT_TRUE(ok(apply(plan, options, quiet())));
  for (const char* folder : {"first", "second"}) {
    package.tree().file(std::string(folder) + "/0.6.3/120a/cached_ops/trtllm_comm/a.so");
  }
  RevertOptions revert_options;
  revert_options.variables = home(package.tree().path("second"));
  ASSERT_TRUE(ok(revert(plan.root, {}, revert_options, quiet())));
  EXPECT_FALSE(package.tree().exists("first/0.6.3/120a/cached_ops/trtllm_comm"));
  EXPECT_FALSE(package.tree().exists("second/0.6.3/120a/cached_ops/trtllm_comm"));
}

}  // namespace
}  // namespace ungate::patch

// What an edit does not reach: prebuilt modules, and processes that have the old ones loaded.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>

#include "patch/prebuilt.h"
#include "patch/processes.h"
#include "unit/patch/patched_package.h"

namespace ungate::patch {
namespace {

using testing::IsEmpty;
using testing_support::TempTree;

TEST(Prebuilt, ModulesThatShadowTheSources) {
  TempTree tree;
  tree.file("site/flashinfer/data/aot/trtllm_comm/trtllm_comm.so");
  tree.file("site/flashinfer/data/aot/fp4/fp4.so");
  tree.file("site/flashinfer_jit_cache/jit_cache/trtllm_comm/trtllm_comm.so");
  tree.file("site/flashinfer_jit_cache-0.6.3+cu129.dist-info/RECORD");
  tree.file("site/flashinfer_cubin/cubins/a.cubin");
  package::Environment e = package::environment_of_site(tree.path("site"));
  std::vector<PrebuiltRule> rules = {
      {"flashinfer-python", {"flashinfer/data/aot/{module}/*.so"}},
      {"flashinfer-jit-cache", {"flashinfer_jit_cache/jit_cache/{module}/{module}.so"}},
      {"flashinfer-cubin", {"flashinfer_cubin"}}};
  auto found = find_prebuilt(e, rules, {"trtllm_comm", "norm"});
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].path, tree.path("site/flashinfer/data/aot/trtllm_comm/trtllm_comm.so"));
  EXPECT_EQ(found[0].module, "trtllm_comm");
  EXPECT_EQ(found[1].package, "flashinfer-cubin");
  EXPECT_EQ(found[1].module, "");
  EXPECT_EQ(found[2].version, "0.6.3+cu129");
  EXPECT_THAT(find_prebuilt(e, {rules[0], rules[1]}, {"norm"}), IsEmpty());
}

// A real process: a child that maps a file of the package, or works in it, or holds it open.
class Processes : public testing::Test {
 protected:
  void run_child(const std::function<void()>& hold) {
    int ready[2];
    ASSERT_EQ(pipe(ready), 0);
    child_ = fork();
    if (child_ == 0) {
      hold();
      (void)!write(ready[1], "x", 1);
      for (;;) pause();
    }
    char byte;
    ASSERT_EQ(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    close(ready[1]);
  }
  ~Processes() override {
    if (child_ > 0) {
      kill(child_, SIGKILL);
      waitpid(child_, nullptr, 0);
    }
  }
  const ProcessUse* use_by_child(const ProcessReport& report) {
    for (const ProcessUse& use : report.uses) {
      if (use.pid == child_) return &use;
    }
    return nullptr;
  }
  TempTree tree_;
  pid_t child_ = -1;
};

TEST_F(Processes, MappedFilesAlsoAfterTheyWereReplaced) {
  std::string path = tree_.file("site/fi/core.so", std::string(4096, 'x'));
  run_child([&] {
    int fd = open(path.c_str(), O_RDONLY);
    mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
  });
  for (bool replaced : {false, true}) {
    if (replaced) std::filesystem::remove(path);
    ProcessReport report = find_processes({tree_.path("site/fi")});
    const ProcessUse* use = use_by_child(report);
    ASSERT_NE(use, nullptr);
    EXPECT_EQ(use->how, ProcessUse::How::mapped);
    EXPECT_EQ(use->path, path);
    EXPECT_FALSE(use->command.empty());
    EXPECT_EQ(use_by_child(find_processes({tree_.path("site/f")})), nullptr);
  }
}

TEST_F(Processes, WorkingFolder) {
  tree_.folder("site/fi");
  run_child([&] { (void)!chdir(tree_.path("site/fi").c_str()); });
  ProcessReport report = find_processes({tree_.path("site")});
  ASSERT_NE(use_by_child(report), nullptr);
  EXPECT_EQ(use_by_child(report)->how, ProcessUse::How::working_folder);
}

TEST_F(Processes, OpenFile) {
  std::string path = tree_.file("site/fi/a.so", "x");
  run_child([&] { (void)open(path.c_str(), O_RDONLY); });
  ProcessReport report = find_processes({tree_.path("site")});
  ASSERT_NE(use_by_child(report), nullptr);
  EXPECT_EQ(use_by_child(report)->how, ProcessUse::How::open_file);
}

TEST_F(Processes, OthersThatCannotBeReadAreCounted) {
  if (geteuid() != 0) GTEST_SKIP() << "needs a process of somebody else; run as root";
  run_child([] {});
  int status = in_child([&] {
    ASSERT_EQ(setuid(65534), 0);
    EXPECT_GT(find_processes({"/nowhere"}).unreadable, 0u);
  });
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace ungate::patch

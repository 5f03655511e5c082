#include "prove/process.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <thread>

namespace ungate::prove {
namespace {

TEST(Process, OutputMessagesAndStatus) {
  auto r = run_process({"/bin/sh", "-c", "echo out; echo err >&2; exit 3"}, {});
  ASSERT_TRUE(r);
  EXPECT_EQ(r->output, "out\n");
  EXPECT_EQ(r->messages, "err\n");
  EXPECT_EQ(r->status, 3);
}

TEST(Process, AProgramThatIsNotThere) {
  auto r = run_process({"/nowhere/nvcc"}, {});
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().code, ErrorCode::tool_missing);
}

TEST(Process, TemporaryFilesGoToTheScratchFolder) {
  ProcessOptions options;
  options.scratch = "/some/where";
  auto r = run_process({"/bin/sh", "-c", "echo $TMPDIR"}, options);
  ASSERT_TRUE(r);
  EXPECT_EQ(r->output, "/some/where\n");
}

TEST(Process, CancelledItIsGoneWithItsChildren) {
  auto folder = ScratchFolder::make();
  ASSERT_TRUE(folder);
  std::string mark = folder->path() + "/started";
  std::atomic<bool> cancelled{false};
  ProcessOptions options;
  options.cancelled = &cancelled;
  // Cancelled only once the child of the child runs.
  std::jthread canceller([&] {
    while (!std::filesystem::exists(mark)) std::this_thread::yield();
    cancelled = true;
  });
  auto r = run_process({"/bin/sh", "-c", "(touch " + mark + "; exec sleep 1000) & wait"}, options);
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().code, ErrorCode::interrupted);
}

TEST(Process, MuchOutputIsReadToItsEnd) {
  auto r = run_process({"/bin/sh", "-c", "i=0; while [ $i -lt 3000 ]; do echo 0123456789012345678901234567890123456789012345678901234567890123456789; i=$((i+1)); done"}, {});
  ASSERT_TRUE(r);
  EXPECT_EQ(r->output.size(), 3000u * 71);
}

TEST(Process, AScratchFolderGoesAway) {
  std::string path;
  {
    auto folder = ScratchFolder::make();
    ASSERT_TRUE(folder);
    path = folder->path();
    std::ofstream(path + "/file") << "x";
    ScratchFolder moved = std::move(*folder);
    EXPECT_TRUE(std::filesystem::exists(path));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace ungate::prove

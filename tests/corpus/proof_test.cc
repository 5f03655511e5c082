// Makes the proofs again that patch sets carry. Takes many minutes of nvcc: it has the label `long`.
#include <gtest/gtest.h>

#include <filesystem>

#include "base/file.h"
#include "corpus/environment.h"
#include "corpus/releases.h"
#include "prove/recorded_proof.h"

namespace ungate::corpus {
namespace {

namespace fs = std::filesystem;

// Another nvcc gives other sizes; how many instances a template has, which of them do nothing and
// which of them wait stays.
bool alike(const prove::KernelRow& a, const prove::KernelRow& b) {
  return a.instances == b.instances && a.nothing == b.nothing && a.traps == b.traps && a.waits == b.waits;
}

void expect_alike(const std::map<std::string, prove::KernelRow>& a, const std::map<std::string, prove::KernelRow>& b, bool exact) {
  ASSERT_EQ(a.size(), b.size());
  for (const auto& [name, row] : a) {
    ASSERT_TRUE(b.contains(name)) << name;
    EXPECT_TRUE(exact ? row == b.at(name) : alike(row, b.at(name))) << name;
  }
}

TEST(RecordedProofs, AreMadeAgain) {
  fs::path folder = fs::path(UNGATE_TEST_DIR).parent_path() / "patches/flashinfer-python";
  std::size_t made = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (!entry.path().string().ends_with(".proof.json")) continue;
    auto carried = prove::recorded_proof_from_json(read_file(entry.path().string())->bytes, entry.path().string());
    ASSERT_TRUE(carried.has_value()) << carried.error().what;
    Environment env(installed("fused-allreduce", lines_of(fs::path(UNGATE_TEST_DIR) / "corpus/fused-allreduce/packages.txt")));
    std::string file = env.tree().path("again.proof.json");
    auto ran = env.ungate({"prove", carried->set, "--target", carried->record.targets.front(), "--record", file});
    ASSERT_EQ(ran.status, 0) << ran.all();
    auto again = prove::recorded_proof_from_json(read_file(file)->bytes, file);
    ASSERT_TRUE(again.has_value()) << again.error().what;
    EXPECT_EQ(again->files, carried->files);
    EXPECT_EQ(again->others, carried->others);
    ASSERT_EQ(again->units.size(), carried->units.size());
    bool exact = again->record.compiler == carried->record.compiler;
    for (std::size_t i = 0; i < again->units.size(); ++i) {
      EXPECT_EQ(again->units[i].source, carried->units[i].source);
      EXPECT_EQ(again->units[i].target, carried->units[i].target);
      expect_alike(carried->units[i].kernels, again->units[i].kernels, exact);
      expect_alike(carried->units[i].before, again->units[i].before, exact);
    }
    ++made;
  }
  EXPECT_GT(made, 0u);
}

}  // namespace
}  // namespace ungate::corpus

#include "cuda/libclang.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "unit/cuda/texts.h"

namespace ungate::cuda {
namespace {

using Is = Confirmation::Is;

// Sets UNGATE_LIBCLANG for a scope.
class UseLibclang {
 public:
  explicit UseLibclang(const char* path) { setenv("UNGATE_LIBCLANG", path, 1); }
  ~UseLibclang() { unsetenv("UNGATE_LIBCLANG"); }
};

class Libclang : public testing::Test {
 protected:
  // A file with its result, kept alive by the test.
  void add(const std::string& text, const value::World& world = {}) {
    tree_.add(std::to_string(results_.size()), text);
    FileText file = tree_.file(std::to_string(results_.size()));
    results_.push_back(std::make_unique<FileResult>(evaluate_file(file, world)));
    requests_.push_back({file, results_.back().get()});
  }
  std::vector<Confirmation> run(const value::World& world = {}) {
    return confirm(requests_, world, {});
  }
  // True, and the test is marked as skipped, if there is no libclang here.
  static bool missing(const Confirmation& c) {
    return c.is == Is::unavailable && c.reason.starts_with("no libclang");
  }

  Tree tree_;
  std::vector<std::unique_ptr<FileResult>> results_;
  std::vector<ConfirmRequest> requests_;
};

constexpr const char* kGuards =
    "#pragma once\n#include <cuda_runtime.h>\n#include \"other.h\"\n"
    "template <class T> __global__ void k() {\n"
    "#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900 && __CUDA_ARCH__ < 1200\n  "
    "wait();\n#endif\n"
    "#if defined(__CUDA_ARCH_FEAT_SM100_ALL) || __CUDA_ARCH_FAMILY_SPECIFIC__ == 1200\n  "
    "a();\n#else\n  b();\n#endif\n"
    "#ifdef __CUDA_ARCH_SPECIFIC__\n  c();\n#elif __CUDA_ARCH__ == 860\n  d();\n#endif\n"
    "#if FOO\n  e();\n#endif\n}\n";

TEST_F(Libclang, AgreesWhereEveryMacroIsKnown) {
  value::World world;
  assume_toolkit(world, 13, 0, "test");
  add(kGuards, world);
  add("#if FOO\nx\n#endif\n", world);
  add("#if CUDA_VERSION >= 12090 && __CUDA_ARCH__ >= 1000\nint x;\n#endif\n", world);
  std::vector<Confirmation> c = run(world);
  if (missing(c[0])) GTEST_SKIP() << "skipped: no libclang";
  EXPECT_EQ(c[0].is, Is::confirmed) << c[0].reason;
  EXPECT_GE(c[0].compared, 20u) << "five known arms in several classes of code targets";
  EXPECT_EQ(c[1].is, Is::not_comparable) << "only a free macro decides";
  EXPECT_EQ(c[2].is, Is::confirmed) << c[2].reason;
}

TEST_F(Libclang, AWrongAnswerIsNoticed) {
  add(kGuards);
  results_[0]->arms[0].live = Outcomes(yes());
  std::vector<Confirmation> c = run();
  if (missing(c[0])) GTEST_SKIP() << "skipped: no libclang";
  EXPECT_EQ(c[0].is, Is::disagrees);
  ASSERT_FALSE(c[0].disagreements.empty());
  EXPECT_EQ(c[0].disagreements[0].arm, 0u);
  EXPECT_TRUE(c[0].disagreements[0].ours);
  EXPECT_FALSE(c[0].disagreements[0].clang);
}

TEST_F(Libclang, AbsenceIsAReason) {
  UseLibclang nothing("/nonexistent/libclang.so");
  add(kGuards);
  std::vector<Confirmation> c = run();
  EXPECT_EQ(c[0].is, Is::unavailable);
  EXPECT_EQ(c[0].reason, "no libclang found (tried /nonexistent/libclang.so)");
}

TEST_F(Libclang, ACrashCostsOnlyTheConfirmation) {
  UseLibclang crashing(CRASHING_LIBCLANG);
  add(kGuards);
  add("#if __CUDA_ARCH__ >= 900\nx\n#endif\n");
  testing::internal::CaptureStderr();
  std::vector<Confirmation> c = run();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  for (const Confirmation& each : c) {
    EXPECT_EQ(each.is, Is::unavailable);
    EXPECT_TRUE(each.reason.starts_with("libclang crashed")) << each.reason;
  }
}

}  // namespace
}  // namespace ungate::cuda

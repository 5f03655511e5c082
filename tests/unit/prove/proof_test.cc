// Proofs of small sources with the nvcc at hand; skipped where there is none.
#include "prove/proof.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/text.h"
#include "prove/process.h"

namespace ungate::prove {
namespace {

namespace fs = std::filesystem;

// A package as those are that are proved: a header with kernels, a unit that launches them.
const std::string kHeader = R"(#pragma once
template <class T>
__global__ void add_kernel(T* p, T* q) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900 && __CUDA_ARCH__ < 1200
  p[threadIdx.x] += q[threadIdx.x];
#endif
}
template <class T>
__global__ void wait_kernel(T* p) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
  p[threadIdx.x] = 1;
}
inline int blocks(int n) { return n / 128; }
)";
const std::string kUnit = R"(#include "pkg/kernels.cuh"
void run(float* p, float* q, int n) {
  add_kernel<float><<<blocks(n), 128>>>(p, q);
  wait_kernel<float><<<blocks(n), 128>>>(p);
}
)";
constexpr const char* kHeaderPath = "pkg/include/pkg/kernels.cuh";
constexpr const char* kUnitPath = "pkg/csrc/unit.cu";
constexpr const char* kOpened = "__CUDA_ARCH__ >= 900 && __CUDA_ARCH__ < 1300";

arch::CodeTarget target(const char* name) {
  return *arch::parse_code_target(name);
}

class ProofTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    auto made = ScratchFolder::make();
    if (!made) return;
    folder_ = new ScratchFolder(std::move(*made));
    for (const auto& [path, text] : {std::pair(kHeaderPath, kHeader), std::pair(kUnitPath, kUnit)}) {
      fs::create_directories(fs::path(site() + '/' + path).parent_path());
      std::ofstream(site() + '/' + path) << text;
    }
    compiler_ = new Result<Compiler>(find_compiler({}, {}, process_variable()));
  }
  static void TearDownTestSuite() {
    delete folder_;
    delete compiler_;
  }
  static std::string site() { return folder_->path() + "/site"; }

  void SetUp() override {
    ASSERT_NE(folder_, nullptr);
    if (!*compiler_) GTEST_SKIP() << "no nvcc at hand: " << compiler_->error().next;
    if (!(*compiler_)->knows(target("sm_120a"))) GTEST_SKIP() << (*compiler_)->name() << " does not know sm_120a";
  }

  static std::string with(std::string text, const std::string& from, const std::string& to) {
    EXPECT_NE(text.find(from), text.npos) << from;
    return text::replace_all(std::move(text), from, to);
  }

  // Proves texts for sm_120a and that sm_90a keeps what it had.
  Proof prove_texts(const Texts& texts) {
    static int number = 0;
    std::string scratch = folder_->path() + "/scratch" + std::to_string(number++);
    fs::create_directories(scratch);
    Unit unit{"module", kUnitPath, {"pkg/include"}, {"-std=c++17", "-O3"}};
    Tree before({site()});
    auto after = texts.empty() ? Result<Tree>(before) : Tree::edited({site()}, texts, unit.folders, scratch);
    EXPECT_TRUE(after);
    Workshop workshop(**compiler_, folder_->path() + "/cache", {{"tcgen05", {"tcgen05."}}}, scratch, nullptr);
    Job job;
    job.before = &before, job.after = &*after;
    job.work = {{unit, {target("sm_120a")}, {target("sm_90a")}, target("sm_90a"), true}};
    job.kernels = {{"add_kernel", "", "", false, {}}, {"wait_kernel", "unit.cu:4", "", true, {}}};
    job.guards = {{"add_kernel", "pkg/include/pkg/kernels.cuh:4", "__CUDA_ARCH__ < 1200"}};
    job.threads = 2;
    auto proof = prove(workshop, job);
    EXPECT_TRUE(proof) << (proof ? "" : to_text(proof.error()));
    return proof ? *proof : Proof{};
  }

  static const Problem* find(const Proof& proof, const std::string& kind) {
    for (const UnitProof& u : proof.units) {
      for (const TargetProof& t : u.targets) {
        for (const Problem& p : t.problems) if (p.kind == kind) return &p;
      }
      for (const OtherProof& o : u.others) {
        for (const Problem& p : o.problems) if (p.kind == kind) return &p;
      }
    }
    return nullptr;
  }

  static ScratchFolder* folder_;
  static Result<Compiler>* compiler_;
};
ScratchFolder* ProofTest::folder_ = nullptr;
Result<Compiler>* ProofTest::compiler_ = nullptr;

// The story of the project: opened elsewhere, the kernel compiles and is empty.
TEST_F(ProofTest, AKernelThatAGuardEmptiesIsFoundWithItsGuard) {
  Proof proof = prove_texts({});
  EXPECT_FALSE(proof.ok());
  const Problem* p = find(proof, "empty-kernel");
  ASSERT_NE(p, nullptr);
  EXPECT_EQ(p->kernel, "add_kernel");
  EXPECT_NE(p->where.find("kernels.cuh:4"), std::string::npos);
  EXPECT_NE(p->what.find("sm_90a"), std::string::npos);
  EXPECT_EQ(proof.problem_count(), 1u);
}

TEST_F(ProofTest, TheGuardOpenedItIsProved) {
  Proof proof = prove_texts({{kHeaderPath, with(kHeader, "__CUDA_ARCH__ >= 900 && __CUDA_ARCH__ < 1200", kOpened)}});
  EXPECT_TRUE(proof.ok()) << (proof.problem_count() ? "problems" : "");
  ASSERT_EQ(proof.units.size(), 1u);
  const TargetProof& t = proof.units[0].targets[0];
  ASSERT_TRUE(t.before && t.after);
  ASSERT_EQ(t.after->kernels.size(), 2u);
  std::string add = t.after->kernels[0].name;
  EXPECT_GT(t.after->find(add)->code_bytes, t.before->find(add)->code_bytes);
  EXPECT_GT(t.after->find(add)->registers, 0u);
  EXPECT_EQ(t.waits, 1u);
  EXPECT_EQ(t.launched_programmatic, 1u);
  EXPECT_EQ(proof.units[0].others[0].unchanged.same, Same::tokens);
}

TEST_F(ProofTest, ASecondTimeNothingIsCompiled) {
  Texts texts{{kHeaderPath, with(kHeader, "__CUDA_ARCH__ >= 900 && __CUDA_ARCH__ < 1200", kOpened)}};
  prove_texts(texts);
  Proof proof = prove_texts(texts);
  EXPECT_TRUE(proof.ok());
  EXPECT_EQ(proof.cpu_seconds, 0);
  EXPECT_TRUE(proof.units[0].targets[0].after->kept);
}

TEST_F(ProofTest, HostCodeDoesNotChangeADevice) {
  std::string header = with(kHeader, "__CUDA_ARCH__ >= 900 && __CUDA_ARCH__ < 1200", kOpened);
  Proof proof = prove_texts({{kHeaderPath, with(header, "return n / 128;", "return n / 64;")}});
  EXPECT_TRUE(proof.ok());
  EXPECT_EQ(proof.units[0].others[0].unchanged.same, Same::device_text);
  ASSERT_EQ(proof.units[0].others[0].unchanged.host.size(), 1u);
  EXPECT_EQ(proof.units[0].others[0].unchanged.host[0].substr(0, 6), "blocks");
}

TEST_F(ProofTest, OtherTextWithTheSameCodeIsUnchanged) {
  std::string header = with(kHeader, "__CUDA_ARCH__ >= 900 && __CUDA_ARCH__ < 1200", kOpened);
  Proof proof = prove_texts({{kHeaderPath, with(header, "p[threadIdx.x] = 1;", "p[threadIdx.x] = 2 - 1;")}});
  EXPECT_TRUE(proof.ok());
  EXPECT_EQ(proof.units[0].others[0].unchanged.same, Same::ptx);
}

TEST_F(ProofTest, ChangedCodeOfAnotherDeviceIsFound) {
  std::string header = with(kHeader, "__CUDA_ARCH__ >= 900 && __CUDA_ARCH__ < 1200", kOpened);
  Proof proof = prove_texts({{kHeaderPath, with(header, "p[threadIdx.x] = 1;", "p[threadIdx.x] = 2;")}});
  EXPECT_FALSE(proof.ok());
  const Problem* p = find(proof, "changed-code");
  ASSERT_NE(p, nullptr);
  EXPECT_EQ(p->kernel, "wait_kernel");
  EXPECT_NE(p->where.find("kernels.cuh:13"), std::string::npos) << p->where;
}

TEST_F(ProofTest, AWaitThatIsTakenAwayIsFound) {
  std::string header = with(kHeader, "__CUDA_ARCH__ >= 900 && __CUDA_ARCH__ < 1200", kOpened);
  Proof proof = prove_texts({{kHeaderPath, with(header, "__CUDA_ARCH__ >= 900\n", "__CUDA_ARCH__ >= 900 && __CUDA_ARCH__ < 1000\n")}});
  const Problem* p = find(proof, "missing-wait");
  ASSERT_NE(p, nullptr);
  EXPECT_EQ(p->kernel, "wait_kernel");
  EXPECT_NE(p->what.find("unit.cu:4"), std::string::npos);
  EXPECT_EQ(proof.units[0].others[0].unchanged.same, Same::tokens);
}

TEST_F(ProofTest, ABodyThatIsEmptiedIsFound) {
  Proof proof = prove_texts({{kHeaderPath, with(kHeader, "p[threadIdx.x] = 1;", "if (p == nullptr) p[threadIdx.x] = 1;\n#if __CUDA_ARCH__ >= 1200\n  return;\n#endif\n")}});
  // The kernel writes where the pointer is null, on every device: that is code. Emptied it is:
  Proof emptied = prove_texts({{kHeaderPath, with(kHeader, "p[threadIdx.x] = 1;", "\n#if __CUDA_ARCH__ < 1200\n  p[threadIdx.x] = 1;\n#endif\n")}});
  const Problem* p = nullptr;
  for (const Problem& q : emptied.units[0].targets[0].problems) {
    if (q.kernel == "wait_kernel") p = &q;
  }
  ASSERT_NE(p, nullptr);
  EXPECT_EQ(p->kind, "empty-kernel");
  for (const Problem& q : proof.units[0].targets[0].problems) EXPECT_NE(q.kernel, "wait_kernel") << q.what;
}

// CUTLASS puts a message and a trap where the target lacks an instruction: the rest of the kernel is there.
TEST_F(ProofTest, AKernelThatTrapsOnTheTargetAloneIsFound) {
  Proof proof = prove_texts({{kHeaderPath, with(kHeader, "  p[threadIdx.x] = 1;", "#if __CUDA_ARCH__ >= 1200\n  if (p[1] == 7) __trap();\n#endif\n  p[threadIdx.x] = 1;")}});
  const Problem* p = find(proof, "traps");
  ASSERT_NE(p, nullptr);
  EXPECT_EQ(p->kernel, "wait_kernel");
}

TEST_F(ProofTest, AnInstructionThatTheTargetLacksIsNamedWithItsLine) {
  std::string header = with(kHeader, "  p[threadIdx.x] = 1;", "#if __CUDA_ARCH__ >= 1000\n  asm volatile(\"tcgen05.wait::ld.sync.aligned;\");\n#endif\n  p[threadIdx.x] = 1;");
  Proof proof = prove_texts({{kHeaderPath, header}});
  const Problem* p = find(proof, "fails-build");
  ASSERT_NE(p, nullptr);
  EXPECT_EQ(p->kernel, "wait_kernel");
  EXPECT_NE(p->what.find("sm_120a lacks tcgen05"), std::string::npos) << p->what;
  EXPECT_NE(p->where.find("kernels.cuh:14"), std::string::npos) << p->where;
}

TEST_F(ProofTest, TooMuchSharedMemoryIsFound) {
  std::string header = with(kHeader, "  p[threadIdx.x] = 1;", "  __shared__ float s[30 * 1024];\n  s[threadIdx.x] = p[0];\n  __syncthreads();\n  p[threadIdx.x] = s[127 - threadIdx.x];");
  Proof proof = prove_texts({{kHeaderPath, header}});
  const Problem* p = find(proof, "shared-memory");
  ASSERT_NE(p, nullptr);
  EXPECT_EQ(p->kernel, "wait_kernel");
}

TEST_F(ProofTest, TextThatIsNoCppIsNamedWithItsLine) {
  Proof proof = prove_texts({{kHeaderPath, with(kHeader, "return n / 128;", "return undefined_name;")}});
  const Problem* p = find(proof, "fails-build");
  ASSERT_NE(p, nullptr);
  EXPECT_NE(p->what.find("undefined_name"), std::string::npos);
  EXPECT_EQ(p->where, "pkg/include/pkg/kernels.cuh:15");
}

}  // namespace
}  // namespace ungate::prove

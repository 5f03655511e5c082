// Logs as programs and launchers print them, and the signs in them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rules/rule_set.h"
#include "trace/lead.h"

namespace ungate::trace {
namespace {

using testing::ElementsAre;

const std::vector<Symptom>& symptoms() {
  static const auto* rules = new rules::RuleSet(*rules::load_rules({}));
  return rules->symptoms;
}

std::string sign_of(const std::string& line) {
  Log log = read_log(line);
  auto signs = find_signs(log, symptoms());
  if (!signs || signs->empty()) return "nothing";
  const Sign& s = signs->front();
  std::string out = s.symptom->id;
  if (s.device) out += ' ' + s.device->name();
  for (const std::string* group : {&s.list, &s.instruction, &s.bytes}) {
    if (!group->empty()) out += ' ' + *group;
  }
  return out;
}

TEST(Log, FramesAndExceptionsWithoutWhatLaunchersAdd) {
  Log log = read_log(
      "\x1b[31m[rank0]: Traceback (most recent call last):\x1b[0m\r\n"
      "[rank0]:   File \"/v/site-packages/p/a.py\", line 12, in C.f\n"
      "[rank0]:     x = y[\n"
      "[rank0]:         ~^\n"
      "[rank0]: KeyError: '120a'\n"
      "10%\r20%\rdone\n");
  ASSERT_EQ(log.tracebacks.size(), 1u);
  EXPECT_THAT(log.tracebacks[0].frames, ElementsAre(Frame{"/v/site-packages/p/a.py", 12, "C.f", 1}));
  EXPECT_EQ(log.tracebacks[0].exception, "KeyError: '120a'");
  EXPECT_EQ(log.tracebacks[0].at, 4u);
  EXPECT_EQ(log.lines.back(), "done");
}

TEST(Log, ChainedAndUnfinishedTracebacks) {
  Log log = read_log(
      "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\nValueError: one\n\n"
      "During handling of the above exception, another exception occurred:\n\n"
      "Traceback (most recent call last):\n  File \"b.py\", line 2, in g\nRuntimeError: two\n"
      "Traceback (most recent call last):\n  File \"c.py\", line 3\n");
  ASSERT_EQ(log.tracebacks.size(), 3u);
  EXPECT_EQ(log.tracebacks[0].exception, "ValueError: one");
  EXPECT_EQ(log.tracebacks[1].exception, "RuntimeError: two");
  EXPECT_EQ(log.tracebacks[2].exception, "");
  EXPECT_EQ(log.tracebacks[2].frames[0].line, 3u);
}

TEST(Log, AnyBytesAreRead) {
  for (std::string text : {std::string("File \""), std::string("File \"x\", line 99999999999, in f"), std::string("\x1b["), std::string(200000, 'x'),
                           std::string("a\0b\xff\n", 5), std::string("]: \n[: ]: ")}) {
    EXPECT_TRUE(read_log(text).tracebacks.empty());
  }
}

// Each with the public thread in which it was seen, where there is one.
TEST(Symptoms, AreKnownByWhatProgramsPrint) {
  EXPECT_EQ(sign_of("RuntimeError: No supported CUDA architectures found for major versions [9, 10]."), "no-supported-architecture [9, 10]");
  EXPECT_EQ(sign_of("ptxas fatal   : Value 'sm_121a' is not defined for option 'gpu-name'"), "unknown-gpu-name sm_121");  // triton-lang/triton#8539
  EXPECT_EQ(sign_of("nvcc fatal   : Unsupported gpu architecture 'compute_120a'"), "unsupported-gpu-architecture sm_120");
  EXPECT_EQ(sign_of("ptxas /tmp/a.ptx, line 7; error   : Instruction 'tcgen05.mma' not supported on .target 'sm_120a'"), "instruction-not-supported sm_120 tcgen05.mma");
  EXPECT_EQ(sign_of("torch.AcceleratorError: CUDA error: no kernel image is available for execution on the device"), "no-kernel-image");
  EXPECT_EQ(sign_of("NVIDIA GeForce RTX 5090 with CUDA capability sm_120 is not compatible with the current PyTorch installation."), "torch-arch-list sm_120");
  EXPECT_EQ(sign_of("KeyError: '120a'"), "arch-key sm_120");
  EXPECT_EQ(sign_of("KeyError: (12, 0)"), "arch-key sm_120");
  EXPECT_EQ(sign_of("triton.runtime.errors.OutOfResources: out of resource: shared memory, Required: 131072, Hardware limit: 101376."),
            "too-much-shared-memory 131072");  // triton-lang/triton#8182
  EXPECT_EQ(sign_of("ptxas error   : Entry function '_Z1kPf' uses too much shared data (0x1e000 bytes, 0xc000 max)"), "too-much-shared-memory 122880");
  EXPECT_EQ(sign_of("Arch conditional MMA instruction used without targeting appropriate compute capability. Aborting."), "nothing");
  EXPECT_EQ(sign_of("ERROR : Arch conditional: Attempt to use wgmma without CUTE_ARCH_MMA_SM90A_ENABLED"), "missing-instruction-at-run-time");
  EXPECT_EQ(sign_of("RuntimeError: This kernel is not supported on compute capability 12.0"), "unsupported-capability sm_120");
  EXPECT_EQ(sign_of("INFO server started on port 120"), "nothing");
  EXPECT_EQ(sign_of("KeyError: 'model'"), "nothing");
}

TEST(Symptoms, TheDeviceOfALogIsTheFirstThatIsNamed) {
  Log log = read_log("ptxas fatal   : Value 'sm_121a' is not defined for option 'gpu-name'\nKeyError: '120a'\n");
  auto device = device_of(log, symptoms());
  ASSERT_TRUE(device);
  EXPECT_EQ(device->name(), "sm_121");
  EXPECT_FALSE(device_of(read_log("nothing"), symptoms()));
}

class LeadsTest : public testing::Test {
 protected:
  gate::Gate& gate(std::string path, std::uint32_t line, std::string in, std::string expression) {
    gate::Gate g;
    g.id = std::to_string(gates.size());
    g.path = std::move(path), g.begin.line = g.end.line = line;
    g.enclosing = std::move(in), g.expression = std::move(expression);
    gate::Standing s;
    s.device = device;
    s.admits = gate::Admits::no, s.effect = gate::Effect::raises;
    g.standings = {s};
    gates.push_back(std::move(g));
    return gates.back();
  }
  std::string leads(const std::string& text) {
    Log log = read_log(text);
    auto found = find_leads({&log, &symptoms(), &gates, device, [this](const gate::Gate&, std::uint32_t, std::uint32_t) { return source; }});
    std::string out;
    for (const Lead& l : *found) {
      out += l.sign.symptom == nullptr ? "-" : l.sign.symptom->id;
      for (const Found& f : l.gates) out += ' ' + std::string(name_of(f.way)) + f.gate->id;
      out += '\n';
    }
    return out;
  }
  arch::Device device = *arch::parse_device("sm_120");
  std::vector<gate::Gate> gates;
  std::string source;
};

TEST_F(LeadsTest, TheInnermostFrameAtAGateIsTaken) {
  gate("p/a.py", 61, "f", "majors=[9, 10]");
  gate("p/a.py", 80, "g", "x");
  gate("p/b.py", 5, "", "y");
  EXPECT_EQ(leads("Traceback (most recent call last):\n  File \"/v/p/a.py\", line 82, in g\n  File \"/v/p/a.py\", line 60, in f\n"
                  "  File \"/v/q/c.py\", line 1, in h\nRuntimeError: No supported CUDA architectures found for major versions [9, 10].\n"),
            "no-supported-architecture frame0\n");
  EXPECT_EQ(leads("Traceback (most recent call last):\n  File \"/v/p/b.py\", line 6, in <module>\nAssertionError\n"), "- frame2\n");
}

TEST_F(LeadsTest, AGateThatLetsTheDeviceInRaisedNothing) {
  gate("p/a.py", 61, "f", "majors=[9, 10]").standings[0].admits = gate::Admits::yes;
  EXPECT_EQ(leads("Traceback (most recent call last):\n  File \"/v/p/a.py\", line 61, in f\nRuntimeError: x\n"), "");
}

TEST_F(LeadsTest, WithoutATracebackTheListTheNameOrTheTextTells) {
  gate("p/a.py", 61, "f", "majors=[9,10]");
  gate("p/a.py", 90, "scaled_product", "d");
  EXPECT_EQ(leads("RuntimeError: No supported CUDA architectures found for major versions [9, 10]."), "no-supported-architecture list0\n");
  EXPECT_EQ(leads("ValueError: scaled_product is not supported on compute capability 12.0"), "unsupported-capability name1\n");
  source = "raise ValueError(f\"widgets are not made for {major}\")";
  EXPECT_EQ(leads("RuntimeError: widgets are not made for sm_120, only supported on sm_90"), "unsupported-capability message0 message1\n");
}

TEST_F(LeadsTest, ANoKernelImageIsOfSharedObjects) {
  gate("p/_C.so", 0, "", "sm_90").form = "binary-no-code";
  gate("p/a.py", 3, "", "x");
  EXPECT_EQ(leads("RuntimeError: CUDA error: no kernel image is available for execution on the device"), "no-kernel-image code0\n");
}

}  // namespace
}  // namespace ungate::trace

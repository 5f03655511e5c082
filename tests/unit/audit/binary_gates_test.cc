#include "audit/binary_gates.h"

#include <gtest/gtest.h>

#include "python/program.h"
#include "support/knowledge.h"
#include "unit/binary/make.h"

namespace ungate::audit {
namespace {

namespace make = binary::make;

ObjectFile file(std::string path, const std::string& bytes) {
  ObjectFile f;
  f.path = std::move(path);
  auto listing = binary::list(binary::Memory(f.path, bytes));
  EXPECT_TRUE(listing) << to_text(listing.error());
  f.listing = std::move(*listing);
  return f;
}
std::string library(const std::vector<std::string>& entries) {
  return make::elf({{".nv_fatbin", make::fatbin(entries)}});
}

std::vector<gate::Gate> gates(std::vector<ObjectFile> files, const std::string& target) {
  Objects objects;
  objects.files = std::move(files);
  return binary_gates(objects, {*arch::parse_device(target)});
}

// "no no-code capability: evidence; evidence; reasons"
std::string standing(const gate::Gate& g) {
  const gate::Standing& s = g.standings.at(0);
  std::string out = std::string(name_of(s.admits)) + ' ' + std::string(name_of(s.effect)) + ' ' +
                    std::string(name_of(s.verdict)) + ':';
  for (const auto& e : s.evidence) out += ' ' + e.what + ';';
  for (const auto& r : s.unknown_because) out += ' ' + r + ';';
  return out;
}
std::string standing(const std::string& bytes, const std::string& target) {
  return standing(gates({file("a.so", bytes)}, target).at(0));
}

// vllm-project/vllm#50925: plain code loads on a newer device of the generation.
TEST(BinaryGates, PlainCodeLoadsOnANewerMinor) {
  std::string so = library({make::sass(90), make::sass(120), make::ptx(80)});
  EXPECT_EQ(standing(so, "sm_121"), "yes none :");
  EXPECT_EQ(gates({file("a.so", so)}, "sm_121").at(0).expression, "sm_90 sm_120; PTX sm_80");
}

// vllm-project/vllm#56548: 10.0 was left out since 10.0a was there; nothing runs on 10.3.
TEST(BinaryGates, ExactCodeDoesNot) {
  std::string text = standing(library({make::sass(90), make::sass(100, make::kExact)}), "sm_103");
  EXPECT_TRUE(
      text.starts_with("no no-code capability: 1 code object set, none with code that loads"))
      << text;
  EXPECT_NE(text.find("sm_100a code runs on 10.0 alone"), text.npos);
  EXPECT_NE(text.find("needs a build for sm_103, or sm_100f, which runs on sm_100"), text.npos);
}

TEST(BinaryGates, PtxAloneIsNotSupport) {
  std::string text = standing(library({make::sass(80), make::ptx(80)}), "sm_120");
  EXPECT_TRUE(text.starts_with("unknown slower unknown: the driver compiles it from PTX for sm_80"))
      << text;
}

TEST(BinaryGates, SomeUnits) {
  std::string so = make::elf({{".nv_fatbin", make::fatbin({make::sass(120)}) +
                                                 make::fatbin({make::sass(90, make::kExact)})}});
  std::string text = standing(so, "sm_120");
  EXPECT_TRUE(text.starts_with("unknown no-code unknown: the rest is for sm_90a;")) << text;
}

// A file can be covered and still hold kernels that only stop the program: vLLM's CUTLASS MLA image.
TEST(BinaryGates, KernelsThatOnlyTrap) {
  ObjectFile f = file("a.so", library({make::sass(100, make::kExact), make::sass(120)}));
  binary::Kernels kernels{{"mla", "norm"}, {}};
  for (std::uint32_t object : {0u, 1u}) {
    for (std::uint32_t name : {0u, 1u}) kernels.images.push_back({name, object, 32, 256, 0, false, false});
  }
  kernels.images[2].trap = true;
  f.kernels = kernels;
  EXPECT_EQ(standing(gates({f}, "sm_120").at(0)),
            "unknown no-code unknown: of 2 kernels, 1 have machine code that loads; 1 only stop the program: mla (1); "
            "which of the kernels a program calls decides;");
  EXPECT_EQ(standing(gates({f}, "sm_100").at(0)),
            "yes none : of 2 kernels, 2 have machine code that loads;");
}

TEST(BinaryGates, WhatIsOneGate) {
  auto out =
      gates({file("f/a.cubin", make::cubin(100)), file("f/b.cubin", make::cubin(100)),
             file("f/c.cubin", make::cubin(90)), file("f/host.so", make::elf({{".text", "x"}})),
             file("f/lib.o", make::elf({{".nv_fatbin", make::fatbin({make::sass(90)})}}, {1})),
             file("g/a.so", library({make::sass(90)}))},
            "sm_120");
  ASSERT_EQ(out.size(), 3u);
  EXPECT_EQ(out[0].path, "f");
  EXPECT_EQ(out[0].guards, "2 cubin files");
  EXPECT_EQ(out[1].path, "f/c.cubin");
  EXPECT_EQ(out[2].path, "g/a.so");
  EXPECT_NE(out[0].id, out[1].id);
}

TEST(BinaryGates, LoadersAreEvaluated) {
  source::SourceFile load("p/load.py",
                          "import torch\n"
                          "def load():\n"
                          "    major, minor = torch.cuda.get_device_capability()\n"
                          "    cc = major * 10 + minor\n"
                          "    if cc == 90:\n"
                          "        folder = \"sm90\"\n"
                          "    elif cc >= 100:\n"
                          "        folder = \"sm100\"\n"
                          "    else:\n"
                          "        folder = 'sm80'\n"
                          "    return folder\n"
                          "load()\n");
  python::Program program(
      [&](const std::string& path) { return path == "p/load.py" ? &load : nullptr; });
  program.add("p/load.py");
  python::Knowledge knowledge = test::knowledge();
  value::World world;
  python::Evaluation evaluation(program, knowledge, world);
  evaluation.run({*program.find_path("p/load.py")});

  std::string both = library({make::sass(90), make::sass(120)});
  auto out =
      gates({file("p/sm90/ops.so", both), file("p/sm100/ops.so", both), file("p/other.so", both)},
            "sm_120");
  explain_loaders(out, evaluation, program);
  EXPECT_EQ(standing(out[0]), "yes unreachable : on sm_120 the loader takes sm100/;");
  EXPECT_EQ(standing(out[1]), "yes none : on sm_120 the loader takes sm100/;");
  EXPECT_EQ(standing(out[2]), "yes none :");
  EXPECT_EQ(out[0].standings[0].evidence[0].where, "p/load.py:5");
  out = gates({file("p/sm90/ops.so", both), file("p/sm100/ops.so", both)}, "sm_90");
  explain_loaders(out, evaluation, program);
  EXPECT_EQ(standing(out[0]), "yes none : on sm_90 the loader takes sm90/;");
}

}  // namespace
}  // namespace ungate::audit

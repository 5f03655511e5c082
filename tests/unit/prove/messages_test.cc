#include "prove/messages.h"

#include <gtest/gtest.h>

namespace ungate::prove {
namespace {

TEST(Messages, AnErrorOfTheFrontEnd) {
  CompilerError e = first_error("/s/a.cuh(12): warning #177-D: x\n/s/a.cuh(34): error: identifier \"foo\" is undefined\n    foo();\n    ^\n");
  EXPECT_EQ(e.text, "identifier \"foo\" is undefined");
  EXPECT_EQ(e.path, "/s/a.cuh");
  EXPECT_EQ(e.line, "34");
}

TEST(Messages, AnErrorOfTheHostCompiler) {
  CompilerError e = first_error("/s/a.cu:2:10: fatal error: no.h: No such file or directory\n    2 | #include <no.h>\n");
  EXPECT_EQ(e.text, "no.h: No such file or directory");
  EXPECT_EQ(e.path, "/s/a.cu");
  EXPECT_EQ(e.line, "2");
}

TEST(Messages, WithoutAnErrorTheLastLineIsTaken) {
  EXPECT_EQ(first_error("nvcc fatal   : Unsupported gpu architecture 'compute_999'\n").text, "nvcc fatal : Unsupported gpu architecture 'compute_999'");
  EXPECT_EQ(first_error("").text, "");
}

TEST(Messages, AnErrorOfTheAssembler) {
  AssemblerError e = first_assembler_error(
      "ptxas k.ptx, line 25; error   : Instruction 'tcgen05.alloc' not supported on .target 'sm_120a'\n"
      "ptxas fatal   : Ptx assembly aborted due to errors\n");
  EXPECT_EQ(e.text, "Instruction 'tcgen05.alloc' not supported on .target 'sm_120a'");
  EXPECT_EQ(e.line, 25u);
}

TEST(Messages, TooMuchSharedMemoryNamesTheKernel) {
  AssemblerError e = first_assembler_error("ptxas error   : Entry function '_Z1kPf' uses too much shared data (0x1e000 bytes, 0xc000 max)\n");
  EXPECT_EQ(e.function, "_Z1kPf");
  EXPECT_NE(e.text.find("too much shared data"), std::string::npos);
}

TEST(Messages, ResourcesOfEachEntry) {
  auto r = read_resources(
      "ptxas info    : Compiling entry function '_Z1av' for 'sm_120a'\n"
      "ptxas info    : Function properties for _Z1av\n"
      "    16 bytes stack frame, 12 bytes spill stores, 20 bytes spill loads\n"
      "ptxas info    : Used 255 registers, used 1 barriers, 256 bytes smem\n"
      "ptxas info    : Compiling entry function '_Z1bv' for 'sm_120a'\n"
      "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 24 registers, used 0 barriers\n");
  ASSERT_EQ(r.size(), 2u);
  EXPECT_EQ(r["_Z1av"].registers, 255u);
  EXPECT_EQ(r["_Z1av"].stack_bytes, 16u);
  EXPECT_EQ(r["_Z1av"].spill_bytes, 32u);
  EXPECT_EQ(r["_Z1av"].shared_bytes, 256u);
  EXPECT_EQ(r["_Z1bv"].registers, 24u);
  EXPECT_EQ(r["_Z1bv"].spill_bytes, 0u);
}

}  // namespace
}  // namespace ungate::prove

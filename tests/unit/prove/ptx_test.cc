#include "prove/ptx.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace ungate::prove {
namespace {

constexpr std::string_view kHead = ".version 9.0\n.target sm_120a\n.address_size 64\n";

PtxModule read(const std::string& body, const std::vector<FeatureWords>& features = {}) {
  return read_ptx(std::string(kHead) + body, features);
}

constexpr const char* kStores = R"(
.visible .entry stores(
	.param .u64 stores_param_0
)
{
	.reg .b32 	%r<3>;
	.reg .b64 	%rd<3>;
	ld.param.u64 	%rd1, [stores_param_0];
	// begin inline asm
	griddepcontrol.wait;
	// end inline asm
	@%p1 bra 	$L__BB0_2;
	st.global.v2.u32 	[%rd1], {%r1, %r2};
$L__BB0_2:
	ret;
}
)";

TEST(Ptx, AnEntryIsReadWithItsFacts) {
  PtxModule m = read(kStores);
  EXPECT_EQ(m.version, "9.0");
  EXPECT_EQ(m.target, "sm_120a");
  ASSERT_EQ(m.kernels.size(), 1u);
  const KernelFacts& k = m.kernels[0];
  EXPECT_EQ(k.name, "stores");
  EXPECT_EQ(k.instructions, 5u);
  EXPECT_TRUE(k.effects);
  EXPECT_TRUE(k.wait);
  EXPECT_FALSE(k.trigger);
  EXPECT_FALSE(k.does_nothing());
}

TEST(Ptx, AnEmptyBodyDoesNothing) {
  PtxModule m = read(".visible .entry e(\n.param .u64 p\n)\n{\n\n\tret;\n\n}\n");
  ASSERT_EQ(m.kernels.size(), 1u);
  EXPECT_TRUE(m.kernels[0].does_nothing());
  // Reading, waiting and local stores leave nothing behind either.
  m = read(".visible .entry e(.param .u64 p)\n{\nld.param.u64 %rd1, [p];\ngriddepcontrol.wait;\nst.local.u32 [%rd1], 3;\nret;\n}\n");
  EXPECT_TRUE(m.kernels[0].does_nothing());
  EXPECT_TRUE(m.kernels[0].wait);
}

TEST(Ptx, TrapsAndMessagesAreNoEffect) {
  PtxModule m = read(
      ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b) ;\n"
      ".visible .entry t()\n{\n{ // callseq 0\n.param .b64 param0;\ncall.uni (retval0), \nvprintf, \n(\nparam0, \nparam1\n);\n} // callseq 0\n"
      "trap;\nret;\n}\n");
  ASSERT_EQ(m.kernels.size(), 1u);
  EXPECT_TRUE(m.kernels[0].only_traps());
  EXPECT_FALSE(m.kernels[0].does_nothing());
}

TEST(Ptx, FunctionsThatAreCalledCount) {
  const std::string function = ".func helper(.param .b64 a)\n{\nst.global.u32 [%rd1], %r1;\ngriddepcontrol.launch_dependents;\nret;\n}\n";
  const std::string entry = ".visible .entry k()\n{\ncall.uni helper, (param0);\nret;\n}\n";
  PtxModule m = read(function + entry);
  ASSERT_EQ(m.kernels.size(), 1u);
  EXPECT_TRUE(m.kernels[0].effects);
  EXPECT_TRUE(m.kernels[0].trigger);
  // Another body of the function is another kernel.
  PtxModule other = read(text::replace_all(function, "%r1;", "%r2;") + entry);
  EXPECT_NE(m.kernels[0].text_hash, other.kernels[0].text_hash);
  // A call of something that is not there could do anything.
  PtxModule unknown = read(".visible .entry k()\n{\ncall.uni elsewhere, (param0);\nret;\n}\n");
  EXPECT_TRUE(unknown.kernels[0].effects);
}

TEST(Ptx, NumbersOfTheModuleDoNotChangeAKernel) {
  std::string data = ".global .align 1 .b8 $str$3[4] = {1, 2, 3, 0};\n";
  std::string body = std::string(".visible .entry k()\n{\nmov.u64 %rd1, $str$3;\nst.global.u64 [%rd2], %rd1;\n$L__BB4_1:\nbra $L__BB4_1;\n}\n");
  PtxModule a = read(data + body);
  PtxModule b = read(text::replace_all(text::replace_all(data + body, "$str$3", "$str$17"), "BB4", "BB9"));
  EXPECT_EQ(a.kernels[0].text_hash, b.kernels[0].text_hash);
  // Other data is another kernel.
  PtxModule c = read(text::replace_all(data, "{1,", "{9,") + body);
  EXPECT_NE(a.kernels[0].text_hash, c.kernels[0].text_hash);
}

TEST(Ptx, CommentsAndLineDataDoNotChangeAKernel) {
  std::string plain = ".visible .entry k()\n{\nst.global.u64 [%rd2], %rd1;\nret;\n}\n";
  std::string lined = ".file 1 \"/x/k.cu\"\n.visible .entry k()\n{\n.loc 1 12 3\nst.global.u64   [%rd2], %rd1; // why\nret;\n}\n";
  EXPECT_EQ(read(plain).kernels[0].text_hash, read(lined).kernels[0].text_hash);
}

TEST(Ptx, ClustersAreRead) {
  PtxModule m = read(".visible .entry k()\n.maxntid 128\n.explicitcluster\n.reqnctapercluster 4, 2, 1\n{\nret;\n}\n");
  EXPECT_EQ(m.kernels[0].cluster, (std::array<std::uint32_t, 3>{4, 2, 1}));
  EXPECT_EQ(read(".visible .entry k()\n{\nret;\n}\n").kernels[0].cluster, (std::array<std::uint32_t, 3>{0, 0, 0}));
}

TEST(Ptx, FeaturesAreFoundByTheirInstructions) {
  std::vector<FeatureWords> features{{"tcgen05", {"tcgen05."}}, {"fp8 mma", {"mma.sync.*.e4m3"}}, {"wgmma", {"wgmma."}}};
  PtxModule m = read(".visible .entry k()\n{\n@%p1 tcgen05.alloc.b32 [%rd1], 32;\nmma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%f1}, {%r1};\nret;\n}\n",
                     features);
  EXPECT_EQ(m.kernels[0].features, (std::vector<std::string>{"fp8 mma", "tcgen05"}));
}

TEST(Ptx, ALineIsFoundInItsKernelAndSource) {
  std::string text = std::string(kHead) +  // three lines
                     ".visible .entry k(\n.param .u64 p\n)\n{\n.loc\t1 77 3\nadd.s32 %r1, %r1, 1;\nret;\n}\n.file\t1 \"/src/a.cu\"\n";
  PtxPlace place = place_in_ptx(text, 9);
  EXPECT_EQ(place.function, "k");
  EXPECT_EQ(place.source, "/src/a.cu:77");
  EXPECT_EQ(place.instruction, "add.s32 %r1, %r1, 1;");
}

TEST(Ptx, TextThatIsNoneGivesNothing) {
  EXPECT_TRUE(read_ptx("").kernels.empty());
  EXPECT_TRUE(read_ptx(".entry").kernels.empty());
  EXPECT_TRUE(read_ptx("{{{{").kernels.empty());
  EXPECT_TRUE(read_ptx(".entry (((").kernels.empty());
}

}  // namespace
}  // namespace ungate::prove

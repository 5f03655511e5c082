#include "audit/natives.h"

#include <gtest/gtest.h>

#include "audit/audit.h"
#include "rules/rule_set.h"
#include "unit/binary/make.h"
#include "unit/support/temp_tree.h"

namespace ungate::audit {
namespace {

namespace make = binary::make;
using namespace std::string_literals;

// An extension of operators `kernel_ops` with code for sm_90a alone, and one that has sm_120 too.
class NativesTest : public testing::Test {
 protected:
  NativesTest() {
    tree_.file("pkg/__init__.py");
    tree_.file("pkg/_hopper_C.abi3.so", library("fast_attention(Tensor q) -> Tensor\0_hopper_C\0"s,
                                                {make::sass(90, make::kExact)}));
    tree_.file("pkg/_plain_C.abi3.so",
               library("slow_attention(Tensor q) -> Tensor\0_plain_C\0"s, {make::sass(90), make::sass(120)}));
  }

  static std::string library(const std::string& texts, const std::vector<std::string>& code) {
    return make::elf({{".rodata", texts}, {".nv_fatbin", make::fatbin(code)}});
  }

  // "path:line verdict: evidence; …" of each gate that shuts the target out.
  std::string findings(const std::string& target) {
    auto rules = rules::load_rules({});
    package::Environment environment = package::environment_of_site(tree_.root());
    Options options;
    options.targets = {*arch::parse_device(target)};
    auto report = audit(environment, *rules, options);
    EXPECT_TRUE(report);
    std::string out;
    for (const gate::Gate& g : report->gates) {
      const gate::Standing& s = g.standings.front();
      if (g.form == "binary-objects") binaries_ += g.path + ": " + g.guards + '\n';
      if (g.form == "binary-objects" || s.admits != gate::Admits::no) continue;
      out += g.path + ':' + std::to_string(g.begin.line) + ' ' + std::string(name_of(s.verdict)) + ':';
      for (const gate::Evidence& e : s.evidence) out += ' ' + e.what + " (" + e.where + ");";
      out += '\n';
    }
    return out;
  }

  testing_support::TempTree tree_;
  std::string binaries_;
};

TEST_F(NativesTest, AGateInFrontOfAnOperatorWithoutCodeIsALimit) {
  tree_.file("pkg/attention.py",
             "import torch\n"
             "def fast(q):\n"
             "    return torch.ops._hopper_C.fast_attention(q)\n"
             "def attention(q):\n"
             "    if torch.cuda.get_device_capability()[0] == 9:\n"
             "        return fast(q)\n"
             "    return torch.ops._plain_C.slow_attention(q)\n");
  EXPECT_EQ(findings("sm_120"),
            "pkg/attention.py:5 capability: it leads to pkg._hopper_C, where no code object loads on sm_120: it holds "
            "sm_90a; only another build of it could help (pkg/_hopper_C.abi3.so); attention calls fast "
            "(pkg/attention.py:6); calls torch.ops._hopper_C.fast_attention (pkg/attention.py:3);\n");
  EXPECT_NE(binaries_.find("_hopper_C.abi3.so: 1 code object; its operators are called at pkg/attention.py:3"),
            std::string::npos)
      << binaries_;
}

TEST_F(NativesTest, AnOperatorWithCodeLeavesTheVerdictOpen) {
  tree_.file("pkg/attention.py",
             "import torch\n"
             "def attention(q):\n"
             "    if torch.cuda.get_device_capability()[0] == 9:\n"
             "        return torch.ops._plain_C.slow_attention(q)\n"
             "    return None\n");
  EXPECT_TRUE(findings("sm_120").starts_with("pkg/attention.py:3 unknown:"));
}

TEST_F(NativesTest, AFlagThatSaysThatAnExtensionIsThere) {
  tree_.file("pkg/support.py",
             "import torch\n"
             "try:\n"
             "    from . import _hopper_C  # noqa\n"
             "    FAST_AVAILABLE = True\n"
             "except ImportError:\n"
             "    FAST_AVAILABLE = False\n"
             "def is_fast_there():\n"
             "    return FAST_AVAILABLE\n"
             "def is_supported():\n"
             "    if not FAST_AVAILABLE:\n"
             "        return False\n"
             "    if torch.cuda.get_device_capability()[0] != 9:\n"
             "        return False\n"
             "    return True\n"
             "def other():\n"
             "    return torch.cuda.get_device_capability()[0] == 9\n");
  std::string text = findings("sm_120");
  EXPECT_NE(text.find("pkg/support.py:12 capability: it leads to pkg._hopper_C"), text.npos) << text;
  EXPECT_NE(text.find("is_supported asks for FAST_AVAILABLE, which says that pkg._hopper_C was imported "
                      "(pkg/support.py:3)"),
            text.npos)
      << text;
  EXPECT_NE(text.find("pkg/support.py:16 unknown:"), text.npos) << text;
  EXPECT_NE(binaries_.find("_hopper_C.abi3.so: 1 code object; imported at pkg/support.py:3"), std::string::npos);
}

}  // namespace
}  // namespace ungate::audit

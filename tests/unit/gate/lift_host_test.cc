// Edits of run-time tests in C++.
#include "gate/lift_host.h"

#include <gtest/gtest.h>

#include "source/edit.h"

namespace ungate::gate {
namespace {

struct Lifted {
  std::string text, also, refused;
};

Lifted lift(std::string text, std::string_view expression, cuda::HostChoice::Kind kind = cuda::HostChoice::Kind::compare,
            python::Want want = python::Want::yes) {
  source::SourceFile file("k.cu", text);
  Item item;
  auto at = static_cast<std::uint32_t>(text.find(expression));
  item.gate.range = {at, at + static_cast<std::uint32_t>(expression.size())};
  item.gate.admitted = arch::DeviceSet::of(arch::find_device(9, 0)->index());
  item.choice.want = want;
  item.host.emplace();
  item.host->kind = kind;
  Lift out = lift_host(item, file, *arch::find_device(12, 0));
  for (const LiftEdit& e : out.edits) text.replace(e.edit.range.begin, e.edit.range.size(), e.edit.after);
  return {text, arch::to_text(out.also_admits), out.refused};
}

TEST(LiftHost, AMajorVersionMore) {
  Lifted l = lift("if (p.major == 9) {", "p.major == 9");
  EXPECT_EQ(l.text, "if ((p.major == 9 || p.major == 12)) {");
  EXPECT_EQ(l.also, "sm_121");
}

TEST(LiftHost, ACapabilityMore) {
  Lifted l = lift("return sm == 90 && ready;", "sm == 90");
  EXPECT_EQ(l.text, "return (sm == 90 || sm == 120) && ready;");
  EXPECT_EQ(l.also, "none");
}

TEST(LiftHost, ABoundMovesToTheEndOfTheFamily) {
  EXPECT_EQ(lift("if (sm < 120)", "sm < 120").text, "if (sm < 130)");
}

TEST(LiftHost, ALabelMore) {
  EXPECT_EQ(lift("case 90: run();", "case 90", cuda::HostChoice::Kind::label).text, "case 90: case 120: run();");
}

TEST(LiftHost, OthersSayWhyNot) {
  EXPECT_FALSE(lift("CHECK_EQ(major, 10)", "CHECK_EQ(major, 10)", cuda::HostChoice::Kind::check).refused.empty());
  EXPECT_FALSE(lift("if (sm != 90) throw 1;", "sm != 90", cuda::HostChoice::Kind::compare, python::Want::no).refused.empty());
  EXPECT_FALSE(lift("if (sm >= 100 && sm < 110)", "sm >= 100 && sm < 110").refused.empty());
  EXPECT_FALSE(lift("if (sm == kHopper)", "sm == kHopper").refused.empty());
}

}  // namespace
}  // namespace ungate::gate

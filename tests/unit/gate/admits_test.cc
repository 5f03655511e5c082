// When a choice lets a device in.
#include "gate/admits.h"

#include <gtest/gtest.h>

namespace ungate::gate {
namespace {

using arch::Device;
using arch::DeviceSet;
using python::Choice;
using python::Want;

Device device(int major, int minor) { return *arch::find_device(major, minor); }
const Device kTarget = device(12, 0);

DeviceSet set(std::string_view text) {
  auto parsed = arch::parse_device_set(text);
  EXPECT_TRUE(parsed) << text;
  return *parsed;
}

// True on `yes`, open on `open`, false elsewhere.
value::Outcome outcome(std::string_view yes, DeviceSet open = {}) {
  DeviceSet holds = set(yes);
  return {holds - open, arch::all_devices() - holds - open, open};
}

Choice choice(std::string_view yes, Want want = Want::yes) {
  Choice c;
  c.outcome = outcome(yes);
  c.alive = arch::all_devices();
  c.want = want;
  return c;
}

TEST(Admission, AListThatLacksTheDevice) {
  EXPECT_EQ(admission(choice("sm_90..sm_103"), nullptr, nullptr, kTarget).admits, Admits::no);
  EXPECT_EQ(admission(choice("sm_90, sm_120"), nullptr, nullptr, kTarget).admits, Admits::yes);
  EXPECT_EQ(admission(choice("sm_90+"), nullptr, nullptr, kTarget).admits, Admits::yes);
}

TEST(Admission, TheOtherValueServes) {
  EXPECT_EQ(admission(choice("sm_120", Want::no), nullptr, nullptr, kTarget).admits, Admits::no);
  EXPECT_EQ(admission(choice("sm_90", Want::no), nullptr, nullptr, kTarget).admits, Admits::yes);
}

TEST(Admission, APathForOldDevicesExcludesNobody) {
  EXPECT_EQ(admission(choice("sm_50..sm_89"), nullptr, nullptr, kTarget).admits, Admits::yes);
  EXPECT_EQ(admission(choice("sm_80..sm_89"), nullptr, nullptr, kTarget).admits, Admits::no);  // a band does
}

TEST(Admission, OfTwoServingArmsOnlyCurrentDevicesCount) {
  EXPECT_EQ(admission(choice("sm_90", Want::either), nullptr, nullptr, kTarget).admits, Admits::no);
  EXPECT_EQ(admission(choice("sm_80", Want::either), nullptr, nullptr, kTarget).admits, Admits::yes);
  EXPECT_EQ(admission(choice("sm_120", Want::either), nullptr, nullptr, kTarget).admits, Admits::yes);
}

TEST(Admission, WhatIsOpenIsUnknown) {
  Choice c = choice("none");
  c.outcome = {{}, {}, arch::all_devices()};
  EXPECT_EQ(admission(c, nullptr, nullptr, kTarget).admits, Admits::unknown);
}

TEST(Admission, AnotherPartOfTheConditionAdmits) {
  Choice c = choice("sm_90");
  python::Condition whole{outcome("sm_90, sm_120"), arch::all_devices(), Want::yes};
  EXPECT_EQ(admission(c, &whole, nullptr, kTarget).admits, Admits::yes);
}

TEST(Admission, AnotherArmOfTheChainServes) {
  python::Chain chain;
  chain.arms = {{{}, outcome("sm_90"), arch::all_devices(), false}, {{}, outcome("sm_120"), arch::all_devices(), false}};
  Choice c = choice("sm_90");
  c.chain = 0, c.arm = 0;
  EXPECT_EQ(admission(c, nullptr, &chain, kTarget).admits, Admits::yes);
  chain.arms[1].refuses = true;
  EXPECT_EQ(admission(c, nullptr, &chain, kTarget).admits, Admits::no);
}

TEST(Admission, AChainWhoseElseRefuses) {
  python::Chain chain;
  chain.arms = {{{}, outcome("sm_80"), arch::all_devices(), false}, {{}, outcome("sm_86"), arch::all_devices(), false}};
  chain.has_else = chain.else_refuses = true;
  Choice c = choice("sm_80");
  c.chain = 0, c.arm = 0;
  EXPECT_EQ(admission(c, nullptr, &chain, kTarget).admits, Admits::no);
}

}  // namespace
}  // namespace ungate::gate

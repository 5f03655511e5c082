// Host code: what it decides by the device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

#include "cuda/host.h"

namespace ungate::cuda {
namespace {

using arch::DeviceSet;
using Kind = HostChoice::Kind;
using Want = HostChoice::Want;
using Position = HostChoice::Position;

HostVocabulary vocabulary() {
  HostVocabulary v;
  v.attribute_calls = {"cudaDeviceGetAttribute"};
  v.attributes = {{"cudaDevAttrComputeCapabilityMajor", HostFact::major},
                  {"cudaDevAttrComputeCapabilityMinor", HostFact::minor}};
  v.property_types = {"cudaDeviceProp"};
  v.property_calls = {"getCurrentDeviceProperties"};
  v.property_fields = {{"major", HostFact::major}, {"minor", HostFact::minor}};
  v.parameters = {{"sm", HostFact::cc}};
  v.checks = {"CHECK", "assert"};
  v.raises = {"_THROW", "_ERROR", "abort"};
  v.logs = {"LOG", "printf"};
  return v;
}

// Files of one package; the choices are those of the last one.
class HostTest : public testing::Test {
 protected:
  HostChoices read(const std::string& text, std::vector<std::string> before = {}) {
    before.push_back(text);
    for (std::string& t : before) {
      texts_.push_back(std::move(t));
      directives_.push_back(read_directives(texts_.back()));
      structures_.push_back(read_structure(texts_.back(), directives_.back(), {}));
      path_ = "pkg/" + std::to_string(texts_.size()) + ".cu";
      program_.add(path_, texts_.back(), directives_.back(), structures_.back());
    }
    return program_.choices(path_);
  }
  // The only choice of a function body.
  HostChoice only(const std::string& body) {
    HostChoices found = read("void f(int sm, int n) {\n" + body + "\n}\n");
    EXPECT_EQ(found.list.size(), 1u) << body;
    return found.list.empty() ? HostChoice{} : found.list[0];
  }
  std::string text(const HostChoice& c) const {
    return texts_.back().substr(c.range.begin, c.range.size());
  }

  std::deque<std::string> texts_;
  std::deque<Directives> directives_;
  std::deque<Structure> structures_;
  std::string path_;
  HostVocabulary vocabulary_ = vocabulary();
  HostProgram program_{vocabulary_};
};

std::string known(DeviceSet set) { return arch::to_text(set & arch::known_devices()); }

TEST_F(HostTest, PropertiesAndAttributes) {
  HostChoices found = read(R"(
    void f() {
      cudaDeviceProp prop;
      cudaGetDeviceProperties(&prop, 0);
      int major = 0, minor = 0;
      cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0);
      RUN(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0));
      const int cc = major * 10 + minor;
      if (prop.major == 9) a();
      if (cc >= 100 && cc < 120) b();
      if (at::cuda::getCurrentDeviceProperties()->minor == 3) c();
    })");
  ASSERT_EQ(found.list.size(), 3u);
  EXPECT_EQ(known(found.list[0].outcome.may_true), "sm_90");
  EXPECT_EQ(text(found.list[1]), "cc >= 100 && cc < 120");
  EXPECT_EQ(known(found.list[1].outcome.may_true), "sm_100..sm_110");
  EXPECT_EQ(known(found.list[2].outcome.may_true), "sm_53, sm_103");
}

TEST_F(HostTest, FunctionsFieldsAndParametersOfOtherFiles) {
  HostChoices found = read(R"(
    struct Runner {
      Runner() : sm_(getVersion()) {}
      void run() { if (sm_ == 90) a(); dispatch(sm_, 3); }
      void dispatch(int version, int n) { if (version / 10 == 12) b(); if (n == 3) c(); }
      int sm_ = 0;
    };
    void g() { if (Version().first == kHopper) d(); }
  )", {R"(
    constexpr int kHopper = 9;
    int getVersion() {
      int major{-1}, minor{-1};
      cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0);
      cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0);
      return major * 10 + minor;
    }
    std::pair<int, int> Version() {
      int major, minor;
      cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0);
      cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0);
      return std::make_pair(major, minor);
    })"});
  ASSERT_EQ(found.list.size(), 3u);
  EXPECT_EQ(known(found.list[0].outcome.may_true), "sm_90");
  EXPECT_EQ(known(found.list[1].outcome.may_true), "sm_120..sm_121");
  EXPECT_EQ(known(found.list[2].outcome.may_true), "sm_90");
  EXPECT_THAT(program_.derived(), testing::IsSupersetOf({Symbol("getVersion"), Symbol("Version"), Symbol("sm_")}));
}

TEST_F(HostTest, ALambdaCalledOnTheSpotAndATuple) {
  HostChoices found = read(R"(
    void f() {
      static const std::tuple<int, int> version = [] {
        int major, minor;
        cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0);
        cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0);
        return std::make_tuple(major, minor);
      }();
      CHECK_EQ(std::get<0>(version), 10) << "needs sm_100";
    })");
  ASSERT_EQ(found.list.size(), 1u);
  EXPECT_EQ(found.list[0].kind, Kind::check);
  EXPECT_TRUE(found.list[0].raises);
  EXPECT_EQ(known(found.list[0].outcome.may_true), "sm_100..sm_107");
}

TEST_F(HostTest, WhichArmRefuses) {
  EXPECT_EQ(only("if (sm == 90) run(); else throw 1;").want, Want::yes);
  EXPECT_TRUE(only("if (sm == 90) run(); else throw 1;").raises);
  EXPECT_EQ(only("if (sm != 90) { LOG(\"no\"); throw std::runtime_error(\"no\"); } run();").want, Want::no);
  EXPECT_EQ(only("if (sm < 80) return; run();").want, Want::no);
  EXPECT_EQ(only("if (sm == 90) { a(); } else { b(); }").want, Want::either);
  EXPECT_EQ(only("if (sm == 90) { p.fast = false; }").want, Want::no);
  EXPECT_EQ(only("if (sm == 90) { run(); return; } TEST_ERROR(\"no\");").raises, true);
  EXPECT_EQ(only("auto flag = sm == 90 ? Kind::HOPPER : Kind::NONE;").want, Want::yes);
  EXPECT_EQ(only("assert(sm >= 90 && \"too old\");").kind, Kind::check);
}

TEST_F(HostTest, OnlyWhatIsLoggedIsNoGate) {
  EXPECT_TRUE(read("void f(int sm) { if (sm < 90) { printf(\"slow\"); } }").list.empty());
}

TEST_F(HostTest, WhatReturnsDoesNotReachWhatFollows) {
  HostChoices found = read(R"(
    int f(int sm) {
      if (sm == 120 || sm == 121) return 12;
      if (sm >= 100) return 10;
      if (sm == 90) return 9;
      throw 1;
    })");
  ASSERT_EQ(found.list.size(), 3u);
  EXPECT_EQ(known(found.list[1].alive & arch::known_devices()).find("sm_120"), std::string::npos);
  ASSERT_EQ(found.chains.size(), 1u);  // ifs in a row that each return
  EXPECT_EQ(found.chains[0].arms.size(), 3u);
  EXPECT_TRUE(found.chains[0].else_refuses);
}

TEST_F(HostTest, NestedTestsKnowWhoIsServedFurtherOut) {
  HostChoices found = read(R"(
    void f(int sm) {
      if (sm >= 80 && sm < 90) { CHECK(sm == 89); a(); }
      else if (sm >= 90) { b(); }
      else { throw 1; }
    })");
  ASSERT_EQ(found.list.size(), 3u);
  EXPECT_EQ(text(found.list[1]), "sm == 89");
  EXPECT_TRUE(found.list[1].elsewhere.has(arch::find_device(12, 0)->index()));
}

TEST_F(HostTest, LabelsOfASwitchAreOneChain) {
  HostChoices found = read(R"(
    void f(int sm) {
      switch (sm) {
        case 80:
        case 90: a(); break;
        case 100: { b(); break; }
        default: throw 1;
      }
    })");
  ASSERT_EQ(found.list.size(), 3u);
  EXPECT_EQ(text(found.list[1]), "case 90");
  EXPECT_EQ(found.list[1].want, Want::yes);
  EXPECT_TRUE(found.list[1].raises);
  EXPECT_EQ(found.chains[found.list[1].chain].arms.size(), 3u);
  EXPECT_TRUE(found.chains[found.list[1].chain].else_refuses);
}

TEST_F(HostTest, OperandsBesideOtherThingsAreLeavesOfTheirOwn) {
  HostChoices found = read("bool f(int sm) { return sm == 90 && ready() && other < 3; }");
  ASSERT_EQ(found.list.size(), 1u);
  EXPECT_EQ(text(found.list[0]), "sm == 90");
  EXPECT_EQ(found.list[0].position, Position::returned);
  ASSERT_NE(found.list[0].condition, kNone);
  const HostCondition& whole = found.conditions[found.list[0].condition];
  EXPECT_EQ(known(whole.outcome.may_unknown), "sm_90");
  EXPECT_FALSE(whole.outcome.may_false.has(arch::find_device(9, 0)->index()));
}

TEST_F(HostTest, FlagsAreUsesOfAnEarlierChoice) {
  HostChoices found = read("void f(int sm) { bool hopper = sm == 90; if (hopper) a(); }");
  ASSERT_EQ(found.list.size(), 2u);
  EXPECT_EQ(found.list[0].position, Position::assigned);
  EXPECT_EQ(found.list[1].kind, Kind::flag);
}

TEST_F(HostTest, WhatIsNotFollowedIsNoChoice) {
  EXPECT_TRUE(read("void f(int n) { if (n == 90) a(); if (thing.sm == 90) b(); }").list.empty());
  EXPECT_TRUE(read("__global__ void k(int sm) { if (sm == 90) a(); }").list.empty());
}

TEST_F(HostTest, BrokenTextEnds) {
  for (const char* text : {"void f(int sm) { if (sm == ", "void f(int sm) { switch (sm) { case",
                           "void f(int sm) { if (sm == 90 ? ) ; }", "void f(int sm) { x = [&](int sm) -> { }",
                           "void f(int sm) { CHECK_EQ(sm) ; CHECK(", "int f() { return f(); } void g() { if (f()) h(); }"}) {
    read(text);
  }
  EXPECT_EQ(only("if (sm == 90) run();").outcome.may_true, arch::DeviceSet::of(arch::find_device(9, 0)->index()));
}

}  // namespace
}  // namespace ungate::cuda

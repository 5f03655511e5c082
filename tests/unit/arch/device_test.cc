#include "arch/device.h"

#include <gtest/gtest.h>

#include <random>

#include "arch/load.h"

namespace ungate::arch {
namespace {

DeviceSet set(std::string_view text) { return parse_device_set(text).value(); }

TEST(Device, TableIsOrderedAndComplete) {
  for (unsigned d = 1; d < device_count(); ++d) EXPECT_LT(Device(d - 1).cc(), Device(d).cc());
  for (auto [major, minor] : {std::pair{5, 0}, {7, 5}, {8, 9}, {9, 0}, {10, 0}, {10, 3}, {11, 0}, {12, 0}, {12, 1}}) {
    EXPECT_TRUE(find_device(major, minor)) << major << '.' << minor;
  }
  EXPECT_FALSE(find_device(9, 1));
  EXPECT_EQ(find_device(10, 1), find_device(11, 0)) << "10.1 is the old name of 11.0";
  EXPECT_EQ(find_device(12, 0)->name(), "sm_120");
  EXPECT_EQ(find_device(12, 0)->cuda_arch(), 1200);
}

TEST(Device, Spellings) {
  for (const char* text : {"sm_120", "12.0", "120", "compute_120", "sm_120a", "12.0f"}) {
    EXPECT_EQ(parse_device(text), find_device(12, 0)) << text;
  }
  for (const char* text : {"", "sm_", "sm_999", "gfx942", "12", "-1.0", "12.0.0"}) {
    EXPECT_FALSE(parse_device(text)) << text;
  }
  EXPECT_EQ(parse_code_target("compute_100f")->name(), "sm_100f");
  EXPECT_FALSE(parse_code_target("sm_80a"));
  EXPECT_FALSE(parse_code_target("sm_90f"));
  EXPECT_EQ(parse_targets("sm_120, 12.1")->size(), 2u);
  EXPECT_EQ(*parse_targets("all"), known_devices());
  EXPECT_EQ(parse_targets("sm_120,sm_77").error().code, ErrorCode::unknown_target);
}

TEST(DeviceSet, FoldsRuns) {
  EXPECT_EQ(to_text(set("9.0") | set("10.0") | set("10.3") | set("10.7")), "sm_90..sm_107");
  EXPECT_EQ(to_text(set("sm_80, sm_90")), "sm_80, sm_90");
  EXPECT_EQ(to_text(set("sm_90+")), "sm_90+");
  EXPECT_TRUE(set("sm_90+").has(future().index()));
  EXPECT_EQ(to_text(all_devices()), "all");
  EXPECT_EQ(to_text(DeviceSet()), "none");
}

TEST(DeviceSet, PrintingAndParsingRoundTrip) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20'000; ++i) {
    DeviceSet s = DeviceSet(random() & random()) & all_devices();
    auto back = parse_device_set(to_text(s));
    ASSERT_TRUE(back) << to_text(s);
    ASSERT_EQ(*back, s) << to_text(s);
  }
}

TEST(CodeTarget, EveryDeviceHasItsOwn) {
  CodeTargetSet seen;
  for (unsigned d = 0; d < device_count(); ++d) {
    CodeTargetSet mine = code_targets_of(Device(d));
    EXPECT_TRUE((seen & mine).empty());
    EXPECT_EQ(devices_of(mine), DeviceSet::of(d));
    seen |= mine;
  }
  EXPECT_EQ(seen, all_code_targets());
  EXPECT_EQ(code_targets_of(*find_device(8, 0)).size(), 1u);
  EXPECT_EQ(code_targets_of(*find_device(9, 0)).size(), 2u);
  EXPECT_EQ(code_targets_of(*find_device(12, 0)).size(), 3u);
}

TEST(Load, SassRules) {
  auto on = [](const char* built) { return to_text(sass_devices(*parse_code_target(built))); };
  EXPECT_EQ(on("sm_80"), "sm_80..sm_89");
  EXPECT_EQ(on("sm_86"), "sm_86..sm_89");
  EXPECT_EQ(on("sm_90a"), "sm_90");
  EXPECT_EQ(on("sm_100"), "sm_100..sm_107");
  EXPECT_EQ(on("sm_100f"), "sm_100..sm_107");
  EXPECT_EQ(on("sm_100a"), "sm_100");
  EXPECT_EQ(on("sm_103f"), "sm_103..sm_107");
  EXPECT_EQ(on("sm_120"), "sm_120..sm_121");  // vllm-project/vllm#50925: plain sm_120 runs on 12.1
  EXPECT_EQ(on("sm_120a"), "sm_120");         // FlashInfer e2f821b8c: 120a does not load on 12.1
  EXPECT_EQ(on("sm_120f"), "sm_120..sm_121");
  EXPECT_EQ(on("sm_121a"), "sm_121");
}

TEST(Load, PtxRules) {
  auto on = [](const char* built) { return to_text(ptx_devices(*parse_code_target(built))); };
  EXPECT_EQ(on("sm_80"), "sm_80+");
  EXPECT_EQ(on("sm_90a"), "sm_90");
  EXPECT_EQ(on("sm_100f"), "sm_100..sm_107");
  EXPECT_EQ(on("sm_120f"), "sm_120..sm_121");
  EXPECT_EQ(on("sm_121f"), "sm_121");
}

}  // namespace
}  // namespace ungate::arch

#include "rules/patch_sets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"

namespace ungate::rules {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view kHead =
    "id: wider\n"
    "package: Small_Package\n"
    "versions: \">=1,<2\"\n"
    "targets: [12.0, 12.1]\n"
    "source: https://example.org/1\n"
    "title: Wider\n"
    "what: It is wider.\n";

constexpr std::string_view kMembers =
    "members:\n"
    "  - name: core\n"
    "    steps:\n"
    "      - id: list\n"
    "        gate: {path: small/build.py, form: py-major-list, in: build, expression: majors}\n"
    "      - id: stride\n"
    "        path: small/a.cu\n"
    "        replace: \"i + n\"\n"
    "        with: \"i + kMost\"\n"
    "        superseded_by: \"kMost * i\"\n";

Result<std::string> no_patches(const std::string& name) {
  return fail(ErrorCode::bad_rule, "there is no " + name);
}

Result<patch::PatchSet> load(const std::string& text, const PatchFiles& patches = no_patches) {
  return load_patch_set(text, "p.yaml", patches);
}

// What is wrong with a text: "file:line:column: what".
std::string wrong(const std::string& text, const PatchFiles& patches = no_patches) {
  auto set = load(text, patches);
  if (set) return "nothing";
  EXPECT_EQ(set.error().code, ErrorCode::bad_rule);
  return set.error().where + ": " + set.error().what;
}

std::string in_step(std::string_view lines) {
  std::string out = std::string(kHead) + "members:\n  - name: core\n    steps:\n      - id: one\n";
  for (std::string_view line : text::lines(lines)) out += "        " + std::string(line) + '\n';
  return out;
}

TEST(PatchSets, AreReadWhole) {
  auto set = load(std::string(kHead) + "modules: [one, two]\nunproved: [Nobody knows.]\n" +
                  std::string(kMembers));
  ASSERT_TRUE(set.has_value()) << to_text(set.error());
  EXPECT_EQ(set->id, "small-package/wider");
  EXPECT_EQ(set->package, "small-package");
  EXPECT_EQ(arch::to_text(set->targets), "sm_120..sm_121");
  EXPECT_THAT(set->modules, ElementsAre("one", "two"));
  EXPECT_THAT(set->unproved, ElementsAre("Nobody knows."));
  ASSERT_EQ(set->members.size(), 1u);
  const patch::Member& core = set->members[0];
  EXPECT_TRUE(core.by_default);
  EXPECT_TRUE(core.versions.contains(*package::Version::parse("1.4")));
  EXPECT_FALSE(core.versions.contains(*package::Version::parse("2.0")));
  ASSERT_EQ(core.steps.size(), 2u);
  ASSERT_TRUE(core.steps[0].gate.has_value());
  EXPECT_EQ(*core.steps[0].gate,
            (patch::GatePattern{"small/build.py", {"py-major-list"}, "build", "majors", ""}));
  EXPECT_EQ(core.steps[0].admit, set->targets);
  EXPECT_THAT(core.steps[1].edits,
              ElementsAre(patch::TextEdit{"small/a.cu", "i + n", "i + kMost"}));
  EXPECT_EQ(core.steps[1].superseded_by, "kMost * i");
  EXPECT_EQ(core.steps[1].where, "p.yaml:15:9");
}

TEST(PatchSets, MembersOfOtherPackagesSayForWhichVersions) {
  std::string other = std::string(kHead) + std::string(kMembers) +
                      "  - name: allow\n"
                      "    package: other\n"
                      "    steps: [{id: x, path: other/a.py, replace: a, with: b}]\n";
  EXPECT_EQ(wrong(other), "p.yaml:18:5: a member of another package needs 'versions'");
}

TEST(PatchSets, AMemberThatIsOffSaysWhy) {
  std::string off = std::string(kHead) + std::string(kMembers) +
                    "  - name: auto\n"
                    "    default: false\n"
                    "    needs: [core]\n"
                    "    steps: [{id: x, path: a.py, replace: a, with: b}]\n";
  EXPECT_THAT(wrong(off), HasSubstr("needs a 'reason'"));
  off.insert(off.find("    needs:"), "    reason: slower\n");
  auto set = load(off);
  ASSERT_TRUE(set.has_value()) << to_text(set.error());
  EXPECT_FALSE(set->members[1].by_default);
  EXPECT_THAT(set->members[1].needs, ElementsAre("core"));
}

TEST(PatchSets, NeedsNameMembers) {
  std::string text = std::string(kHead) + std::string(kMembers);
  text.insert(text.find("    steps:"), "    needs: [nobody]\n");
  EXPECT_EQ(wrong(text), "p.yaml:10:12: no member is called 'nobody'");
}

TEST(PatchSets, UnknownAndMissingKeysAreErrors) {
  EXPECT_THAT(wrong(std::string(kHead) + "version: 2\n" + std::string(kMembers)),
              HasSubstr("p.yaml:8:10: unknown key 'version'"));
  for (std::string key : {"id", "package", "versions", "source", "title", "what", "targets"}) {
    std::string text = std::string(kHead) + std::string(kMembers);
    std::size_t begin = text.find(key + ": "), end = text.find('\n', begin);
    text.erase(begin, end + 1 - begin);
    EXPECT_THAT(wrong(text), HasSubstr("'" + key + "'")) << key;
  }
  EXPECT_THAT(wrong(std::string(kHead)), HasSubstr("'members' is empty"));
}

TEST(PatchSets, DevicesVersionsAndPathsAreChecked) {
  auto with = [](std::string_view from, std::string_view to) {
    std::string text = std::string(kHead) + std::string(kMembers);
    return text.replace(text.find(from), from.size(), to);
  };
  EXPECT_EQ(wrong(with("12.1]", "12.7]")),
            "p.yaml:4:17: not a device: '12.7' (a compute capability, like 12.0)");
  EXPECT_THAT(wrong(with(">=1,<2", "one")), HasSubstr("p.yaml:3:11: "));
  EXPECT_THAT(wrong(with("small/a.cu", "../a.cu")),
              HasSubstr("p.yaml:14:15: a path is relative to the import root"));
  EXPECT_THAT(wrong(with("id: stride", "id: list")), HasSubstr("another step has this id"));
  EXPECT_THAT(wrong(with("id: stride", "id: a b")), HasSubstr("a name is made of"));
}

TEST(PatchSets, AStepIsAGateOrEdits) {
  EXPECT_THAT(wrong(in_step("what: nothing")), HasSubstr("a step has a 'gate', or edits"));
  EXPECT_THAT(wrong(in_step("replace: a\nwith: b")), HasSubstr("'path' is missing"));
  EXPECT_THAT(wrong(in_step("path: a.py\nreplace: a\nwith: a")),
              HasSubstr("'with' is the text that it replaces"));
  EXPECT_THAT(wrong(in_step("path: a.py\nreplace: a\nwith: b\nevery: true")),
              HasSubstr("'every' belongs to"));
  EXPECT_THAT(wrong(in_step("path: a.py\nreplace: a\nwith: b\nadmit: [12.0]")),
              HasSubstr("'admit' belongs to"));
  EXPECT_THAT(wrong(in_step("gate: {path: a.py, before: x}\nevery: true")),
              HasSubstr("exclude each other"));
  EXPECT_THAT(wrong(in_step("gate: {path: a.py}\nsplits: true")), HasSubstr("'splits' belongs to"));
  EXPECT_THAT(wrong(in_step("gate: {path: a.py}\nsuperseded_by: x")),
              HasSubstr("'superseded_by' belongs to"));
  EXPECT_THAT(wrong(in_step("gate: {path: a.py}\nadmit: [9.0]")),
              HasSubstr("that 'targets' does not name"));
  EXPECT_THAT(wrong(in_step("gate: {form: py-compare}")), HasSubstr("'path' is missing"));
}

// With both, the edits say how the gate is opened; they stand in its file unless they say
// otherwise.
TEST(PatchSets, EditsOfAGateStandInItsFile) {
  auto set =
      load(in_step("gate: {path: a.py}\nedits:\n  - {replace: a, with: b}\n  - {path: b.py, "
                   "replace: c, with: d}"));
  ASSERT_TRUE(set.has_value()) << to_text(set.error());
  EXPECT_THAT(set->members[0].steps[0].edits,
              ElementsAre(patch::TextEdit{"a.py", "a", "b"}, patch::TextEdit{"b.py", "c", "d"}));
}

TEST(PatchSets, ReadPatchFilesBesideThem) {
  PatchFiles patches = [](const std::string& name) -> Result<std::string> {
    EXPECT_EQ(name, "one.patch");
    return "--- a/s/a.py\n+++ b/s/a.py\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n";
  };
  auto set = load(in_step("patch: one.patch"), patches);
  ASSERT_TRUE(set.has_value()) << to_text(set.error());
  EXPECT_THAT(set->members[0].steps[0].edits,
              ElementsAre(patch::TextEdit{"s/a.py", "one\ntwo\n", "one\nthree\n"}));
  EXPECT_EQ(wrong(in_step("patch: none.patch")), "p.yaml:12:16: there is no none.patch");
  EXPECT_THAT(wrong(in_step("patch: ../one.patch"), patches),
              HasSubstr("lies beside the patch set"));
  PatchFiles broken = [](const std::string&) -> Result<std::string> { return "nothing"; };
  EXPECT_THAT(wrong(in_step("patch: one.patch"), broken), HasSubstr("one.patch:2: holds no hunk"));
}

}  // namespace
}  // namespace ungate::rules

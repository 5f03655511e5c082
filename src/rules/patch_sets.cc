#include "rules/patch_sets.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "package/distribution.h"
#include "rules/diff_file.h"
#include "rules/yaml.h"

namespace ungate::rules {
namespace {

using patch::Member;
using patch::PatchSet;
using patch::Step;
using patch::TextEdit;

bool is_name(std::string_view s) {
  return !s.empty() && std::ranges::all_of(s, [](char c) {
    return text::is_identifier_part(c) || c == '-' || c == '.';
  });
}

std::string name(const Yaml& node, std::string_view key) {
  std::string s = node.required(key);
  if (!s.empty() && !is_name(s))
    node[key].fail("a name is made of letters, digits, '-', '_' and '.'");
  return s;
}

// A path below an import root, as the steps name files.
std::string path_of(const Yaml& node) {
  std::string s = node.text_or("");
  if (!node.exists()) return s;
  auto parts = text::split(s, '/');
  bool plain = std::ranges::none_of(
      parts, [](std::string_view p) { return p.empty() || p == "." || p == ".."; });
  if (!plain) node.fail("a path is relative to the import root, without '.' and '..'");
  return s;
}

arch::DeviceSet devices(const Yaml& list) {
  arch::DeviceSet out;
  for (const Yaml& item : list.items()) {
    std::string s = item.text();
    if (auto device = arch::parse_device(s); device && !device->is_future())
      out |= arch::DeviceSet::of(device->index());
    else
      item.fail("not a device: '" + s + "' (a compute capability, like 12.0)");
  }
  return out;
}

package::SpecifierSet versions(const Yaml& node) {
  auto parsed = package::SpecifierSet::parse(node.text_or(""));
  if (parsed) return *parsed;
  node.fail(parsed.error().what);
  return {};
}

class Loader {
 public:
  Loader(const Yaml& root, const PatchFiles& patch_files)
      : root_(root), patch_files_(patch_files) {}

  PatchSet load(const std::string& file) {
    root_.allow({"id", "package", "versions", "targets", "source", "title", "what", "modules",
                 "unproved", "members"});
    set_.file = file;
    set_.package = package::normalised_name(root_.required("package"));
    set_.id = set_.package + '/' + name(root_, "id");
    set_.source = root_.required("source");
    set_.title = root_.required("title");
    set_.what = root_.required("what");
    set_.targets = devices(root_["targets"]);
    if (set_.targets.empty()) root_.fail("'targets' names no device");
    set_.modules = root_["modules"].texts();
    set_.unproved = root_["unproved"].texts();
    versions_ = versions(root_["versions"]);
    if (!root_["versions"].exists()) root_.fail("'versions' is missing");
    for (const Yaml& node : root_["members"].items()) set_.members.push_back(member(node));
    if (set_.members.empty()) root_.fail("'members' is empty");
    check_needs();
    return std::move(set_);
  }

 private:
  Member member(const Yaml& node) {
    node.allow({"name", "package", "versions", "default", "reason", "what", "needs", "steps"});
    Member out;
    out.name = name(node, "name");
    if (set_.find(out.name) != nullptr) node["name"].fail("another member has this name");
    bool other = node["package"].exists();
    out.package = other ? package::normalised_name(node.required("package")) : set_.package;
    if (other && !node["versions"].exists())
      node.fail("a member of another package needs 'versions'");
    out.versions = node["versions"].exists() ? versions(node["versions"]) : versions_;
    out.by_default = node["default"].boolean().value_or(true);
    out.reason = node["reason"].text_or("");
    if (!out.by_default && out.reason.empty())
      node.fail("a member that is off by default needs a 'reason'");
    out.what = node["what"].text_or("");
    out.needs = node["needs"].texts();
    for (const Yaml& s : node["steps"].items()) out.steps.push_back(step(s));
    if (out.steps.empty()) node.fail("'steps' is empty");
    return out;
  }

  Step step(const Yaml& node) {
    node.allow({"id", "what", "gate", "every", "splits", "admit", "path", "edits", "replace",
                "with", "patch", "superseded_by"});
    Step out;
    out.where = node.where();
    out.id = name(node, "id");
    if (!ids_.insert(out.id).second) node["id"].fail("another step has this id");
    out.what = node["what"].text_or("");
    out.every = node["every"].boolean().value_or(false);
    out.splits = node["splits"].boolean().value_or(false);
    out.superseded_by = node["superseded_by"].text_or("");
    if (node["gate"].exists()) out.gate = gate(node["gate"]);
    out.admit = node["admit"].exists() ? devices(node["admit"]) : set_.targets;
    if (!set_.targets.contains(out.admit))
      node["admit"].fail("admits a device that 'targets' does not name");
    edits(node, out);
    check(node, out);
    return out;
  }

  static patch::GatePattern gate(const Yaml& node) {
    node.allow({"path", "form", "in", "expression", "before"});
    patch::GatePattern out;
    if (!node["path"].exists()) node.fail("'path' is missing");
    out.path = path_of(node["path"]);
    out.forms = node["form"].texts();
    out.function = node["in"].text_or("");
    out.expression = node["expression"].text_or("");
    out.before = node["before"].text_or("");
    return out;
  }

  void edits(const Yaml& node, Step& out) {
    std::string path = node["path"].exists() ? path_of(node["path"])
                       : out.gate            ? out.gate->path
                                             : "";
    if (node["replace"].exists() || node["with"].exists()) out.edits.push_back(edit(node, path));
    for (const Yaml& e : node["edits"].items()) {
      e.allow({"path", "replace", "with"});
      out.edits.push_back(edit(e, e["path"].exists() ? path_of(e["path"]) : path));
    }
    if (!node["patch"].exists()) return;
    std::string file = node["patch"].text();
    auto text = is_name(file)
                    ? patch_files_(file)
                    : Result<std::string>(
                          fail(ErrorCode::bad_rule, "a .patch file lies beside the patch set"));
    if (!text) {
      node["patch"].fail(text.error().what);
      return;
    }
    auto read = read_diff(*text, file);
    if (!read) {
      node["patch"].fail(read.error().where + ": " + read.error().what);
      return;
    }
    // A patch set is for several releases: its hunks are found by their text alone.
    for (Hunk& hunk : *read) out.edits.push_back(std::move(hunk.edit));
  }

  static TextEdit edit(const Yaml& node, const std::string& path) {
    TextEdit out{path, node.required("replace"), node.required("with")};
    if (path.empty()) node.fail("'path' is missing");
    if (!out.replace.empty() && out.replace == out.with)
      node["with"].fail("'with' is the text that it replaces");
    return out;
  }

  static void check(const Yaml& node, const Step& step) {
    if (!step.gate && step.edits.empty())
      node.fail("a step has a 'gate', or edits: 'replace' and 'with', 'edits' or 'patch'");
    if (!step.gate && node["admit"].exists())
      node["admit"].fail("'admit' belongs to a step with a 'gate'");
    if (step.every && !step.gate) node["every"].fail("'every' belongs to a step with a 'gate'");
    if (step.every && step.gate && !step.gate->before.empty())
      node["every"].fail("'every' and 'before' exclude each other");
    if (step.splits && (!step.gate || step.edits.empty()))
      node["splits"].fail("'splits' belongs to a step with a 'gate' and edits");
    if (!step.superseded_by.empty() && step.edits.empty())
      node["superseded_by"].fail("'superseded_by' belongs to a step with edits");
  }

  void check_needs() const {
    for (const Yaml& node : root_["members"].items()) {
      for (const std::string& need : node["needs"].texts()) {
        if (set_.find(need) == nullptr) node["needs"].fail("no member is called '" + need + "'");
      }
    }
  }

  const Yaml& root_;
  const PatchFiles& patch_files_;
  PatchSet set_;
  package::SpecifierSet versions_;
  std::set<std::string> ids_;
};

}  // namespace

Result<PatchSet> load_patch_set(std::string_view text, const std::string& file,
                                const PatchFiles& patch_files) {
  auto root = Yaml::parse(text, file);
  if (!root) return std::unexpected(root.error());
  PatchSet set = Loader(*root, patch_files).load(file);
  if (auto status = root->status(); !status) return std::unexpected(status.error());
  return set;
}

}  // namespace ungate::rules

#include "gate/templates.h"

#include <algorithm>

#include "base/text.h"

namespace ungate::gate {
namespace {

using python::NodeId;
using python::NodeKind;

bool is_source(std::string_view path) {
  static constexpr std::string_view kEndings[] = {".cu", ".cuh", ".cc", ".cpp", ".h", ".hpp", ".inc", ".jinja"};
  return std::ranges::any_of(kEndings, [&](std::string_view e) { return path.ends_with(e); });
}

}  // namespace

Tests tests_around(const python::Tree& tree, const source::SourceFile& file, std::uint32_t offset) {
  Tests out;
  NodeId at = tree.root;
  while (at != 0) {
    NodeId next = 0;
    for (NodeId child : tree.children(at)) {
      if (child != 0 && tree[child].range.contains(offset)) next = child;
    }
    if (next != 0 && tree[at].kind == NodeKind::if_) {
      std::string test = text::one_line(file.text(tree[tree.child(at, 0)].range), 200);
      if (next == tree.child(at, 1)) out.insert(test);
      bool plain_else = next == tree.child(at, 2) && tree[next].kind != NodeKind::if_;
      if (plain_else) out.insert("not " + test);
    }
    at = next;
  }
  return out;
}

std::vector<Template> templates_of(const python::Evaluation& evaluation, const python::Program& program,
                                   python::ModuleId module, source::Range function) {
  std::vector<Template> out;
  for (const python::Reading& r : evaluation.readings()) {
    if (r.place.module != module || !function.contains(r.place.range)) continue;
    Tests under = tests_around(*r.tree, *program[module].file, r.place.range.begin);
    for (const std::string& path : r.paths) {
      bool known = std::ranges::any_of(out, [&](const Template& t) { return t.path == path && t.under == under; });
      if (is_source(path) && !known) out.push_back({path, under});
    }
  }
  return out;
}

}  // namespace ungate::gate

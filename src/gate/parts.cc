#include "gate/parts.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "gate/conditions.h"
#include "gate/statements.h"

namespace ungate::gate {
namespace {

using python::Choice;
using python::NodeId;
using python::NodeKind;

// Calls f for each identifier of Python text, comments left out, in lower case; stops when f says true.
template <class F>
bool any_name(std::string_view text, F&& f) {
  std::string name;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '#') {
      i = std::min(text.find('\n', i), text.size());
    } else if (!text::is_identifier_start(text[i])) {
      ++i;
    } else {
      std::size_t end = i;
      while (end < text.size() && text::is_identifier_part(text[end])) ++end;
      if (f(text::lower(text.substr(i, end - i)))) return true;
      i = end;
    }
  }
  return false;
}

bool holds_string(std::string_view text, std::string_view value) {
  for (std::size_t at = text.find(value); at != text.npos; at = text.find(value, at + 1)) {
    std::size_t end = at + value.size();
    bool quoted = at > 0 && end < text.size() && text[at - 1] == text[end];
    if (quoted && (text[end] == '"' || text[end] == '\'')) return true;
  }
  return false;
}

// `from module import …`, `import module.part`
bool imports(std::string_view statement, std::string_view module) {
  statement = text::trim(statement);
  for (std::string_view word : {"from ", "import "}) {
    if (!statement.starts_with(word)) continue;
    std::string_view rest = text::trim(statement.substr(word.size()));
    if (!rest.starts_with(module)) continue;
    rest.remove_prefix(module.size());
    if (rest.empty() || !text::is_identifier_part(rest.front())) return true;
  }
  return false;
}

bool names(std::string_view text, const PackagePart& part) {
  if (std::ranges::any_of(part.imports, [&](const std::string& m) { return imports(text, m); })) return true;
  bool valued = std::ranges::any_of(part.values, [&](const std::string& v) { return holds_string(text, v); });
  // `linear_attn_backend = "flashinfer"` is another choice by the same word.
  auto excepted = [&](const std::string& name) {
    return std::ranges::any_of(part.except, [&](const std::string& pattern) { return text::fits(pattern, name); });
  };
  if (valued && !any_name(text, excepted)) return true;
  return any_name(text, [&](const std::string& name) { return stands_for(part, name); });
}

const PackagePart* named_in(std::string_view text, const std::vector<const PackagePart*>& parts) {
  for (const PackagePart* part : parts) {
    if (names(text, *part)) return part;
  }
  return nullptr;
}

// A refusal that says what it lacks: "it needs tensor cores of sm_100 (tcgen05)".
const PackagePart* said_by(std::string_view refusal, std::vector<const PackagePart*> parts) {
  std::erase_if(parts, [](const PackagePart* part) { return !part->in_kernels; });
  return named_in(refusal, parts);
}

// "vllm/v1/attention/backends/mla/flashmla.py" -> "flashmla"
std::string_view stem_of(std::string_view path) {
  path = path.substr(path.rfind('/') + 1);
  return path.substr(0, path.rfind('.'));
}

}  // namespace

bool stands_for(const PackagePart& part, std::string_view name) {
  auto is = [&](const std::string& pattern) { return text::fits(pattern, name); };
  return std::ranges::any_of(part.names, is) && !std::ranges::any_of(part.except, is);
}

bool concerns(const PackagePart& part, arch::Device device) {
  if (part.targets.has(device.index())) return true;
  int has = device.is_future() ? 0 : device.facts().smem_block_kb;
  return part.shared_kb > 0 && has > 0 && has < part.shared_kb;
}

Parts::List Parts::parts_for(const Item& item, arch::Device device) const {
  // The package's own parts first; one of an id replaces the one that holds everywhere.
  List out;
  std::set<std::string_view> own;
  for (bool everywhere : {false, true}) {
    for (const PackageRules& package : knowledge_.packages) {
      if (everywhere != (package.folder == "*")) continue;
      if (!everywhere && (package.folder.empty() || !item.gate.path.starts_with(package.folder + '/'))) continue;
      for (const PackagePart& part : package.parts) {
        if (!everywhere) own.insert(part.id);
        else if (own.contains(part.id)) continue;
        if (concerns(part, device)) out.push_back(&part);
      }
    }
  }
  return out;
}

// True if a block does nothing but raise.
bool Parts::in_arm_refuses(const python::Tree& t, NodeId block) const {
  if (t[block].kind != NodeKind::block) return false;
  return std::ranges::all_of(t.children(block), [&](NodeId s) { return t[s].kind == NodeKind::raise; });
}

// What an arm does, however deep: its tests and what it logs only mention a part.
const PackagePart* Parts::in_arm(const python::Tree& t, NodeId id, const source::SourceFile& file, const List& parts) const {
  if (id == 0 || evaluation_.only_logs(t, id)) return nullptr;
  NodeKind k = t[id].kind;
  bool tested = k == NodeKind::if_ || k == NodeKind::while_;
  if (!tested && k != NodeKind::block && k != NodeKind::for_ && k != NodeKind::with && k != NodeKind::try_) {
    return named_in(file.text(t[id].range), parts);
  }
  for (std::size_t i = tested ? 1 : 0; i < t[id].count; ++i) {
    if (const PackagePart* part = in_arm(t, t.child(id, i), file, parts)) return part;
  }
  return nullptr;
}

// `elif is_blackwell(): return scaled_linear`: the part that the functions named in the arm lead to in any case.
const PackagePart* Parts::behind(const Item& item, const List& parts) const {
  const Choice& c = item.choice;
  if (c.tree == nullptr) return nullptr;
  const python::Tree& t = *c.tree;
  for (NodeId statement : simple_statements(t, c.serves)) {
    for (const python::Place& function : functions_named(t, statement, c.place.module, evaluation_)) {
      if (const PackagePart* part = in_function(function, parts)) return part;
    }
  }
  return nullptr;
}

// `@supported([100, 120]) def check(): …` and `@requires(common_check=check) def op(): …`: the part that op leads to
// in any case.
const PackagePart* Parts::checked_by(std::string_view check, python::ModuleId module, const List& parts) const {
  for (const python::Place& function : functions_checked_by(check, module, program_)) {
    if (const PackagePart* part = in_function(function, parts)) return part;
  }
  return nullptr;
}

const PackagePart* Parts::in_function(const python::Place& function, const List& parts) const {
  const python::Tree& t = program_.parse_range(function.module, function.range);
  const source::SourceFile& file = *program_[function.module].file;
  for (NodeId statement : simple_statements(t, body_of_function(t))) {
    if (const PackagePart* found = named_in(file.text(t[statement].range), parts)) return found;
  }
  return nullptr;
}

// `assert cc in [9, 10]` and, further down, `if cc == 9: kernel = ForSm90() elif cc == 10: kernel = ForSm100()`:
// what goes on after the refusal tells the same devices apart, and every arm leads to a part.
const PackagePart* Parts::behind_exit(const Item& item, const source::SourceFile& file, const List& parts) const {
  const Choice& c = item.choice;
  const python::Tree& t = *c.tree;
  std::set<std::string> asked;
  any_name(file.text(c.place.range), [&](const std::string& name) {
    if (name.size() > 3) asked.insert(name);
    return false;
  });
  auto asks_again = [&](NodeId test) {
    return any_name(file.text(t[test].range), [&](const std::string& name) { return asked.contains(name); });
  };
  const PackagePart* found = nullptr;
  for (NodeId id = 1; id < t.nodes.size(); ++id) {
    bool later = t[id].kind == NodeKind::if_ && t[id].op == 0 && t[id].range.begin > c.place.range.end;
    if (!later || !asks_again(t.child(id, 0))) continue;
    const PackagePart* first = nullptr;
    bool all = true;
    NodeId arm = id;
    std::size_t arms = 0;
    for (; arm != 0 && t[arm].kind == NodeKind::if_ && asks_again(t.child(arm, 0)); arm = t.child(arm, 2)) {
      const PackagePart* part = in_arm(t, t.child(arm, 1), file, parts);
      all = all && part != nullptr && part->verdict == Verdict::capability;
      if (first == nullptr) first = part;
      ++arms;
    }
    bool closed = arm == 0 ? arms > 1 : in_arm_refuses(t, arm);   // nothing else serves the rest
    if (all && closed && found == nullptr) found = first;
  }
  return found;
}

// `if not is_sm100(): raise` and what follows it in its block: what it does without asking, or in every arm of a
// test that does not refuse in its turn.
const PackagePart* Parts::after_refusal(const Item& item, const source::SourceFile& file, const List& parts) const {
  const python::Tree& t = *item.choice.tree;
  NodeId block = block_around(t, item.choice.place.range);
  if (block == 0) return nullptr;
  for (NodeId statement : t.children(block)) {
    if (t[statement].range.begin < item.choice.place.range.end) continue;
    if (t[statement].kind != NodeKind::if_) {
      bool simple = t[statement].kind == NodeKind::assign || t[statement].kind == NodeKind::return_ || t[statement].kind == NodeKind::expression;
      if (const PackagePart* part = simple && !evaluation_.only_logs(t, statement) ? named_in(file.text(t[statement].range), parts) : nullptr) return part;
      continue;
    }
    ServingArms arms = serving_arms(t, statement);
    const PackagePart* first = nullptr;
    bool all = arms.has_else || arms.last_refuses;
    for (NodeId arm : arms.blocks) {
      const PackagePart* part = in_arm(t, arm, file, parts);
      all = all && part != nullptr;
      if (first == nullptr) first = part;
    }
    if (all && first != nullptr) return first;
  }
  return nullptr;
}

const PackagePart* Parts::find(const Item& item, const Admission& admission, arch::Device device, Within within) const {
  auto parts = parts_for(item, device);
  if (parts.empty() || !item.is_python()) return nullptr;
  const Choice& c = item.choice;
  const source::SourceFile& file = *program_[c.place.module].file;
  NodeId around = conjunction_around(*c.tree, c.place.range);
  std::string conjunction = around == 0 ? "" : text::one_line(file.text((*c.tree)[around].range), 400);
  for (const PackagePart* part : parts) {
    auto whole = [&](const std::string& pattern) { return text::fits(pattern, item.gate.expression) || text::fits(pattern, conjunction); };
    if (std::ranges::any_of(part->expressions, whole)) return part;
  }
  auto named_at = [&](NodeId node) { return node == 0 ? nullptr : named_in(file.text((*c.tree)[node].range), parts); };
  // `if backend == "triton" and not is_sm100(): raise`: that the part runs elsewhere is no answer to why it is refused.
  List asked = parts;
  if (c.refusal == python::Refusal::raises) std::erase_if(asked, [](const PackagePart* part) { return part->verdict == Verdict::policy; });
  for (source::Range range : {c.place.range, (*c.tree)[around].range, (*c.tree)[condition_around(*c.tree, c.place.range)].range}) {
    if (const PackagePart* part = named_in(file.text(range), asked)) return part;
  }
  if (c.position == Choice::Position::assigned) {
    if (const PackagePart* part = named_at(assigned_at(*c.tree, c.place.range))) return part;
  }
  // `if backend == "trtllm": if not is_sm100(): raise`
  bool refines = c.refusal == python::Refusal::raises && c.serves == 0;
  std::string_view tested = file.text((*c.tree)[test_around(*c.tree, c.place.range)].range);
  if (within == Within::arm) {
    // What stands deeper in the arm has gates of its own.
    for (NodeId statement : simple_statements(*c.tree, c.serves)) {
      if (const PackagePart* part = named_at(statement)) return part;
    }
    if (const PackagePart* part = behind(item, parts)) return part;
    if (refines) return named_in(tested, asked);
    bool predicate = c.position == Choice::Position::returned || c.refusal == python::Refusal::returns;
    return predicate ? named_in(item.gate.enclosing, parts) : nullptr;
  }
  if (const PackagePart* part = in_arm(*c.tree, c.serves, file, parts)) return part;
  if (const PackagePart* part = behind(item, parts)) return part;
  if (const PackagePart* part = refines ? named_in(tested, asked) : nullptr) return part;
  // An arm that takes the target out of what all others get: that is in the other arms.
  if (admission.exception) {
    if (const PackagePart* part = named_in(file.text(evaluation_.chains()[c.chain].place.range), parts)) return part;
  }
  if (const PackagePart* part = named_in(item.gate.enclosing, parts)) return part;
  if (c.sink != nullptr && c.sink->decorator) {
    if (const PackagePart* part = checked_by(c.function.text(), c.place.module, parts)) return part;
  }
  if (const PackagePart* part = said_by(c.raise_text.text(), parts)) return part;
  if (const PackagePart* part = named_in(stem_of(item.gate.path), parts)) return part;
  if (const PackagePart* part = refines ? behind_exit(item, file, parts) : nullptr) return part;
  bool shut = refines && c.sink == nullptr && admission.admits == Admits::no;
  if (const PackagePart* part = shut ? after_refusal(item, file, asked) : nullptr) return part;
  return item.served.empty() ? nullptr : named_in(file.text(item.served), parts);
}

}  // namespace ungate::gate

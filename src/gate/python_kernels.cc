#include "gate/python_kernels.h"

#include <algorithm>

#include <fmt/core.h>

#include "base/text.h"
#include "gate/conditions.h"
#include "gate/evidence.h"
#include "gate/parts.h"
#include "gate/statements.h"
#include "python/meaning.h"
#include "value/operators.h"

namespace ungate::gate {
namespace {

using python::Choice;
using python::Constant;
using python::NodeId;
using python::NodeKind;
using python::Tree;

constexpr int kDeepest = 6;   // definitions from a gate to a kernel

// A text that stands by itself.
bool is_prose(const Tree& t, NodeId id) { return t[id].kind == NodeKind::expression && t[t.child(id, 0)].kind == NodeKind::constant; }

bool is_decision(NodeKind kind) { return kind == NodeKind::if_ || kind == NodeKind::conditional || kind == NodeKind::match; }

// `if key not in cache:`, `if kernel is None:`: it happens the first time.
bool makes_once(const Tree& t, NodeId test) {
  if (t[test].kind != NodeKind::compare || t[test].count != 2) return false;
  auto op = static_cast<value::Comparison>(t.operators(test)[0]);
  const python::Node& right = t[t.child(test, 1)];
  bool none = right.kind == NodeKind::constant && static_cast<Constant>(right.op) == Constant::none;
  return op == value::Comparison::not_in || (op == value::Comparison::is && none);
}

// The definition that a range, with its decorators, is of; 0 if the tree does not hold it.
NodeId definition_at(const Tree& t, source::Range range) {
  NodeId out = 0;   // what it ends with may end there, too
  for (NodeId id = 1; id < t.nodes.size(); ++id) {
    bool defines = t[id].kind == NodeKind::function || t[id].kind == NodeKind::klass;
    bool here = defines && range.contains(t[id].range) && t[id].range.end == range.end;
    if (here && (out == 0 || t[id].range.begin < t[out].range.begin)) out = id;
  }
  return out;
}

// Calls f for the nodes below one that are there whatever is decided; stops when f says true.
template <class F>
bool any_undecided(const Tree& t, NodeId id, F&& f) {
  if (id == 0 || is_decision(t[id].kind) || is_prose(t, id)) return false;
  if (f(id)) return true;
  return std::ranges::any_of(t.children(id), [&](NodeId child) { return any_undecided(t, child, f); });
}

// Words of inline assembly that look like mnemonics.
template <class F>
bool any_mnemonic(std::string_view text, F&& f) {
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = text.find_first_of(" \t\n;{}@", i);
    end = std::min(end, text.size());
    std::string_view word = text.substr(i, end - i);
    if (word.find('.') != word.npos && text::is_identifier_start(word[0]) && f(word)) return true;
    i = end + 1;
  }
  return false;
}

}  // namespace

// A decorator in it makes a kernel of a function.
bool PythonKernels::is_kernel(const Place& p, NodeId definition) const {
  const Tree& t = p.tree;
  const source::SourceFile& file = *program_[p.module].file;
  for (NodeId id = 1; id < t.nodes.size(); ++id) {
    if (t[id].kind != NodeKind::function || !t[definition].range.contains(t[id].range)) continue;
    for (NodeId node : python::decorators_of(t, id)) {
      std::string_view decorator = file.text(t[node].range);
      decorator = decorator.substr(0, decorator.find('('));
      for (const PackageRules& package : knowledge_.packages) {
        if (std::ranges::any_of(package.kernel_decorators, [&](const std::string& d) { return text::fits(d, decorator); })) return true;
      }
    }
  }
  return false;
}

PythonKernels::Found PythonKernels::in_kernel(const Place& p, NodeId kernel) const {
  const Tree& t = p.tree;
  const source::SourceFile& file = *program_[p.module].file;
  Found out;
  auto say = [&](NodeId id, std::string_view what, const std::string& why) {
    out = Evidence{fmt::format("it leads to {}, which is written with {}: {}", t[kernel].name.text(), what, why), file.at(t[id].range.begin)};
    return true;
  };
  auto lacks = [&](NodeId id) {
    NodeKind kind = t[id].kind;
    if (kind == NodeKind::name || kind == NodeKind::attribute) {
      std::string name = text::lower(t[id].name.text());
      for (const PackageRules& package : knowledge_.packages) {
        for (const PackagePart& part : package.parts) {
          if (part.in_kernels && concerns(part, p.device) && stands_for(part, name)) return say(id, t[id].name.text(), part.text);
        }
      }
    } else if (kind == NodeKind::constant && static_cast<Constant>(t[id].op) == Constant::string) {
      return any_mnemonic(t[id].name.text(), [&](std::string_view word) {
        for (const Feature& f : knowledge_.features) {
          bool lacking = (f.targets & arch::code_targets_of(p.device)).empty();
          if (lacking && has_mnemonic(f, word)) return say(id, word, fmt::format("{} is on no code target of {}", f.name, p.device.name()));
        }
        return false;
      });
    }
    return false;
  };
  for (NodeId part : t.children(kernel)) {
    if (any_undecided(t, part, lacks)) return out;
  }
  return out;
}

PythonKernels::Found PythonKernels::in_definition(const Place& p, NodeId definition) {
  std::tuple key{p.module, p.tree[definition].range.begin, p.device.index()};
  auto [entry, fresh] = known_.try_emplace(key);
  if (!fresh || p.depth > kDeepest) return entry->second;
  Found found;
  if (auto modules = in_modules_(p.module, p.tree[definition].range, p.device); !modules.empty()) found = modules.front();
  else if (is_kernel(p, definition)) found = in_kernel(p, definition);
  else if (p.tree[definition].kind == NodeKind::function) found = in_block(p, p.tree.child(definition, 2));
  return known_[key] = found;
}

// The functions and classes that an expression or statement names.
PythonKernels::Found PythonKernels::in_names(const Place& p, NodeId node) {
  Found out;
  any_undecided(p.tree, node, [&](NodeId id) {
    NodeKind kind = p.tree[id].kind;
    if (kind != NodeKind::name && kind != NodeKind::attribute) return false;
    auto meaning = python::meaning_at(program_, p.tree, p.module, id);
    if (!meaning || meaning->kind == python::Meaning::Kind::module) return false;
    // One within the function at hand may name what that one holds.
    NodeId here = meaning->module == p.module ? definition_at(p.tree, meaning->range) : 0;
    const Tree& tree = here != 0 ? p.tree : program_.parse_range(meaning->module, meaning->range);
    if (here == 0) here = definition_at(tree, meaning->range);
    if (here != 0) out = in_definition({tree, meaning->module, p.device, p.depth + 1}, here);
    return out.has_value();
  });
  return out;
}

// An `if` whose every arm that does not refuse leads to one.
PythonKernels::Found PythonKernels::in_arms(const Place& p, NodeId chain) {
  ServingArms arms = serving_arms(p.tree, chain);
  if (!arms.has_else) return std::nullopt;   // no arm is taken by what no test takes
  Found first;
  for (NodeId block : arms.blocks) {
    Found found = in_block(p, block);
    if (!found) return std::nullopt;
    if (!first) first = found;
  }
  return first;
}

PythonKernels::Found PythonKernels::in_statement(const Place& p, NodeId id, std::uint32_t from) {
  const Tree& t = p.tree;
  switch (t[id].kind) {
    case NodeKind::expression: case NodeKind::assign: case NodeKind::annotated: case NodeKind::return_:
      return in_names(p, id);
    case NodeKind::if_:
      if (makes_once(t, t.child(id, 0)) && t.child(id, 2) == 0) return in_block(p, t.child(id, 1), from);
      return in_arms(p, id);
    case NodeKind::with: case NodeKind::try_:
      return in_block(p, t.child(id, 0), from);
    case NodeKind::for_:
      return in_block(p, t.child(id, 2), from);
    default:
      return std::nullopt;
  }
}

// Statements that begin behind `from`.
PythonKernels::Found PythonKernels::in_block(const Place& p, NodeId block, std::uint32_t from) {
  if (block == 0 || p.tree[block].kind != NodeKind::block) return std::nullopt;
  for (NodeId statement : p.tree.children(block)) {
    if (p.tree[statement].range.begin < from) continue;
    if (Found found = in_statement(p, statement, from)) return found;
  }
  return std::nullopt;
}

std::vector<Evidence> PythonKernels::lacking(const Item& item, arch::Device device) {
  const Choice& c = item.choice;
  if (!item.is_python() || c.tree == nullptr) return {};
  const Tree& t = *c.tree;
  Place p{t, c.place.module, device, 0};
  Found found;
  if (c.sink != nullptr) {
    // What stands in a decorator is said of the function below it.
    for (NodeId id = 1; id < t.nodes.size() && !found; ++id) {
      if (t[id].kind != NodeKind::function) continue;
      auto decorators = python::decorators_of(t, id);
      bool decorates = std::ranges::any_of(decorators, [&](NodeId d) { return t[d].range.contains(c.place.range); });
      if (decorates) found = in_block(p, t.child(id, 2));
    }
  } else if (c.position == Choice::Position::condition) {
    if (c.serves != 0) found = t[c.serves].kind == NodeKind::block ? in_block(p, c.serves) : in_names(p, c.serves);
    else found = in_block(p, block_around(t, c.place.range), c.place.range.end);   // `if not fits(cc): raise …` and what follows it
  }
  if (!found) return {};
  return {*found};
}

}  // namespace ungate::gate

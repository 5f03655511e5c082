#include "gate/forward.h"

#include <algorithm>

#include "gate/statements.h"

namespace ungate::gate {
namespace {

using python::Choice;
using python::NodeId;
using python::NodeKind;
using python::Place;
using python::Tree;

constexpr int kDeepest = 6;   // calls from a gate to a builder

}  // namespace

Forward::Forward(python::Program& program, python::Evaluation& evaluation, const std::vector<JitModule>& modules)
    : program_(program), evaluation_(evaluation) {
  for (std::size_t m = 0; m < modules.size(); ++m) {
    builders_[{modules[m].builder.module, modules[m].builder.range.begin}].insert(m);
  }
}

const Forward::Modules& Forward::of_function(const Place& function, int depth) {
  std::pair key{function.module, function.range.begin};
  auto [entry, fresh] = functions_.try_emplace(key);
  if (!fresh) return entry->second;
  if (auto builds = builders_.find(key); builds != builders_.end()) return entry->second = builds->second;
  if (depth >= kDeepest) return entry->second;
  const Tree& t = program_.parse_range(function.module, function.range);
  Modules found;
  for (NodeId statement : simple_statements(t, body_of_function(t))) of_statement(t, statement, function.module, depth + 1, found);
  return functions_[key] = std::move(found);
}

void Forward::of_statement(const Tree& t, NodeId statement, python::ModuleId module, int depth, Modules& out) {
  std::vector<Place> functions = functions_named(t, statement, module, evaluation_);
  std::ranges::copy(functions_imported_here(t, statement, module, program_), std::back_inserter(functions));
  for (const Place& function : functions) {
    const Modules& found = of_function(function, depth);
    out.insert(found.begin(), found.end());
  }
}

// `if not fits(cc): return …` and what follows.
void Forward::of_rest(const Item& item, Modules& out) {
  const Tree& t = *item.choice.tree;
  for (NodeId block = 1; block < t.nodes.size(); ++block) {
    if (t[block].kind != NodeKind::block || !t[block].range.contains(item.choice.place.range)) continue;
    for (NodeId statement : simple_statements(t, block)) {
      if (t[statement].range.begin > item.choice.place.range.end) of_statement(t, statement, item.choice.place.module, 0, out);
    }
  }
}

// The function that a check decorates itself, and those that are given it.
void Forward::of_checked(const Item& item, Modules& out) {
  python::ModuleId module = item.choice.place.module;
  std::vector<Place> functions = functions_checked_by(item.choice.function.text(), module, program_);
  for (const python::Statement& s : program_[module].outline->statements()) {
    if (s.kind == python::LineKind::function && s.range.contains(item.choice.place.range)) functions.push_back({module, s.range});
  }
  for (const Place& function : functions) {
    const Modules& found = of_function(function, 0);
    out.insert(found.begin(), found.end());
  }
}

std::set<std::size_t> Forward::from(const Item& item) {
  Modules out;
  const Choice& c = item.choice;
  if (!item.is_python() || c.tree == nullptr) return out;
  if (c.sink != nullptr) {
    if (c.sink->decorator) of_checked(item, out);
    return out;
  }
  if (c.position != Choice::Position::condition) return out;
  for (NodeId statement : simple_statements(*c.tree, c.serves)) of_statement(*c.tree, statement, c.place.module, 0, out);
  if (c.serves == 0 && c.want == python::Want::no) of_rest(item, out);
  return out;
}

}  // namespace ungate::gate

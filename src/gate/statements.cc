#include "gate/statements.h"

#include <algorithm>

#include "python/meaning.h"

namespace ungate::gate {

using python::NodeId;
using python::NodeKind;
using python::Tree;

namespace {

bool is_simple(const Tree& t, NodeId id) {
  NodeKind k = t[id].kind;
  if (k == NodeKind::expression) return t[t.child(id, 0)].kind != NodeKind::constant;
  return k == NodeKind::assign || k == NodeKind::annotated || k == NodeKind::return_;
}

}  // namespace

std::vector<NodeId> simple_statements(const Tree& t, NodeId block) {
  std::vector<NodeId> out;
  if (block == 0 || t[block].kind != NodeKind::block) return out;
  for (NodeId id : t.children(block)) {
    if (is_simple(t, id)) out.push_back(id);
  }
  return out;
}

bool refuses(const Tree& t, NodeId block) {
  return block != 0 && t[block].kind == NodeKind::block && std::ranges::any_of(t.children(block), [&](NodeId s) { return t[s].kind == NodeKind::raise; });
}

ServingArms serving_arms(const Tree& t, NodeId chain) {
  ServingArms out;
  for (NodeId arm = chain; arm != 0;) {
    bool test = t[arm].kind == NodeKind::if_;
    NodeId block = test ? t.child(arm, 1) : arm;
    out.last_refuses = refuses(t, block);
    if (!out.last_refuses) out.blocks.push_back(block);
    out.has_else = !test;
    arm = test ? t.child(arm, 2) : 0;
  }
  return out;
}

NodeId body_of_function(const Tree& t) {
  // Functions inside it come before it.
  NodeId outermost = 0, body = 0;
  for (NodeId id = 1; id < t.nodes.size(); ++id) {
    bool wider = outermost == 0 || t[id].range.size() > t[outermost].range.size();
    if (t[id].kind == NodeKind::function && wider) outermost = id;
  }
  if (outermost == 0) return 0;
  for (NodeId part : t.children(outermost)) {
    if (t[part].kind == NodeKind::block) body = part;
  }
  return body;
}

std::vector<python::Place> functions_named(const Tree& t, NodeId statement, python::ModuleId module,
                                           python::Evaluation& evaluation) {
  std::vector<python::Place> out;
  for (NodeId id = 1; id < t.nodes.size(); ++id) {
    if (!t[statement].range.contains(t[id].range)) continue;
    std::optional<python::Place> function;
    if (t[id].kind == NodeKind::name && t[id].number == 0) {
      function = evaluation.definition(module, t[id].name);
    } else if (t[id].kind == NodeKind::attribute && t[t.child(id, 0)].kind == NodeKind::name) {
      function = evaluation.attribute_definition(module, t[t.child(id, 0)].name, t[id].name);
    }
    if (function) out.push_back(*function);
  }
  return out;
}

std::vector<python::Place> functions_imported_here(const Tree& t, NodeId statement, python::ModuleId module, python::Program& program) {
  std::vector<python::Place> out;
  for (NodeId id = 1; id < t.nodes.size(); ++id) {
    bool local = t[id].kind == NodeKind::name && t[id].number != 0 && t[statement].range.contains(t[id].range);
    if (!local) continue;
    auto meaning = python::meaning_at(program, t, module, id);
    if (meaning && meaning->kind == python::Meaning::Kind::function) out.push_back({meaning->module, meaning->range});
  }
  return out;
}

std::vector<python::Place> functions_checked_by(std::string_view check, python::ModuleId module,
                                                const python::Program& program) {
  std::vector<python::Place> out;
  const source::SourceFile& file = *program[module].file;
  const std::string argument = '=' + std::string(check);
  for (const python::Statement& s : program[module].outline->statements()) {
    if (s.kind != python::LineKind::function) continue;
    std::string_view text = file.text(s.range);
    if (text.substr(0, text.find("\ndef ")).find(argument) != text.npos) out.push_back({module, s.range});
  }
  return out;
}

}  // namespace ungate::gate

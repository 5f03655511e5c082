#include "gate/links.h"

#include <algorithm>
#include <functional>

#include <fmt/core.h>

#include "base/text.h"
#include "gate/conditions.h"
#include "gate/forward.h"

namespace ungate::gate {
namespace {

using python::Choice;
using python::NodeKind;
using python::Routine;

constexpr std::size_t kFarthest = 10;    // calls from a gate to a builder
constexpr std::size_t kMostRoutines = 400;

// The function of a routine that a builder's description stands in.
Routine routine_of(const JitModule& m) {
  std::string_view name = m.builder_name.text();
  name = name.substr(name.rfind('.') + 1);
  return {m.builder.module, Symbol(name), m.builder_name, m.builder.range, name.size() != m.builder_name.text().size()};
}

}  // namespace

Route route_to(const JitModule& module, const python::Program& program, python::Callers& callers) {
  Route out{{{routine_of(module), 0, {}, 0}}, {}};
  auto& steps = out.steps;
  std::set<Routine> seen{steps[0].routine};
  for (std::size_t at = 0; at < steps.size() && steps.size() < kMostRoutines; ++at) {
    if (steps[at].depth >= kFarthest) continue;
    for (const python::CallSite& site : callers.of(steps[at].routine)) {
      const source::SourceFile& file = *program[site.in.module].file;
      const char* how = site.confidence == python::Confidence::exact ? "" : " (by its unique name)";
      Evidence edge{fmt::format("{} calls {}{}", site.in.name.empty() ? "the module" : site.in.qualname.text(), steps[at].routine.qualname.text(), how),
                    file.at(site.range.begin)};
      out.calls.push_back({site, at, edge});
      if (!site.in.name.empty() && seen.insert(site.in).second) steps.push_back({site.in, at, edge, steps[at].depth + 1});
    }
  }
  return out;
}

// The text that the outcome which serves leads into: the gate's arm, or, for an early exit, what follows it
// in the function.
void Links::find_served() {
  for (ItemId i = 0; i < items_.size(); ++i) {
    const Choice& c = items_[i].choice;
    if (!items_[i].is_python()) continue;
    source::Range range;
    if (c.position == Choice::Position::condition && c.serves != 0) {
      range = (*c.tree)[c.serves].range;
    } else if (c.position == Choice::Position::condition && c.want == python::Want::no) {
      Routine mine = callers_.around(c.place.module, c.place.range.begin);
      if (!mine.range.empty()) range = {c.place.range.end, mine.range.end};
    }
    items_[i].served = range;
    if (!range.empty()) served_[c.place.module].push_back({range, i});
  }
}

template <class F>
void Links::each_serving(python::ModuleId module, std::uint32_t offset, F&& f) {
  for (const auto& [range, item] : served_[module]) {
    if (range.contains(offset)) f(items_[item]);
  }
}

void Links::hold_builders() {
  for (std::size_t m = 0; m < modules_.size(); ++m) {
    const JitModule& module = modules_[m];
    for (Item& item : items_) {
      if (!item.is_python() || item.choice.place.module != module.builder.module) continue;
      if (module.builder.range.contains(item.choice.place.range)) item.holds.insert(m);
    }
  }
}

// A gate whose arm holds one of a route's calls leads to the module.
void Links::lead_to(std::size_t m, const Route& route) {
  for (const Route::Call& call : route.calls) {
    each_serving(call.site.in.module, call.site.range.begin, [&](Item& item) {
      if (!item.reaches.insert(m).second) return;
      item.path.push_back(call.edge);
      for (std::size_t s = call.step; s != 0; s = route.steps[s].from) item.path.push_back(route.steps[s].edge);
    });
  }
}

void Links::lead_forwards() {
  Forward forward(in_.program, in_.evaluation, modules_);
  for (Item& item : items_) {
    bool closed = std::ranges::any_of(item.admissions, [](const Admission& a) { return a.admits == Admits::no; });
    if (!item.is_python() || !closed || !item.reaches.empty() || is_ahead(item)) continue;
    item.reaches = forward.from(item);
    item.forwards = !item.reaches.empty();
  }
}

// A gate at whose place a flag or helper is used repeats the gates that stand in that flag's or helper's
// definition.
void Links::use_definitions() {
  std::map<python::ModuleId, std::vector<ItemId>> by_module;
  for (ItemId i = 0; i < items_.size(); ++i) {
    if (items_[i].is_python()) by_module[items_[i].choice.place.module].push_back(i);
  }
  for (ItemId u = 0; u < items_.size(); ++u) {
    for (const python::Place& via : items_[u].choice.via) {
      for (ItemId d : by_module[via.module]) {
        const Choice& c = items_[d].choice;
        bool defines = d != u && via.range.contains(c.place.range);
        // A predicate on the device's own facts is a fact, not a decision: what it means stands at its uses. How
        // much shared memory is asked for is a decision.
        bool predicate = c.position == Choice::Position::returned && c.kind == Choice::Kind::compare && c.asked_bytes == 0;
        bool answers = !predicate && (c.position == Choice::Position::returned || c.position == Choice::Position::assigned);
        if (defines && answers) items_[u].uses.insert(d);
        bool refuses = c.position == Choice::Position::condition && (c.refusal == python::Refusal::returns || c.refusal == python::Refusal::raises);
        if (defines && (refuses || c.kind == Choice::Kind::refusing_call)) items_[u].answered_by.insert(d);
        // `fused = layer.should_fuse(batch)` and `if fused:`: the variable holds the answer.
        python::NodeId target = c.position == Choice::Position::assigned ? assigned_at(*c.tree, c.place.range) : 0;
        if (target != 0 && d != u && (*c.tree)[target].range.contains(via.range)) items_[u].answered_by.insert(d);
      }
    }
  }
}

void Links::note_askers() {
  for (Item& item : items_) {
    item.asks_elsewhere = !item.uses.empty() && std::ranges::all_of(item.uses, [&](ItemId d) {
      return items_[d].choice.place.module != item.choice.place.module;
    });
  }
}

// What a use leads to, the flag or helper leads to as well.
void Links::inherit() {
  for (bool changed = true; changed;) {
    changed = false;
    for (Item& use : items_) {
      for (ItemId d : use.uses) {
        Item& definition = items_[d];
        std::size_t before = definition.reaches.size();
        definition.reaches.insert(use.reaches.begin(), use.reaches.end());
        if (definition.reaches.size() != before) {
          changed = true;
          definition.forwards = definition.forwards || (before == 0 && use.forwards);
        }
        if (definition.path.empty() && !use.path.empty()) {
          definition.path = use.path;
          definition.path.insert(definition.path.begin(), {"used at " + use.gate.expression, fmt::format("{}:{}", use.gate.path, use.gate.begin.line)});
        }
      }
    }
  }
}

namespace {

// The names that an arm sets to something but False or None: `self.enable_x = True`.
void settings_of(const python::Tree& t, python::NodeId id, std::set<Symbol>& out) {
  const python::Node& n = t[id];
  if (n.kind == NodeKind::function || n.kind == NodeKind::klass || n.kind == NodeKind::lambda) return;
  if (n.kind == NodeKind::assign && n.count == 2) {
    python::NodeId target = t.child(id, 0), value = t.child(id, 1);
    bool on = t[value].kind == NodeKind::constant && t[value].op == static_cast<std::uint8_t>(python::Constant::true_);
    if (on && t[target].kind == NodeKind::attribute) out.insert(t[target].name);
  }
  for (python::NodeId child : t.children(id)) settings_of(t, child, out);
}

void attributes_of(const python::Tree& t, python::NodeId id, std::set<Symbol>& out) {
  if (t[id].kind == NodeKind::attribute) out.insert(t[id].name);
  for (python::NodeId child : t.children(id)) attributes_of(t, child, out);
}

void called_names(const python::Tree& t, python::NodeId id, std::set<Symbol>& out) {
  if (t[id].kind == NodeKind::call) out.insert(t[t.child(id, 0)].name);
  for (python::NodeId child : t.children(id)) called_names(t, child, out);
}

}  // namespace

// One gate's arm sets a flag that another gate's condition asks for beside its own test: switching the
// first on needs the second.
void Links::switch_on() {
  std::map<Symbol, std::vector<ItemId>> readers;
  for (ItemId i = 0; i < items_.size(); ++i) {
    const Choice& c = items_[i].choice;
    if (!items_[i].is_python() || items_[i].reaches.empty() || c.tree == nullptr) continue;
    python::NodeId whole = condition_around(*c.tree, c.place.range);
    if (whole == 0) continue;
    std::set<Symbol> names;
    attributes_of(*c.tree, whole, names);
    for (Symbol name : names) readers[name].push_back(i);
  }
  for (ItemId i = 0; i < items_.size(); ++i) {
    const Choice& c = items_[i].choice;
    if (!items_[i].is_python() || c.serves == 0) continue;
    std::set<Symbol> names;
    settings_of(*c.tree, c.serves, names);
    for (Symbol name : names) {
      auto found = readers.find(name);
      if (found == readers.end()) continue;
      for (ItemId reader : found->second) {
        if (reader == i) continue;
        items_[i].needs.insert(reader);
        items_[i].reaches.insert(items_[reader].reaches.begin(), items_[reader].reaches.end());
        if (items_[i].path.empty()) {
          items_[i].path.push_back({fmt::format("sets {}, which is asked for there", name.text()),
                                    fmt::format("{}:{}", items_[reader].gate.path, items_[reader].gate.begin.line)});
        }
      }
    }
  }
}

// A block that builds ahead of time builds all of its modules: what stands beside one that a gate leads
// to is led to as well.
void Links::add_siblings() {
  std::map<Symbol, std::vector<std::size_t>> builders;
  for (std::size_t m = 0; m < modules_.size(); ++m) builders[routine_of(modules_[m]).name].push_back(m);
  for (Item& item : items_) {
    const Choice& c = item.choice;
    if (!item.is_python() || c.serves == 0 || !is_ahead(item)) continue;
    std::set<Symbol> names;
    called_names(*c.tree, c.serves, names);
    for (Symbol name : names) {
      auto found = builders.find(name);
      if (found != builders.end()) item.reaches.insert(found->second.begin(), found->second.end());
    }
  }
}

bool Links::is_ahead(const Item& item) const {
  std::string_view module = in_.program[item.choice.place.module].name.text();
  return std::ranges::any_of(in_.knowledge.packages, [&](const PackageRules& p) {
    return std::ranges::find(p.aot_modules, module) != p.aot_modules.end();
  });
}

void Links::draw() {
  find_served();
  hold_builders();
  use_definitions();
  note_askers();
  for (const auto& [m, route] : routes_) lead_to(m, route);
  lead_forwards();
  add_siblings();
  inherit();
  switch_on();
  need();
}

// What shuts a target out of a module: its builder's list, and conditions in its units. Whoever leads to
// the module needs the list, and the list needs what would make a kernel empty or racy.
void Links::need() {
  for (std::size_t m = 0; m < modules_.size(); ++m) {
    std::vector<ItemId> lists, guards;
    for (ItemId i = 0; i < items_.size(); ++i) {
      if (!items_[i].holds.contains(m)) continue;
      if (items_[i].is_guard()) guards.push_back(i);
      else if (items_[i].is_python() && items_[i].choice.sink != nullptr) lists.push_back(i);
    }
    auto closed = [&](ItemId i) {
      return std::ranges::any_of(items_[i].admissions, [](const Admission& a) { return a.admits == Admits::no; });
    };
    for (ItemId list : lists) {
      if (!closed(list)) continue;
      for (ItemId guard : guards) {
        if (!closed(guard)) continue;
        items_[list].needs.insert(guard);
        items_[guard].before.insert(list);
      }
      for (ItemId i = 0; i < items_.size(); ++i) {
        bool leads = i != list && items_[i].reaches.contains(m) && closed(i);
        if (leads && !items_[i].asks_elsewhere) items_[i].needs.insert(list);
      }
    }
  }
  for (Item& item : items_) {
    for (ItemId d : item.uses) {
      bool same = !item.asks_elsewhere && !item.reaches.empty() && !items_[d].reaches.empty();
      if (same) item.repeats.insert(d);
    }
  }
}

void form_groups(std::vector<Item>& items) {
  std::vector<ItemId> parent(items.size());
  for (ItemId i = 0; i < parent.size(); ++i) parent[i] = i;
  std::function<ItemId(ItemId)> root = [&](ItemId i) { return parent[i] == i ? i : parent[i] = root(parent[i]); };
  for (ItemId i = 0; i < items.size(); ++i) {
    for (const auto* ties : {&items[i].needs, &items[i].repeats}) {
      for (ItemId n : *ties) parent[root(i)] = root(n);
    }
  }
  std::map<ItemId, std::vector<ItemId>> groups;
  for (ItemId i = 0; i < items.size(); ++i) groups[root(i)].push_back(i);
  for (const auto& [unused, members] : groups) {
    if (members.size() < 2) continue;
    // Named after its first member, so that the name does not depend on the order of files.
    std::string name = items[members[0]].gate.id;
    for (ItemId i : members) name = std::min(name, items[i].gate.id);
    for (ItemId i : members) items[i].gate.group = "g" + name;
  }
  for (Item& item : items) {
    if (!item.asks_elsewhere) continue;
    for (ItemId d : item.uses) {
      if (item.gate.follows.empty()) item.gate.follows = items[d].gate.group;
    }
  }
  // A variable that holds the answer.
  for (Item& item : items) {
    if (!item.gate.group.empty() || !item.gate.follows.empty()) continue;
    for (ItemId d : item.answered_by) {
      if (item.gate.follows.empty()) item.gate.follows = items[d].gate.follows;
    }
  }
}

}  // namespace ungate::gate

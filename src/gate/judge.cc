#include "gate/judge.h"

#include <algorithm>

#include <fmt/core.h>

#include "base/text.h"
#include "gate/conditions.h"
#include "gate/cuda_items.h"
#include "gate/host_items.h"
#include "gate/python_items.h"

namespace ungate::gate {

using arch::CodeTarget;
using arch::CodeTargetSet;
using arch::Device;

// --- Gates -----------------------------------------------------------------------------------------

const PackageNote* Judge::note_for(const Item& item, const JitModule* module, Device target) const {
  for (const PackageRules& package : in_.knowledge.packages) {
    for (const PackageNote& note : package.notes) {
      if (!note.targets.has(target.index())) continue;
      if (!note.module.empty() && (module == nullptr || module->name != note.module)) continue;
      if (note.module.empty() && module != nullptr) continue;
      if (!note.path.empty() && note.path != item.gate.path) continue;
      if (!note.function.empty() && note.function != item.gate.enclosing) continue;
      if (!note.expression.empty() && item.gate.expression.find(note.expression) == std::string::npos) continue;
      return &note;
    }
  }
  return nullptr;
}

// `MAX_SIZES[capability]`, `MIN_HIDDEN_SIZE.get(capability)`, `max_tokens = {9: 32}.get(major)`: a table by device,
// it or its answer named after what is measured.
bool Judge::holds_measured_sizes(const Item& item) const {
  using Kind = python::Choice::Kind;
  if (item.choice.kind != Kind::subscript && item.choice.kind != Kind::lookup) return false;
  std::string table = text::lower(item.gate.expression.substr(0, item.gate.expression.find_first_of("[(")));
  if (python::NodeId target = assigned_at(*item.choice.tree, item.choice.place.range); target != 0) {
    const source::SourceFile& file = *in_.program[item.choice.place.module].file;
    table += ' ' + text::lower(file.text((*item.choice.tree)[target].range));
  }
  return std::ranges::any_of(in_.knowledge.packages, [&](const PackageRules& package) {
    bool here = package.folder == "*" || item.gate.path.starts_with(package.folder + '/');
    return here && std::ranges::any_of(package.measured, [&](const std::string& word) { return table.find(word) != std::string::npos; });
  });
}

void Judge::by_modules(Item& item, Standing& s, const std::set<std::size_t>& modules) {
  bool capability = false, unknown = false, policy = false;
  for (std::size_t m : modules) {
    if (capability) break;  // one is enough; the others need not be read
    const PackageNote* note = note_for(item, &modules_[m], s.device);
    // In a block that builds several modules a note says which part is to be left out; the block as a
    // whole is in the way of the others.
    if (note != nullptr && s.effect == Effect::not_built && modules.size() > 1) {
      s.evidence.push_back({fmt::format("mixed block: leave module {} out: {}", modules_[m].name, note->text), note->link});
      continue;
    }
    if (note != nullptr) {
      s.evidence.push_back({note->text, note->link});
      (note->verdict == Verdict::capability ? capability : note->verdict == Verdict::policy ? policy : unknown) = true;
      continue;
    }
    const ModuleVerdict& v = module_verdict(m, s.device, templates_for(item, m));
    s.evidence.insert(s.evidence.end(), v.evidence.begin(), v.evidence.end());
    if (v.verdict == Verdict::capability) capability = true;
    else if (v.verdict == Verdict::policy) policy = true;
    else unknown = true;
    if (v.verdict == Verdict::unknown) s.unknown_because.insert(s.unknown_because.end(), v.unknown_because.begin(), v.unknown_because.end());
  }
  // A module that the device has is shut to it at one place: it may be too large there for a block of the device.
  if (item.forwards && policy && !capability && !unknown) {
    for (std::size_t m : modules) {
      std::string asks = dynamic_shared_memory(m);
      if (asks.empty()) continue;
      unknown = true;
      s.unknown_because.push_back("kernels there ask for more shared memory than a block has unasked (" + asks + "); how much was not evaluated");
    }
  } else if (item.forwards && capability && std::ranges::all_of(s.evidence, [&](const Evidence& e) { return of_library(e, modules); })) {
    capability = false, unknown = true;
    s.evidence.clear();
    s.unknown_because.push_back("headers of a library that it uses hold instructions that the target lacks; which of them it uses was not read");
  }
  s.verdict = capability ? Verdict::capability : unknown ? Verdict::unknown : policy ? Verdict::policy : Verdict::unknown;
  if (s.verdict != Verdict::unknown) s.unknown_because.clear();
}

// A guard on its own: what it encloses may be nothing that the device has.
void Judge::by_instructions(Item& item, Standing& s) {
  CodeTargetSet mine = arch::code_targets_of(s.device);
  auto lacks = [&](const Feature& f) { return (f.targets & mine).empty(); };
  auto add = [&](std::string_view what, const Feature& f) {
    s.verdict = Verdict::capability;
    s.evidence.push_back({fmt::format("{} ({}) is on no code target of {}", what, f.name, s.device.name()),
                          fmt::format("{}:{}", item.gate.path, item.gate.begin.line)});
  };
  for (const Feature& f : in_.knowledge.features) {
    if (!lacks(f)) continue;
    for (Symbol i : item.guard.instructions) {
      if (has_mnemonic(f, i.text()) && s.evidence.size() < 4) add(i.text(), f);
    }
    for (Symbol i : item.guard.intrinsics) {
      if (std::ranges::find(f.words, i.text()) != f.words.end() && s.evidence.size() < 4) add(i.text(), f);
    }
  }
  if (s.verdict == Verdict::none) {
    s.evidence = foreign_.find(item.gate.path, in_.cuda.with_headers(item.gate.path), in_.cuda.directives(item.gate.path).arms[item.arm].text, s.device);
    if (!s.evidence.empty()) s.verdict = Verdict::capability;
  }
  if (s.verdict == Verdict::none) {
    s.verdict = Verdict::unknown;
    s.unknown_because.push_back("no module that compiles this file was read");
  }
}

// `max_shared_memory >= 128 * 1024`: there is not so much on the device. A test for what a multiprocessor of it has
// was meant to let it in: a block has 1 KB less.
void Judge::by_shared_memory(Item& item, Standing& s) {
  std::int64_t asked = item.choice.asked_bytes;
  const arch::DeviceFacts& device = s.device.facts();
  bool all_of_it = asked == device.smem_sm_kb * 1024;
  s.verdict = all_of_it ? Verdict::policy : Verdict::capability;
  s.alone = s.alone && !all_of_it;
  s.evidence.push_back({all_of_it ? fmt::format("it asks for {} bytes of shared memory, all that a multiprocessor of {} has, of which a block can have {}",
                                                asked, s.device.name(), device.smem_block_kb * 1024)
                                  : fmt::format("it asks for {} bytes of shared memory; a block of {} can have {}", asked, s.device.name(),
                                                device.smem_block_kb * 1024),
                        "https://docs.nvidia.com/cuda/cuda-c-programming-guide/#compute-capabilities"});
}

// A run-time test in C++: what its arm names, then what its modules hold. That nothing was found in the way
// is no proof here: a kernel that is compiled out for the device launches all the same.
void Judge::by_arm(Item& item, Standing& s) {
  s.evidence = lacking_in_arm(item, in_.knowledge.features, in_.cuda, s.device);
  if (!s.evidence.empty()) {
    s.verdict = Verdict::capability;
    return;
  }
  if (!item.holds.empty()) by_modules(item, s, item.holds);
  if (s.verdict == Verdict::capability) return;
  s.verdict = Verdict::unknown;
  if (s.unknown_because.empty()) s.unknown_because.push_back("what the test leads to was not followed to kernels");
}

// What the package found on the machine, and would build for, is taken out again by a list at the call.
void Judge::against_detection(Standing& s, const std::set<std::size_t>& modules) {
  for (std::size_t m : modules) {
    const JitRules& rules = *modules_[m].rules;
    CodeTargetSet found = built_targets(in_.evaluation, in_.program, rules) & arch::code_targets_of(s.device);
    for (unsigned t : found) {
      s.evidence.push_back({fmt::format("detection lets {} in ({} of {} has {}); the list at this call takes it out again", s.device.name(),
                                        rules.targets_field, rules.targets_global, CodeTarget(t).name()), ""});
      return;
    }
  }
}

void Judge::judge(Item& item, std::size_t t) {
  Standing& s = item.gate.standings[t];
  const Admission& a = item.admissions[t];
  s.device = in_.targets[t];
  s.admits = a.admits;
  if (!a.because.empty()) s.evidence.push_back({a.because, ""});
  if (a.admits == Admits::yes) return over_admits(item, t);
  if (a.admits == Admits::unknown) {
    for (const std::string& c : item.gate.conditions) s.unknown_because.push_back(c + " decides");
    return over_admits(item, t);
  }
  for (ItemId b : item.before) {
    if (items_[b].admissions[t].admits == Admits::no) s.behind.push_back(items_[b].gate.id);
  }
  if (item.is_python()) {
    bool ahead = false;
    for (const PackageRules& p : in_.knowledge.packages) {
      Symbol module = in_.program[item.choice.place.module].name;
      ahead = ahead || std::ranges::find(p.aot_modules, module.text()) != p.aot_modules.end();
    }
    s.effect = a.exception ? Effect::silent_fallback : effect_of(item.choice, ahead && item.choice.serves != 0);
  } else if (item.is_host()) {
    s.effect = effect_of_host(item);
  } else {
    std::uint32_t function = item.guard.function;
    bool kernel = function != cuda::kNone && in_.cuda.structure(item.gate.path).functions[function].is_kernel;
    s.effect = effect_of(item.guard, kernel);
  }
  if (const PackageNote* note = note_for(item, nullptr, s.device)) {
    s.verdict = note->verdict;
    s.evidence.push_back({note->text, note->link});
    return;
  }
  if (const PackagePart* part = parts_.find(item, a, s.device, Parts::Within::anywhere)) {
    s.verdict = part->verdict;
    s.evidence.push_back({part->text, part->link});
    return;
  }
  if (item.is_python() && item.choice.want == python::Want::either &&
      only_order_differs(*item.choice.tree, *in_.program[item.choice.place.module].file, item.choice.serves, item.choice.other)) {
    s.verdict = Verdict::policy;
    s.evidence.push_back({"both arms give the same list; only the order of preference differs", ""});
    return;
  }
  if (item.is_python() && holds_measured_sizes(item)) {
    s.verdict = Verdict::policy;
    s.evidence.push_back({"a table of sizes or thresholds that were measured on other devices: it needs values measured here", ""});
    s.alone = false;
    return;
  }
  if (item.choice.asked_bytes > 0) return by_shared_memory(item, s);
  if (item.is_host()) return by_arm(item, s);
  std::set<std::size_t> modules = item.reaches;
  // A list shuts the device out of every module of its builder, a guard out of every one that compiles it.
  bool list = item.is_python() && item.choice.sink != nullptr;
  if (list || !item.is_python()) modules.insert(item.holds.begin(), item.holds.end());
  if (!modules.empty()) {
    by_modules(item, s, modules);
    if (list) against_detection(s, modules);
  } else if (!item.is_python()) {
    by_instructions(item, s);
  } else if (std::vector<Evidence> lacking = kernels_.lacking(item, s.device); !lacking.empty()) {
    s.verdict = Verdict::capability;
    s.evidence.insert(s.evidence.end(), lacking.begin(), lacking.end());
  } else if (std::vector<Evidence> in_the_way = behind_refusal(item, s.device); !in_the_way.empty()) {
    s.verdict = Verdict::capability;
    s.evidence.insert(s.evidence.end(), in_the_way.begin(), in_the_way.end());
  } else {
    s.verdict = Verdict::unknown;
    s.unknown_because.push_back("what it leads to was not followed to code that was read");
  }
  s.alone = item.needs.empty();
}

// A use of a flag or helper that was judged, leading nowhere else: it is the same decision. Where several gates
// shut the target out of the answer, they agree.
bool Judge::repeat(Item& item, std::size_t t) {
  Standing& s = item.gate.standings[t];
  if (s.admits != Admits::no || s.verdict != Verdict::unknown) return false;
  const std::set<ItemId>& uses = item.uses.empty() ? item.answered_by : item.uses;
  std::vector<ItemId> closed;
  for (ItemId u : uses) {
    if (items_[u].gate.standings[t].admits == Admits::no) closed.push_back(u);
  }
  if (closed.empty()) return false;
  const Standing& there = items_[closed[0]].gate.standings[t];
  bool agree = std::ranges::all_of(closed, [&](ItemId u) { return items_[u].gate.standings[t].verdict == there.verdict; });
  if (!agree || there.verdict == Verdict::unknown || there.verdict == Verdict::none) return false;
  s.verdict = there.verdict;
  s.unknown_because.clear();
  for (ItemId u : closed) {
    const Item& used = items_[u];
    if (u == closed[0]) s.evidence.push_back({"it repeats the decision made there", fmt::format("{}:{}", used.gate.path, used.gate.begin.line)});
    s.alone = s.alone && used.gate.standings[t].alone;
    if (item.asks_elsewhere) continue;
    if (item.uses.contains(u)) item.repeats.insert(u);
    item.needs.insert(used.needs.begin(), used.needs.end());
  }
  return true;
}

// A flag or helper that leads nowhere by itself: what every place that asks for it leads to cannot run.
bool Judge::as_its_uses(ItemId id, std::size_t t) {
  Standing& s = items_[id].gate.standings[t];
  if (!items_[id].is_python() || s.admits != Admits::no || s.verdict != Verdict::unknown) return false;
  const Item* use = nullptr;
  for (const Item& other : items_) {
    if (!other.uses.contains(id)) continue;
    const Standing& there = other.gate.standings[t];
    if (there.admits != Admits::no || there.verdict != Verdict::capability) return false;
    if (use == nullptr) use = &other;
  }
  if (use == nullptr) return false;
  s.verdict = Verdict::capability;
  s.unknown_because.clear();
  s.evidence.push_back({"what asks for it cannot run: " + use->gate.expression, fmt::format("{}:{}", use->gate.path, use->gate.begin.line)});
  return true;
}

void Judge::judge_with_libraries(Item& item, std::size_t t) {
  judge(item, t);
  judge_by_libraries(in_.libraries, item, item.gate.standings[t]);
}

void Judge::judge() {
  for (const Item& item : items_) {
    if (item.is_guard()) gate_arms_[item.gate.path].push_back(item.arm);
  }
  for (Item& item : items_) {
    item.gate.standings.resize(in_.targets.size());
    for (std::size_t t = 0; t < in_.targets.size(); ++t) {
      judge_with_libraries(item, t);
    }
  }
  for (std::size_t t = 0; t < in_.targets.size(); ++t) revoke_wrong_arms(t);
  for (bool changed = true; changed;) {
    changed = false;
    for (Item& item : items_) {
      for (std::size_t t = 0; t < in_.targets.size(); ++t) changed = repeat(item, t) || repeat_over_admission(item, t) || changed;
    }
    for (ItemId id = 0; id < items_.size(); ++id) {
      for (std::size_t t = 0; t < in_.targets.size(); ++t) changed = as_its_uses(id, t) || changed;
    }
  }
  for (std::size_t t = 0; t < in_.targets.size(); ++t) find_unmet_bounds(t);
}

}  // namespace ungate::gate

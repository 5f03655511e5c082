// Gates that let a target in although what is behind them cannot serve it.
#include <algorithm>
#include <set>

#include <fmt/core.h>

#include "gate/judge.h"
#include "gate/python_items.h"

namespace ungate::gate {

using arch::DeviceSet;
using python::Choice;
using python::Want;

namespace {

// What the outcome says of the arm that serves.
value::Outcome wanted(const Choice& c) { return c.want == Want::no || c.negated ? c.outcome.negated() : c.outcome; }

// The devices that a name like is_sm100_supported speaks of: all of that major version. Names that say "or
// newer" speak of none, and before sm_90 a number has always meant "from there on".
DeviceSet named_in(std::string_view name) {
  for (std::string_view open : {"plus", "above", "newer", "least", "geq", "min", "higher"}) {
    if (name.find(open) != std::string_view::npos) return {};
  }
  std::size_t at = name.find("sm");
  if (at == std::string_view::npos || (at > 0 && name[at - 1] != '_')) return {};
  std::size_t begin = at + 2 + (name.substr(at + 2).starts_with('_') ? 1 : 0), end = begin;
  while (end < name.size() && name[end] >= '0' && name[end] <= '9') ++end;
  if (end < name.size() && (name[end] == 'a' || name[end] == 'f')) ++end;
  if (end < name.size() && name[end] != '_') return {};
  auto device = end == begin ? std::nullopt : arch::parse_device(name.substr(begin, end - begin));
  DeviceSet out;
  if (!device || device->cc() < 90) return out;
  for (unsigned d : arch::known_devices()) {
    if (arch::Device(d).major() == device->major()) out |= DeviceSet::of(d);
  }
  return out;
}

// The last part of a qualified name.
std::string_view last_of(std::string_view name) { return name.substr(name.rfind('.') + 1); }

}  // namespace

// `def is_sm100_supported(): return capability >= (10, 0)`: the helper answers yes for devices of another kind
// than its name says.
bool Judge::belies_its_name(Item& item, Standing& s) {
  const Choice& c = item.choice;
  if (c.position != Choice::Position::returned || c.kind != Choice::Kind::compare) return false;
  DeviceSet named = named_in(last_of(item.gate.enclosing));
  if (named.empty() || named.has(s.device.index()) || !(named & wanted(c).may_pass()).contains(named)) return false;
  s.verdict = Verdict::over_admission;
  s.effect = Effect::definition;
  s.evidence.push_back({fmt::format("the helper is named after {} and answers for {} too", arch::to_text(named), s.device.name()),
                        fmt::format("{}:{}", item.gate.path, item.gate.begin.line)});
  return true;
}

// The gate tells devices apart, the target may pass, and what it opens is a part that the target lacks.
void Judge::over_admits(Item& item, std::size_t t) {
  Standing& s = item.gate.standings[t];
  if (item.is_guard()) return guard_over_admits(item, t);
  if (!item.is_python()) return;
  const Choice& c = item.choice;
  value::Outcome outcome = wanted(c);
  bool passes = c.alive.has(s.device.index()) && outcome.may_pass().has(s.device.index());
  bool refuses_some = !(arch::known_devices() - outcome.may_pass()).empty();
  if (!passes || !refuses_some || belies_its_name(item, s)) return;
  // `cc >= 100 and cc < 110`: another part of the condition shuts it out.
  const python::Condition* whole = condition_of(in_.evaluation, c);
  if (whole != nullptr && whole->alive.has(s.device.index())) {
    value::Outcome all = whole->want == Want::no ? whole->outcome.negated() : whole->outcome;
    if (!all.may_pass().has(s.device.index())) return;
  }
  auto within = c.sink != nullptr ? Parts::Within::anywhere : Parts::Within::arm;
  const PackagePart* part = parts_.find(item, item.admissions[t], s.device, within);
  if (part == nullptr || part->verdict != Verdict::capability) return;
  s.verdict = Verdict::over_admission;
  s.effect = part->targets.has(s.device.index()) ? c.sink != nullptr ? Effect::fails_build : Effect::no_code : Effect::wrong_limit;
  s.evidence.push_back({fmt::format("it lets {} in, but {}", s.device.name(), part->text), part->link});
}

// What a guard decides of: its arm; behind an #error, what follows it in its function.
source::Range Judge::guarded_text(const Item& item) {
  const cuda::Directives& d = in_.cuda.directives(item.gate.path);
  const cuda::Arm& arm = d.arms[item.arm];
  if (item.guard.does != cuda::ArmText::error) return arm.text;
  std::uint32_t end = arm.parent == cuda::kNone ? static_cast<std::uint32_t>(in_.cuda.file(item.gate.path)->text().size()) : d.arms[arm.parent].text.end;
  if (item.guard.function != cuda::kNone) {
    end = std::min(end, in_.cuda.structure(item.gate.path).functions[item.guard.function].body.end);
  }
  return {arm.text.end, std::max(arm.text.end, end)};
}

// `#if __CUDA_ARCH__ >= 1000` around tcgen05, `#if __CUDA_ARCH__ < 1000` and #error in front of it: the text is
// compiled for the target, which lacks what stands in it.
void Judge::guard_over_admits(Item& item, std::size_t t) {
  Standing& s = item.gate.standings[t];
  const Admission& a = item.admissions[t];
  bool code = item.guard.does == cuda::ArmText::code && lets_in(item.outcomes, s.device);
  bool error = item.guard.does == cuda::ArmText::error && spares(item.outcomes, s.device);
  if (s.admits != Admits::yes || !a.reached || !a.because.empty() || (!code && !error)) return;
  std::vector<Evidence> found = foreign_.find(item.gate.path, in_.cuda.with_headers(item.gate.path), guarded_text(item), s.device);
  if (found.empty()) return;
  s.verdict = Verdict::over_admission;
  s.effect = Effect::fails_build;
  for (Evidence& e : found) s.evidence.push_back({fmt::format("it lets {} in, but {}", s.device.name(), e.what), std::move(e.where)});
}

// A use of a flag or helper that lets the target in wrongly does so, too.
bool Judge::repeat_over_admission(Item& item, std::size_t t) {
  Standing& s = item.gate.standings[t];
  bool open = item.is_python() && s.admits == Admits::yes && s.verdict == Verdict::none && item.admissions[t].reached;
  if (!open || !wanted(item.choice).may_pass().has(s.device.index())) return false;
  for (ItemId u : item.uses) {
    const Standing& there = items_[u].gate.standings[t];
    if (there.verdict != Verdict::over_admission) continue;
    s.verdict = Verdict::over_admission;
    s.effect = there.effect;
    s.evidence.push_back({"it repeats the decision made there", fmt::format("{}:{}", items_[u].gate.path, items_[u].gate.begin.line)});
    return true;
  }
  return false;
}

// `if is_sm100(): x = A / elif cc >= 80: x = B`, and B cannot run on the target: the arm that takes it serves it
// as little as none, so the first one shuts it out.
void Judge::revoke_wrong_arms(std::size_t t) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> wrong;   // chain and arm
  for (const Item& item : items_) {
    bool over = item.is_python() && item.gate.standings[t].verdict == Verdict::over_admission;
    if (over && item.choice.chain != python::kNoIndex) wrong.emplace(item.choice.chain, item.choice.arm);
  }
  for (Item& item : items_) {
    Admission& a = item.admissions[t];
    if (a.served_by == python::kNoIndex || !wrong.contains({item.choice.chain, a.served_by})) continue;
    Admission alone = admission(item.choice, condition_of(in_.evaluation, item.choice), nullptr, in_.targets[t]);
    if (alone.admits != Admits::no) continue;
    a = alone;
    item.gate.standings[t] = {};
    judge_with_libraries(item, t);
    item.gate.standings[t].evidence.push_back({"another arm of the chain takes it, which cannot serve it", ""});
  }
}

// `if major < 9: return` and then `TABLE[major]`: the exit is there for devices that what follows does not know,
// and lets the target through to an exception.
void Judge::find_unmet_bounds(std::size_t t) {
  std::map<std::pair<std::string_view, std::string_view>, std::vector<const Item*>> raising;   // by path and function
  auto where = [](const Item& item) { return std::pair<std::string_view, std::string_view>(item.gate.path, item.gate.enclosing); };
  for (const Item& item : items_) {
    bool raises = item.choice.kind == Choice::Kind::subscript || item.choice.kind == Choice::Kind::refusing_call;
    bool meets = item.is_python() && raises && item.gate.standings[t].admits == Admits::no && item.admissions[t].reached;
    if (meets && !item.gate.enclosing.empty()) raising[where(item)].push_back(&item);
  }
  for (Item& item : items_) {
    Standing& s = item.gate.standings[t];
    const Choice& c = item.choice;
    bool exit = item.is_python() && c.position == Choice::Position::condition && c.want == Want::no && c.kind == Choice::Kind::compare &&
                c.refusal == python::Refusal::returns;
    if (!exit || s.admits != Admits::yes || s.verdict != Verdict::none || !item.admissions[t].reached) continue;
    auto found = raising.find(where(item));
    if (found == raising.end()) continue;
    for (const Item* later : found->second) {
      if (later->gate.range.begin < item.gate.range.end) continue;
      s.verdict = Verdict::over_admission;
      s.effect = Effect::raises;
      s.evidence.push_back({fmt::format("it lets {} through to {}, which raises there", s.device.name(), later->gate.expression),
                            fmt::format("{}:{}", later->gate.path, later->gate.begin.line)});
      break;
    }
  }
}

}  // namespace ungate::gate

#include "cuda/environment.h"

#include <algorithm>
#include <optional>

namespace ungate::cuda {
namespace {

constexpr std::uint32_t kSetBit = 0x80000000u;  // a state with this bit is an index into the sets

// A World's constant as the body of a macro; nothing: not defined.
std::optional<std::string> body_of(const value::Constant& constant) {
  struct {
    std::optional<std::string> operator()(std::monostate) const { return std::nullopt; }
    std::optional<std::string> operator()(bool b) const { return b ? "1" : "0"; }
    std::optional<std::string> operator()(std::int64_t n) const { return std::to_string(n); }
    std::optional<std::string> operator()(const std::string& s) const { return s; }
  } body;
  return std::visit(body, constant);
}

}  // namespace

Environment::Environment(const value::World& world, Pass pass, Absent absent)
    : world_(world), pass_(pass), absent_(std::move(absent)) {
  definitions_.resize(2);  // the two that are not definitions
}

std::uint32_t Environment::slot(Symbol name) {
  auto [found, fresh] = by_name_.try_emplace(name, static_cast<std::uint32_t>(slots_.size()));
  if (fresh) {
    State start = starting_state(name);
    slots_.push_back({name, start, start});
  }
  return found->second;
}

void Environment::bind(Tokens& tokens) {
  for (Token& t : tokens) {
    if (t.kind == TokenKind::identifier) t.slot = slot(t.text);
  }
}

DefinitionId Environment::add(Definition definition) {
  definitions_.push_back(std::move(definition));
  return static_cast<DefinitionId>(definitions_.size() - 1);
}

DefinitionId Environment::constant(Symbol name, std::string_view body) {
  Definition d;
  d.name = name;
  d.body = tokenize(body);
  return add(std::move(d));
}

Environment::State Environment::starting_state(Symbol name) {
  if (name.text().starts_with(kHidden)) return StateId{kUndefined};
  if (predefined(name.text(), arch::CodeTarget(0), pass_)) {
    std::unordered_map<std::string, DefinitionId> ids;  // equal bodies share a definition
    return State::tabulate([&](unsigned t) -> StateId {
      Predefined p = *predefined(name.text(), arch::CodeTarget(t), pass_);
      if (!p.defined) return kUndefined;
      auto [id, fresh] = ids.try_emplace(p.body, 0);
      if (fresh) {
        id->second = constant(name, p.body);
        Definition& d = definitions_[id->second];
        d.function_like = p.takes_n;
        if (p.takes_n) d.parameters.push_back(Symbol("N"));
      }
      return id->second;
    });
  }
  value::Free free{value::Free::Kind::macro, name};
  if (const value::World::Entry* entry = world_.find(free)) {
    std::optional<std::string> body = body_of(entry->value);
    return StateId{body ? constant(name, *body) : kUndefined};
  }
  if (absent_ && absent_(name.text())) return StateId{kUndefined};
  return state({kUndefined, kSomehow}, free);
}

Environment::StateId Environment::state(std::vector<DefinitionId> alternatives, FreeSet why) {
  std::ranges::sort(alternatives);
  auto repeated = std::ranges::unique(alternatives);
  alternatives.erase(repeated.begin(), repeated.end());
  if (alternatives.size() == 1) return alternatives.front();
  std::string key(reinterpret_cast<const char*>(alternatives.data()),
                  alternatives.size() * sizeof(DefinitionId));
  key.append(reinterpret_cast<const char*>(&why), sizeof why);
  auto [found, fresh] =
      set_ids_.try_emplace(std::move(key), kSetBit | static_cast<StateId>(sets_.size()));
  if (fresh) sets_.push_back({std::move(alternatives), why});
  return found->second;
}

std::span<const DefinitionId> Environment::alternatives(const StateId& state) const {
  if ((state & kSetBit) == 0) return {&state, 1};
  return sets_[state & ~kSetBit].alternatives;
}

FreeSet Environment::why(StateId state) const {
  return (state & kSetBit) == 0 ? FreeSet() : sets_[state & ~kSetBit].why;
}

Environment::StateId Environment::join(StateId a, StateId b, FreeSet decides) {
  if (a == b) return a;
  std::span<const DefinitionId> x = alternatives(a), y = alternatives(b);
  std::vector<DefinitionId> all(x.begin(), x.end());
  all.insert(all.end(), y.begin(), y.end());
  return state(std::move(all), why(a) | why(b) | decides);
}

void Environment::touch(std::uint32_t slot) {
  Slot& s = slots_[slot];
  if (visits_.empty() || s.visit == visits_.back().id) return;
  visits_.back().touches.push_back({slot, s.value, s.visit});
  s.visit = visits_.back().id;
}

const Environment::State& Environment::get(std::uint32_t slot) {
  touch(slot);
  return slots_[slot].value;
}

void Environment::set(std::uint32_t slot, State state) {
  touch(slot);
  if (slots_[slot].value == state) return;
  log_.emplace_back(slot, std::move(slots_[slot].value));
  slots_[slot].value = std::move(state);
}

bool Environment::is_foreign(std::uint32_t slot) {
  const State& now = get(slot);
  return now == slots_[slot].start && now.uniform() && (now.cell(0).value & kSetBit) != 0;
}

Environment::Slots Environment::take_back(std::size_t mark) {
  Slots changed;
  ++last_stamp_;
  for (std::size_t i = log_.size(); i > mark; --i) {
    auto& [slot, before] = log_[i - 1];
    Slot& s = slots_[slot];
    if (s.stamp != last_stamp_) {
      s.stamp = last_stamp_;
      changed.emplace_back(slot, std::move(s.value));
    }
    s.value = std::move(before);
  }
  log_.resize(mark, {0, State(StateId{kUndefined})});
  std::erase_if(changed,
                [&](const auto& change) { return slots_[change.first].value == change.second; });
  std::ranges::sort(changed, {}, [](const auto& change) { return change.first; });
  return changed;
}

void Environment::begin_visit() { visits_.push_back({++last_visit_, {}}); }

Environment::Effect Environment::end_visit() {
  Visit visit = std::move(visits_.back());
  visits_.pop_back();
  Effect effect;
  for (Touch& t : visit.touches) {
    Slot& s = slots_[t.slot];
    s.visit = t.outer_visit;
    // The file around this one has read the slot too: with the value of before, unless it had
    // already.
    if (!visits_.empty() && s.visit != visits_.back().id) {
      visits_.back().touches.push_back({t.slot, t.before, s.visit});
      s.visit = visits_.back().id;
    }
    if (s.value != t.before) effect.writes.emplace_back(t.slot, s.value);
    effect.reads.emplace_back(t.slot, std::move(t.before));
  }
  return effect;
}

bool Environment::replays(const Effect& effect) {
  return std::ranges::all_of(
      effect.reads, [&](const auto& read) { return slots_[read.first].value == read.second; });
}

void Environment::replay(const Effect& effect) {
  for (const auto& read : effect.reads) touch(read.first);
  for (const auto& [slot, state] : effect.writes) set(slot, state);
}

}  // namespace ungate::cuda

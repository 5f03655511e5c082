// Functions that run again: in a later round what they ask turned out to depend on the device.
#include "python/interpreter.h"

namespace ungate::python {

// True if a function's text holds a word that is looked for since this round.
bool Interpreter::asks_anew(FunctionId id) {
  Function& fn = functions_[id];
  if (fresh_ == nullptr || fn.fresh_round == round_) return fresh_ != nullptr && fn.fresh;
  fn.fresh_round = round_;
  std::string_view text = p_[fn.module].file->text();
  source::Range body = fn.range;   // without its own name
  std::size_t name = text.find(fn.name.text(), body.begin);
  if (name != std::string_view::npos && name < body.end) body.begin = static_cast<std::uint32_t>(name + fn.name.text().size());
  return fn.fresh = mentions(text, body, *fresh_);
}

// What a generic run noted, laid aside before another one notes it with more known.
Interpreter::Noted Interpreter::lay_aside(const Function& fn) {
  Noted out;
  auto inside = [&](const Tree* tree, const Place& place) {
    return tree == fn.tree && place.module == fn.module && fn.range.contains(place.range);
  };
  for (std::uint32_t i = 0; i < choices.size(); ++i) {
    Choice& c = choices[i];
    if (c.sink != nullptr || !inside(c.tree, c.place)) continue;   // what a list admits is written there
    out.choices.emplace_back(i, c);
    if (c.condition != kNoIndex && out.conditions.try_emplace(c.condition, conditions[c.condition]).second) {
      conditions[c.condition].outcome = {}, conditions[c.condition].alive = {};
    }
    if (c.chain != kNoIndex && out.chains.try_emplace(c.chain, chains[c.chain]).second) chains[c.chain].arms.clear();
    c.outcome = {}, c.alive = {}, c.raises = {};
    c.deciders.clear(), c.via.clear();
  }
  std::erase_if(captures, [&](const Capture& c) { return inside(c.tree, c.place); });
  std::erase_if(readings, [&](const Reading& r) { return inside(r.tree, r.place); });
  return out;
}

// What the later run did not come to again stays as it was.
void Interpreter::put_back(Noted noted) {
  for (auto& [i, choice] : noted.choices) {
    if (choices[i].alive.empty()) choices[i] = std::move(choice);
  }
  for (auto& [i, condition] : noted.conditions) {
    if (conditions[i].alive.empty()) conditions[i] = condition;
  }
  for (auto& [i, chain] : noted.chains) {
    if (chains[i].arms.empty()) chains[i] = std::move(chain);
  }
}

}  // namespace ungate::python

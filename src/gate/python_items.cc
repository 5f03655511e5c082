#include "gate/python_items.h"

#include <map>

#include "base/text.h"
#include "value/operators.h"

namespace ungate::gate {
namespace {

using python::Choice;
using python::Want;

std::string form_of(const Choice& c, std::size_t operands) {
  if (c.sink != nullptr) return c.sink->form;
  if (operands > 1) return "py-or-chain";
  switch (c.kind) {
    case Choice::Kind::call:
    case Choice::Kind::refusing_call: return "py-helper-call";
    case Choice::Kind::flag: return "py-flag";
    case Choice::Kind::subscript:
    case Choice::Kind::lookup: return "py-table";
    case Choice::Kind::bound: return "py-class-bound";
    case Choice::Kind::compare: {
      for (std::uint8_t op : c.tree->operators(c.node)) {
        auto comparison = static_cast<value::Comparison>(op);
        if (comparison == value::Comparison::in || comparison == value::Comparison::not_in) return "py-membership";
      }
      return "py-compare";
    }
    default: return "py-condition";
  }
}

// `a or b or …` as one choice: true where one is, false where all are.
void join_or(Choice& into, const Choice& next) {
  using arch::DeviceSet;
  DeviceSet settled = into.outcome.may_true - into.outcome.may_false - into.outcome.may_unknown;
  DeviceSet next_false = next.outcome.may_false | settled;  // it is not asked where an earlier one holds
  into.outcome.may_true |= next.outcome.may_true - settled;
  into.outcome.may_unknown |= next.outcome.may_unknown - settled;
  into.outcome.may_false &= next_false;
  into.outcome.may_false -= settled;
  into.deciders.insert(into.deciders.end(), next.deciders.begin(), next.deciders.end());
  into.via.insert(into.via.end(), next.via.begin(), next.via.end());
}

Item make_item(const python::Program& program, Choice choice, std::vector<std::uint32_t> choices) {
  Item item;
  const python::Module& module = program[choice.place.module];
  const source::SourceFile& file = *module.file;
  Gate& g = item.gate;
  g.path = module.path;
  g.range = choice.place.range;
  g.begin = file.position(g.range.begin);
  g.end = file.position(g.range.end);
  g.form = form_of(choice, choices.size());
  g.expression = text::one_line(file.text(g.range), 200);
  g.enclosing = std::string(choice.function.text());
  g.admitted = served(choice.outcome, choice.want);
  for (const Choice::Decider& decider : choice.deciders) {
    std::string text = value::to_text(decider.free);
    if (std::find(g.conditions.begin(), g.conditions.end(), text) == g.conditions.end()) g.conditions.push_back(text);
  }
  for (const python::Place& via : choice.via) {
    const python::Module& m = program[via.module];
    std::string line = text::one_line(m.file->text(via.range).substr(0, m.file->text(via.range).find('\n')), 100);
    g.path_to.push_back({line, m.file->at(via.range.begin)});
  }
  item.choices = std::move(choices);
  item.choice = std::move(choice);
  return item;
}

}  // namespace

std::vector<Item> python_items(const python::Evaluation& evaluation, const python::Program& program) {
  std::vector<Item> items;
  std::map<std::tuple<python::ModuleId, std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> chains;
  const auto& choices = evaluation.choices();
  for (std::uint32_t i = 0; i < choices.size(); ++i) {
    const Choice& c = choices[i];
    if (!c.either.empty() && c.want != Want::no && !c.negated) {
      chains[{c.place.module, c.either.begin, c.either.end}].push_back(i);
    } else {
      items.push_back(make_item(program, c, {i}));
    }
  }
  for (auto& [range, operands] : chains) {
    std::ranges::sort(operands, {}, [&](std::uint32_t i) { return choices[i].place.range.begin; });
    Choice joined = choices[operands[0]];
    for (std::size_t i = 1; i < operands.size(); ++i) join_or(joined, choices[operands[i]]);
    if (operands.size() > 1) joined.place.range = joined.either;
    items.push_back(make_item(program, std::move(joined), operands));
  }
  return items;
}

const python::Condition* condition_of(const python::Evaluation& evaluation, const Choice& c) {
  return c.condition == python::kNoIndex ? nullptr : &evaluation.conditions()[c.condition];
}

Effect effect_of(const Choice& c, bool builds_ahead) {
  // A flag that is stored or passed on: what it means stands where it is asked for.
  bool stored = c.position == Choice::Position::assigned || c.position == Choice::Position::argument;
  if (c.sink != nullptr && c.sink->is_bound()) return Effect::feature_off;   // something else is chosen, or nothing
  bool refuses = c.kind == Choice::Kind::subscript || c.kind == Choice::Kind::refusing_call;
  if (stored && c.sink == nullptr && !refuses) return Effect::definition;
  if (refuses || c.refusal == python::Refusal::raises || c.sink != nullptr) return Effect::raises;
  if (builds_ahead) return Effect::not_built;
  // A helper that answers with the device's own facts; what it means stands where it is used.
  bool raw = c.kind == Choice::Kind::compare;
  if (c.position == Choice::Position::returned && raw) return Effect::definition;
  if (c.want == Want::either) return Effect::silent_fallback;
  return Effect::feature_off;
}

}  // namespace ungate::gate

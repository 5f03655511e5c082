// Pointwise helpers over lifted values: iteration, many operands, devices that raised.
#include <algorithm>

#include "python/interpreter.h"

namespace ungate::python {

// f over every combination of what the operands hold on a device, without looking into alternatives.
Lifted Interpreter::on_each_shallow(std::initializer_list<Lifted> operands, const Pointwise& f) {
  return on_each_shallow(std::span(operands.begin(), operands.size()), f);
}

Lifted Interpreter::on_each_shallow(std::span<const Lifted> operands, const Pointwise& f) {
  std::vector<ValueId> values(operands.size());
  bool uniform = std::ranges::all_of(operands, [&](Lifted v) { return l_.uniform(v); });
  if (uniform) {
    for (std::size_t i = 0; i < operands.size(); ++i) values[i] = l_.value(operands[i]);
    return l_.of(f(values));
  }
  value::Values::Builder out;
  std::vector<std::pair<std::vector<ValueId>, ValueId>> seen;
  for (unsigned d : value::Values::all()) {
    for (std::size_t i = 0; i < operands.size(); ++i) values[i] = l_.at(operands[i], d);
    auto known = std::ranges::find_if(seen, [&](const auto& entry) { return entry.first == values; });
    if (known == seen.end()) {
      seen.emplace_back(values, f(values));
      known = seen.end() - 1;
    }
    out.add(DeviceSet::of(d), known->second);
  }
  return l_.of(out.take());
}

// The same, over alternatives too; an absent or unknown operand is the result.
Lifted Interpreter::on_each(std::span<const Lifted> operands, const Pointwise& f) {
  return on_each_shallow(operands, [&](std::span<const ValueId> values) {
    std::vector<ValueId> chosen(values.begin(), values.end());
    ValueId out = s_.absent();
    std::size_t combinations = 0;
    auto choose = [&](std::size_t i, auto&& self) -> void {
      if (combinations > kMaxCombinations) return;
      if (i == values.size()) {
        ++combinations;
        out = s_.join(out, f(chosen));
        return;
      }
      s_.each(values[i], [&](ValueId x) {
        if (s_.is_absent(x) || s_.is_unknown(x)) {
          out = s_.join(out, x);
          return;
        }
        chosen[i] = x;
        self(i + 1, self);
      });
    };
    for (ValueId v : values) {
      if (s_.is_absent(v)) return v;
    }
    choose(0, choose);
    return combinations > kMaxCombinations ? s_.unknown({Free_::call, Symbol("many alternatives")}) : out;
  });
}

Lifted Interpreter::on_each(std::initializer_list<Lifted> operands, const Pointwise& f) {
  return on_each(std::span(operands.begin(), operands.size()), f);
}

// Devices on which a value is absent leave the statement by an exception.
void Interpreter::note_absent(Lifted value, Frame& f, DeviceSet mask) {
  DeviceSet gone = l_.absent(value) & mask;
  if (gone.empty()) return;
  f.pending |= gone;
  l_.each(value, [&](DeviceSet where, ValueId v) {
    if ((where & gone).empty() || !s_.is_absent(v) || s_.node(v).ref == 0) return;
    f.raise_type = Symbol::from_id(s_.node(v).ref);
    f.raise_text = s_.node(v).name;
  });
}

// The longest number of items on any device of the mask, if every device's number is known.
std::optional<std::size_t> Interpreter::known_length(Lifted iterable, DeviceSet mask) {
  std::size_t longest = 0;
  bool known = true;
  l_.each(iterable, [&](DeviceSet where, ValueId v) {
    if ((where & mask).empty() || s_.is_absent(v)) return;
    Kind k = s_.kind(v);
    if (!value::is_container(k) || s_.node(v).open) {
      known = false;
      return;
    }
    longest = std::max(longest, s_.items(v).size() / (k == Kind::dict ? 2 : 1));
  });
  return known ? std::optional(longest) : std::nullopt;
}

// The i-th item; absent on devices that have fewer.
Lifted Interpreter::item_at(Lifted iterable, std::size_t i) {
  return l_.map(iterable, [&](ValueId v) {
    std::size_t at = s_.kind(v) == Kind::dict ? i * 2 : i;
    return value::is_container(s_.kind(v)) && at < s_.items(v).size() ? s_.items(v)[at] : s_.absent();
  });
}

// Any item of an iterable: the join of the known ones and, if it is open, unknown.
Lifted Interpreter::element_of(Lifted iterable) {
  return l_.map(iterable, [&](ValueId v) {
    ValueId out = s_.absent();
    bool open = false;
    s_.each(v, [&](ValueId c) {
      Kind k = s_.kind(c);
      if (!value::is_container(k)) {
        open = true;
        return;
      }
      open = open || s_.node(c).open;
      for (std::size_t i = 0; i < s_.items(c).size(); i += k == Kind::dict ? 2 : 1) out = s_.join(out, s_.items(c)[i]);
    });
    return open ? s_.join(out, s_.unknown({Free_::call, Symbol("iteration")})) : out;
  });
}

bool Interpreter::depends_on_device(Lifted v) const {
  if (l_.uniform(v)) return false;
  // Absent somewhere is a raise, not a value. "Perhaps False" is not the answer "False".
  std::vector<std::vector<ValueId>> seen;
  l_.each(v, [&](DeviceSet, ValueId x) {
    if (s_.is_absent(x)) return;
    std::vector<ValueId> known;
    bool open = false;
    s_.each(x, [&](ValueId part) {
      if (s_.is_unknown(part)) open = true;
      else known.push_back(part);
    });
    if (open) known.push_back(s_.absent());
    if (std::ranges::find(seen, known) == seen.end()) seen.push_back(std::move(known));
  });
  return seen.size() > 1;
}

}  // namespace ungate::python

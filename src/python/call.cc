// Calls: of functions and classes, with their arguments bound and their results memoised.
#include <algorithm>
#include <ranges>

#include "python/interpreter.h"

namespace ungate::python {

// --- The call expression ---------------------------------------------------------------------------

Lifted Interpreter::eval_call(NodeId id, Frame& f, DeviceSet mask) {
  const Tree& t = *f.tree;
  NodeId callee_node = t.child(id, 0);
  Lifted callee = operand(callee_node, f, mask);
  Arguments arguments;
  for (std::size_t i = 1; i < t[id].count; ++i) {
    NodeId argument = t.child(id, i);
    Lifted value = operand(argument, f, mask);
    switch (t[argument].kind) {
      case NodeKind::keyword:
        value = passed(t.child(argument, 0), Choice::Position::argument, f, mask);
        arguments.keywords.emplace_back(t[argument].name, value);
        break;
      case NodeKind::star: spread(value, arguments); break;
      case NodeKind::double_star: spread_keywords(value, arguments); break;
      default: arguments.positional.push_back(value);
    }
  }
  if (f.via != nullptr) note_callee(callee, f);
  f.call = t[id].range;
  Lifted out;
  if (!named_fact(t, callee_node, callee, out)) out = call(callee, arguments, f, mask - f.pending);
  if (f.emit) {
    record_refusing_call(id, callee, arguments, out, f, mask);
    record_lookup(id, callee, arguments, f, mask);
  }
  record_sinks(id, out, f, mask);
  mutate_receiver(callee_node, callee, arguments, f, mask);
  set_by_call(id, callee, arguments, f, mask);
  note_absent(out, f, mask - f.pending);
  return out;
}

// A function that is known by its name, of an object that was not followed: `nvml.nvmlDeviceGet…(handle)`.
bool Interpreter::named_fact(const Tree& t, NodeId callee_node, Lifted callee, Lifted& out) {
  if (t[callee_node].kind != NodeKind::attribute || !l_.uniform(callee) || s_.kind(l_.value(callee)) != Kind::unknown) return false;
  auto known = k_.functions.find(t[callee_node].name);
  if (known == k_.functions.end()) return false;
  out = device_fact(known->second);
  return true;
}

void Interpreter::spread(Lifted value, Arguments& arguments) {
  auto length = known_length(value, value::Values::all());
  // The same number of items on every device.
  if (!length || (*length > 0 && !l_.absent(item_at(value, *length - 1)).empty())) {
    arguments.open = true;
    return;
  }
  for (std::size_t i = 0; i < *length; ++i) arguments.positional.push_back(item_at(value, i));
}

void Interpreter::spread_keywords(Lifted value, Arguments& arguments) {
  ValueId dict = l_.at(value, 0);
  if (!l_.uniform(value) || s_.kind(dict) != Kind::dict || s_.node(dict).open) {
    arguments.open = true;
    return;
  }
  auto items = s_.items(dict);
  for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
    arguments.keywords.emplace_back(s_.node(items[i]).name, l_.of(items[i + 1]));
  }
}

void Interpreter::note_callee(Lifted callee, Frame& f) {
  l_.each(callee, [&](DeviceSet, ValueId v) {
    if (s_.kind(v) != Kind::function || f.via->size() > 8) return;
    const Function& fn = functions_[callables_[s_.node(v).ref].function];
    f.via->push_back({fn.module, fn.range});
  });
}

Lifted Interpreter::call(Lifted callee, const Arguments& arguments, Frame& f, DeviceSet mask) {
  Lifted out;
  l_.each(callee, [&](DeviceSet where, ValueId v) {
    DeviceSet here = mask & where;
    if (here.empty() && !l_.uniform(callee)) return;
    Lifted result;
    s_.each(v, [&](ValueId x) { result = l_.join(result, call_value(x, arguments, f, here)); });
    out = l_.overlay(out, where, result);
  });
  return out;
}

Lifted Interpreter::call_value(ValueId callee, const Arguments& arguments, Frame& f, DeviceSet mask) {
  switch (s_.kind(callee)) {
    case Kind::absent:
    case Kind::unknown: return l_.of(callee);
    case Kind::function: return call_function(s_.node(callee).ref, arguments, f, mask);
    case Kind::klass: return construct(s_.node(callee).ref, arguments);
    case Kind::external: return call_external(callee, arguments, f, mask);
    case Kind::method: return call_method(callee, arguments);
    case Kind::object: {
      static const Symbol kCall("__call__");
      if (Lifted found; class_attribute(s_.node(callee).ref, kCall, found)) {
        return call(bind_attribute(found, l_.of(callee), false, f, mask), arguments, f, mask);
      }
      return unknown(Free_::call, "object");
    }
    default: return l_.of(s_.raised(Symbol("TypeError"), {}));
  }
}

// --- Functions -------------------------------------------------------------------------------------

// The parameters of a call; nothing when the arguments do not fit (a TypeError).
bool Interpreter::bind_arguments(const Callable& callable, const Arguments& arguments, std::vector<Lifted>& slots) {
  const Function& fn = read(callable.function);
  const Tree& t = *fn.tree;
  auto params = t.children(fn.params());
  std::vector<Lifted> positional = callable.bound;
  if (callable.receiver) positional.insert(positional.begin(), *callable.receiver);
  positional.insert(positional.end(), arguments.positional.begin(), arguments.positional.end());
  std::vector<std::pair<Symbol, Lifted>> keywords = callable.keywords;
  for (const auto& [name, value] : arguments.keywords) {
    auto bound = std::ranges::find(keywords, name, &std::pair<Symbol, Lifted>::first);
    if (bound != keywords.end()) bound->second = value;
    else keywords.emplace_back(name, value);
  }
  std::size_t next = 0;
  for (std::size_t i = 0; i < params.size(); ++i) {
    const Node& param = t[params[i]];
    auto kind = static_cast<ParamKind>(param.op);
    Lifted& slot = slots[i];
    if (kind == ParamKind::star) {
      std::vector<Lifted> rest(positional.begin() + static_cast<std::ptrdiff_t>(std::min(next, positional.size())), positional.end());
      next = positional.size();
      slot = l_.of(s_.sequence(Kind::tuple, {}, arguments.open));
      for (Lifted v : rest) slot = append(slot, v, value::Values::all());
    } else if (kind == ParamKind::double_star) {
      slot = l_.of(s_.dict({}, arguments.open));
      for (const auto& [name, value] : keywords) slot = with_entry(slot, l_.of(s_.string(name)), value);
      keywords.clear();
    } else if (kind == ParamKind::positional && next < positional.size()) {
      slot = positional[next++];
    } else if (auto named = std::ranges::find(keywords, param.name, &std::pair<Symbol, Lifted>::first); named != keywords.end()) {
      slot = named->second;
      keywords.erase(named);
    } else if (arguments.open) {
      slot = unknown(Free_::argument, param.name.text());
    } else {
      slot = callable.defaults.empty() ? default_of(callable.function, i) : callable.defaults[i];
      if (slot == Lifted()) return false;
    }
  }
  return next >= positional.size() && keywords.empty();
}

Lifted Interpreter::call_function(CallableId id, const Arguments& arguments, Frame& f, DeviceSet mask) {
  const Callable callable = callables_[id];
  Symbol name = functions_[callable.function].qualname;
  if (Lifted known; known_function(functions_[callable.function], known)) return known;
  bool mentioned = mentions_derived(callable.function);
  mentioned = mentioned || !captured_name(functions_[callable.function]).empty();
  auto varies = [&](const auto& values) {
    return std::ranges::any_of(values, [&](Lifted v) { return !l_.uniform(v); });
  };
  if (!mentioned && functions_[callable.function].lines > kTiny && !varies(arguments.positional) && !varies(callable.bound) &&
      !varies(arguments.keywords | std::views::values) && !varies(callable.keywords | std::views::values)) {
    return unknown(Free_::call, name.text());
  }
  const Function& fn = read(callable.function);
  std::vector<Lifted> slots(fn.scope().slots.size());
  if (!bind_arguments(callable, arguments, slots)) return l_.of(s_.raised(Symbol("TypeError"), {}));
  if (f.emit) capture_call(callable, slots, f, mask);
  // What another package decides and hands over is told there.
  bool tells = f.emit && p_.package(fn.module) == p_.package(f.module) && std::ranges::any_of(slots, [&](Lifted v) { return !l_.uniform(v); });
  if (fn.abstract) return unknown(Free_::call, name.text());
  if (fn.scope().generator) {
    if (tells) emit_context(callable, slots);
    return unknown(Free_::call, name.text());
  }
  if (!worth_running(fn, slots)) return unknown(Free_::call, name.text());

  std::vector<std::uint32_t> key{callable.function, callable.closure};
  for (Lifted v : slots) key.push_back(v.id);
  auto found = memo_.find(key);
  if (found != memo_.end() && found->second.round != round_ && asks_anew(callable.function)) {
    memo_.erase(found);
    found = memo_.end();
  }
  if (found != memo_.end()) {
    ++statistics.cached_calls;
    if (tells) emit_context(callable, slots);
    f.intermediate = found->second.chosen;
    return found->second.value;
  }
  Function& runs = functions_[callable.function];
  if (std::exchange(runs.runs_round, round_) != round_) runs.runs = 0;
  if (depth_ >= kDepth || runs.runs >= kRuns || statistics.expressions > fuel_ || !active_.insert(key).second) {
    return unknown(Free_::call, name.text());
  }
  ++runs.runs;
  Lifted result = run(callable, slots, false);
  bool chosen = answers_chosen_;
  active_.erase(key);
  memo_.emplace(std::move(key), Answer{result, chosen, round_});
  if (tells) emit_context(callable, slots);
  f.intermediate = chosen;
  return result;
}

// The dotted name of a function whose calls are kept; empty for any other.
Symbol Interpreter::captured_name(const Function& fn) const {
  for (Symbol wanted : k_.captures) {
    std::string_view dotted = wanted.text(), name = fn.name.text(), module = p_[fn.module].name.text();
    if (fn.klass == kNoIndex && dotted.size() == module.size() + 1 + name.size() && dotted.starts_with(module) &&
        dotted.ends_with(name)) {
      return wanted;
    }
  }
  return {};
}

void Interpreter::capture_call(const Callable& callable, const std::vector<Lifted>& slots, Frame& f, DeviceSet mask) {
  const Function& fn = functions_[callable.function];
  Symbol dotted = captured_name(fn);
  if (dotted.empty()) return;
  Capture capture;
  capture.place = {f.module, f.call};
  capture.callee = dotted;
  if (f.function != kNoIndex) {
    capture.function = functions_[f.function].qualname;
    capture.function_range = functions_[f.function].range;
  }
  capture.tree = f.tree;
  capture.alive = mask;
  const auto params = fn.tree->children(fn.params());
  for (std::size_t i = 0; i < params.size(); ++i) {
    capture.arguments.emplace_back((*fn.tree)[params[i]].name, slots[i]);
  }
  captures.push_back(std::move(capture));
}

// --- Objects ---------------------------------------------------------------------------------------

Lifted Interpreter::construct(ClassId klass, const Arguments& arguments) {
  const Klass::Form form = classes_[klass].form;
  if (form == Klass::Form::enumeration) return unknown(Free_::call, classes_[klass].name.text());
  if (form == Klass::Form::named_tuple || form == Klass::Form::dataclass) {
    std::vector<Lifted> values = field_values(klass, arguments);
    if (form == Klass::Form::named_tuple) {
      return on_each_shallow(values, [&](std::span<const ValueId> v) { return s_.record(klass, v); });
    }
    const std::vector<Symbol> fields = classes_[klass].fields;
    return on_each_shallow(values, [&](std::span<const ValueId> v) {
      ValueId object = s_.object(klass, {}, classes_[klass].external_base);
      for (std::size_t i = 0; i < v.size(); ++i) object = s_.with_field(object, fields[i], v[i]);
      return object;
    });
  }
  Lifted fresh = l_.of(s_.object(klass, {}, classes_[klass].external_base));
  static const Symbol kInit("__init__");
  Lifted init;
  if (!class_attribute(klass, kInit, init) || !l_.uniform(init) || s_.kind(l_.value(init)) != Kind::function) return fresh;
  Callable callable = callables_[s_.node(l_.value(init)).ref];
  bool tiny = functions_[callable.function].lines <= kTiny;
  bool worth = tiny || (mentions_derived(callable.function) && functions_[callable.function].lines <= kLong);
  if (!worth || depth_ >= kDepth) return l_.of(s_.object(klass, {}, true));
  const Function& fn = read(callable.function);
  callable.receiver = fresh;
  std::vector<Lifted> slots(fn.scope().slots.size());
  if (!bind_arguments(callable, arguments, slots)) return l_.of(s_.object(klass, {}, true));
  std::vector<std::uint32_t> key{callable.function, callable.closure, 0xffffffff};
  for (Lifted v : slots) key.push_back(v.id);
  if (auto found = memo_.find(key); found != memo_.end()) return found->second.value;
  if (!active_.insert(key).second) return l_.of(s_.object(klass, {}, true));
  Lifted after = fresh;
  Lifted returned = run(callable, slots, false, &after);
  after = l_.overlay(after, l_.absent(returned), returned);
  active_.erase(key);
  memo_.emplace(std::move(key), Answer{after, false, round_});
  return after;
}

std::vector<Lifted> Interpreter::field_values(ClassId klass, const Arguments& arguments) {
  const std::vector<Symbol> fields = classes_[klass].fields;
  std::vector<Lifted> values;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    auto named = std::ranges::find(arguments.keywords, fields[i], &std::pair<Symbol, Lifted>::first);
    Lifted value;
    if (i < arguments.positional.size()) value = arguments.positional[i];
    else if (named != arguments.keywords.end()) value = named->second;
    else if (!class_attribute(klass, fields[i], value)) value = unknown(Free_::argument, fields[i].text());
    values.push_back(value);
  }
  return values;
}

}  // namespace ungate::python

// What is made once and kept: in an attribute of a class, in a global of a module.
//
//   if cls._instance is None: cls._instance = detect()
//   global _info; if _info is None: _info = detect()
//
// The functions that store there are run for what they store. That is what others find there; the None that stands
// there before is not.
#include <algorithm>

#include "python/interpreter.h"

namespace ungate::python {

// --- In a class ------------------------------------------------------------------------------------

// The methods that store something in an attribute of the class: `cls._instance = detect()`.
const std::vector<std::uint32_t>& Interpreter::writers_of(ClassId klass, Symbol name) {
  Klass& k = classes_[klass];
  auto [entry, fresh] = k.writers.try_emplace(name);
  if (!fresh) return entry->second;
  std::string_view text = p_[k.module].file->text();
  std::string own = attribute_name(klass, name), shared = "cls." + std::string(name.text());
  for (std::uint32_t i = 0; i < k.members.size(); ++i) {
    if (k.members[i].kind != LineKind::function) continue;
    std::string_view method = text.substr(k.members[i].range.begin, k.members[i].range.size());
    if (writes(method, shared) || writes(method, own)) entry->second.push_back(i);
  }
  return entry->second;
}

// Who stores it finds it as it was, until then.
bool Interpreter::stores_there(ClassId klass, Symbol name, const Frame& f) {
  auto stored = classes_[klass].stored.find(name);
  bool known = f.function != kNoIndex && stored != classes_[klass].stored.end();
  if (!known || std::ranges::find(f.set, name) != f.set.end()) return false;
  return std::ranges::any_of(writers_of(klass, name), [&](std::uint32_t writer) { return method_at(klass, writer) == f.function; });
}

// An attribute of the class as its methods leave it. What is None until the first of them ran is what they store.
Lifted Interpreter::with_stored(ClassId klass, Symbol name, Lifted initial) {
  if (l_.uniform(initial) && s_.kind(l_.value(initial)) == Kind::function) return initial;
  if (writers_of(klass, name).empty()) return initial;
  const std::vector<std::uint32_t> writers = writers_of(klass, name);   // a copy: more may be found while they run
  Lifted not_known = unknown(Free_::config, "cls." + std::string(name.text()));
  auto [entry, fresh] = classes_[klass].stored.try_emplace(name, not_known);   // that, while the writers run
  if (fresh) {
    Lifted all;
    for (std::uint32_t writer : writers) all = l_.join(all, stored_by(klass, method_at(klass, writer), name, not_known));
    classes_[klass].stored[name] = all == Lifted() ? not_known : all;
  }
  Lifted stored = classes_[klass].stored[name];
  return stored == not_known ? l_.join(initial, stored) : after_writers(initial, stored);
}

// What a method, run for the class, stores there. What a caller hands over, to set it to something else than what
// the program finds, is not counted, and neither is None: it goes back to the start.
Lifted Interpreter::stored_by(ClassId klass, FunctionId method, Symbol name, Lifted not_known) {
  bool short_enough = functions_[method].lines <= (mentions_derived(method) ? kLong : kTiny);
  if (!short_enough || depth_ >= kDepth) return not_known;
  auto outer = std::exchange(store_, Stored{klass, 0, name, {}});
  bool of_class = read(method).binding == Function::Binding::klass;
  run_for_receiver(method, l_.of(of_class ? s_.handle(Kind::klass, klass) : s_.object(klass, {}, true)));
  Lifted stored = store_->value;
  store_ = outer;
  return found_by_itself(stored);
}

// `cls.name = value`, for who asks what is stored there.
void Interpreter::note_stored(Lifted base, Symbol name, Lifted value, DeviceSet mask) {
  if (!store_ || store_->klass == kNoIndex || store_->name != name || !l_.uniform(base)) return;
  ValueId klass = l_.value(base);
  if (s_.kind(klass) != Kind::klass || s_.node(klass).ref != store_->klass) return;
  store_->value = l_.join(store_->value, l_.overlay(Lifted(), mask, value));
}

// --- In a module -----------------------------------------------------------------------------------

// A global that functions declare `global`, as they leave it.
Lifted Interpreter::with_rebound(ModuleId id, Symbol name, Lifted initial) {
  Lifted not_known = unknown(Free_::config, name.text());
  Lifted stored;
  const std::vector<std::uint32_t> declared = p_[id].rebound.at(name);
  for (std::uint32_t offset : declared) {
    auto function = function_around(id, offset);
    if (!function || functions_[*function].lines > (mentions_derived(*function) ? kLong : kTiny) || depth_ >= kDepth) {
      return l_.join(initial, not_known);
    }
    auto outer = std::exchange(store_, Stored{kNoIndex, id, name, {}});
    const Function& fn = read(*function);
    auto [callable, slots] = generic_call(*function, 0, fn.klass);
    run(callable, slots, false);
    stored = l_.join(stored, found_by_itself(store_->value));
    store_ = outer;
  }
  return stored == Lifted() ? l_.join(initial, not_known) : after_writers(initial, stored);
}

// The function of a module, or method of a class of it, that holds a line.
std::optional<FunctionId> Interpreter::function_around(ModuleId id, std::uint32_t offset) {
  const Module& m = p_[id];
  for (std::uint32_t i = 0; i < m.pieces.size(); ++i) {
    const Statement& s = m.pieces[i].statement;
    if (offset < s.range.begin || offset >= s.range.end) continue;
    if (s.kind == LineKind::function) return function_at(id, s, kNoIndex);
    if (s.kind != LineKind::klass) return {};
    ClassId klass = class_of_piece(id, i);
    for (std::uint32_t member = 0; member < classes_[klass].members.size(); ++member) {
      const Klass::Member& of = classes_[klass].members[member];
      bool holds = of.kind == LineKind::function && offset >= of.range.begin && offset < of.range.end;
      if (holds) return method_at(klass, member);
    }
  }
  return {};
}

void Interpreter::note_stored(ModuleId module, Symbol name, Lifted value, DeviceSet mask) {
  if (!store_ || store_->klass != kNoIndex || store_->module != module || store_->name != name) return;
  store_->value = l_.join(store_->value, l_.overlay(Lifted(), mask, value));
}

// What is None until the first writer ran is what they store; anything else may still be there.
Lifted Interpreter::after_writers(Lifted initial, Lifted stored) {
  bool none = l_.uniform(initial) && s_.kind(l_.value(initial)) == Kind::none;
  return none ? stored : l_.join(initial, stored);
}

// Without what a caller handed over, to set it to something else than what the program finds, and without None: that
// goes back to the start.
Lifted Interpreter::found_by_itself(Lifted stored) {
  return l_.map(stored, [&](ValueId v) {
    ValueId out = s_.absent();
    s_.each(v, [&](ValueId x) {
      bool given = s_.is_unknown(x) && std::ranges::all_of(s_.reasons(x), [](const value::Free& f) { return f.kind == Free_::argument; });
      if (!given && s_.kind(x) != Kind::none) out = s_.join(out, x);
    });
    return out;
  });
}

}  // namespace ungate::python

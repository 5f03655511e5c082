// Attribute access: on modules, classes, objects, plain values; and the cells behind fields.
#include <algorithm>

#include "base/text.h"
#include "python/interpreter.h"

namespace ungate::python {
namespace {

// Whether what stands at `end`, behind a name, assigns to it.
bool assigns_at(std::string_view text, std::size_t end) {
  while (end < text.size() && (text[end] == ' ' || text[end] == '\t')) ++end;
  char next = end < text.size() ? text[end] : ' ';
  char after = end + 1 < text.size() ? text[end + 1] : ' ';
  return (next == '=' && after != '=') || next == ':' || next == ',' ||
         (after == '=' && std::string_view("+-|&*/").find(next) != std::string_view::npos);
}

}  // namespace

// --- Attribute access ------------------------------------------------------------------------------

Lifted Interpreter::eval_attribute(NodeId id, Frame& f, DeviceSet mask) {
  const Tree& t = *f.tree;
  NodeId base = t.child(id, 0);
  Symbol name = t[id].name;
  // super().name continues after the class that holds this method.
  if (t[base].kind == NodeKind::call && t[t.child(base, 0)].name.text() == "super" && t[base].count == 1 && f.receiver) {
    return super_attribute(name, f, mask);
  }
  Lifted object = operand(base, f, mask);
  Lifted value = attribute(object, name, f, mask);
  if (f.via != nullptr && !l_.uniform(value)) note_field_read(object, name, f);
  return value;
}

Lifted Interpreter::super_attribute(Symbol name, Frame& f, DeviceSet mask) {
  ValueId receiver = l_.at(*f.receiver, 0);
  ClassId klass = class_of(receiver);
  if (klass == kNoIndex || f.klass == kNoIndex) return unknown(Free_::name, "super()");
  const auto& mro = classes_[klass].mro;
  auto at = std::ranges::find(mro, f.klass);
  std::size_t after = at == mro.end() ? mro.size() : static_cast<std::size_t>(at - mro.begin()) + 1;
  if (Lifted found; class_attribute(klass, name, found, after)) {
    return bind_attribute(found, l_.of(receiver), s_.kind(receiver) == Kind::klass, f, mask);
  }
  return unknown(Free_::name, "super()." + std::string(name.text()));
}

Lifted Interpreter::attribute(Lifted base, Symbol name, Frame& f, DeviceSet mask) {
  Lifted out;
  // Nobody writes what raises everywhere: the None stands for something that was not followed.
  if (l_.uniform(base) && s_.kind(l_.value(base)) == Kind::none && f.emit && f.tries == 0) return unknown(Free_::name, name.text());
  if (Lifted method; !l_.uniform(base) && common_method(base, name, method)) {
    // One class on all devices: the method is bound, and later run, once for all of them.
    out = bind_attribute(method, base, false, f, mask);
    DeviceSet gone = l_.absent(base);
    return gone.empty() ? out : l_.overlay(out, gone, base);
  }
  l_.each(base, [&](DeviceSet where, ValueId v) {
    if ((where & mask).empty() && !l_.uniform(base)) return;
    Lifted here;
    s_.each(v, [&](ValueId x) { here = l_.join(here, attribute_of(x, name, f, mask & where)); });
    out = l_.overlay(out, where, here);
  });
  note_absent(out, f, mask - l_.absent(base));
  return out;
}

// A method or property that every device's object has from one class.
bool Interpreter::common_method(Lifted base, Symbol name, Lifted& method) {
  ClassId klass = kNoIndex;
  bool same = true;
  l_.each(base, [&](DeviceSet, ValueId v) {
    if (s_.is_absent(v)) return;
    bool object = s_.kind(v) == Kind::object || s_.kind(v) == Kind::record;
    if (!object || (klass != kNoIndex && s_.node(v).ref != klass)) same = false;
    else klass = s_.node(v).ref;
  });
  if (!same || klass == kNoIndex || !class_attribute(klass, name, method)) return false;
  return l_.uniform(method) && s_.kind(l_.value(method)) == Kind::function;
}

Lifted Interpreter::attribute_of(ValueId v, Symbol name, Frame& f, DeviceSet mask) {
  switch (s_.kind(v)) {
    case Kind::absent: return l_.of(v);
    case Kind::unknown: return by_unique_name(v, name, f, mask);
    case Kind::external: return external_attribute(v, name);
    case Kind::module: return module_attribute(s_.node(v).ref, name);
    case Kind::object: return object_attribute(v, name, f, mask);
    case Kind::klass: {
      if (name.text().starts_with("sm_") && lists_archs(classes_[s_.node(v).ref])) {
        if (auto member = arch_member(name.text())) return l_.of(*member);
      }
      if (Lifted found; class_attribute(s_.node(v).ref, name, found)) {
        if (stores_there(s_.node(v).ref, name, f)) found = l_.join(found, l_.of(s_.none()));
        // None is there for other classes to say more.
        bool none = f.emit && f.receiver && l_.uniform(found) && s_.kind(l_.value(found)) == Kind::none;
        if (none) return l_.join(found, unknown(Free_::config, attribute_name(s_.node(v).ref, name)));
        return bind_attribute(found, l_.of(v), true, f, mask);
      }
      static const Symbol kName("__name__");
      if (name == kName) return l_.of(s_.string(classes_[s_.node(v).ref].name));
      return unknown(Free_::name, attribute_name(s_.node(v).ref, name));
    }
    case Kind::record: {
      const Klass& k = classes_[s_.node(v).ref];
      for (std::size_t i = 0; i < k.fields.size() && i < s_.items(v).size(); ++i) {
        if (k.fields[i] == name) return l_.of(s_.items(v)[i]);
      }
      break;
    }
    case Kind::member:
      if (name.text() == "value") return l_.of(s_.items(v)[0]);
      if (name.text() == "name") return l_.of(s_.string(s_.node(v).name));
      break;
    case Kind::path: return path_attribute(v, name);
    case Kind::function: return unknown(Free_::name, name.text());
    case Kind::tuple: {
      // A version (release_of) has its parts by name.
      static constexpr std::string_view kParts[] = {"major", "minor", "micro"};
      auto part = std::ranges::find(kParts, name.text());
      if (part == std::end(kParts)) return l_.of(s_.method(v, name));
      auto i = static_cast<std::size_t>(part - kParts);
      return l_.of(i < s_.items(v).size() ? s_.items(v)[i] : s_.integer(0));
    }
    case Kind::none: return l_.of(s_.raised(Symbol("AttributeError"), {}));
    default: return l_.of(s_.method(v, name));
  }
  if (ClassId klass = class_of(v); klass != kNoIndex) {
    if (Lifted found; class_attribute(klass, name, found)) return bind_attribute(found, l_.of(v), false, f, mask);
  }
  return l_.of(s_.method(v, name));
}

// An attribute of an object that was not followed: if one method of that name answers by the device, it may
// be that one.
Lifted Interpreter::by_unique_name(ValueId object, Symbol name, Frame& f, DeviceSet mask) {
  auto found = derived_methods_.find(name);
  if (found == derived_methods_.end() || found->second.size() != 1) return l_.of(object);
  const Function& fn = functions_[found->second[0]];
  std::string_view here = p_[f.module].name.text(), there = p_[fn.module].name.text();
  if (here.substr(0, here.find('.')) != there.substr(0, there.find('.'))) return l_.of(object);
  Callable callable;
  callable.function = found->second[0];
  ClassId klass = concrete_class(fn.klass);
  Lifted receiver = l_.of(fn.binding == Function::Binding::klass ? s_.handle(Kind::klass, klass) : s_.object(klass, {}, true));
  Lifted method = l_.of(s_.handle(Kind::function, intern_callable(std::move(callable))));
  Lifted bound = bind_attribute(method, receiver, fn.binding == Function::Binding::klass, f, mask);
  return p_.defines_alone(fn.module, name) ? bound : l_.join(bound, l_.of(object));
}

Lifted Interpreter::module_attribute(ModuleId id, Symbol name) {
  Module& m = p_.load(id);
  std::string dotted = std::string(m.name.text()) + '.' + std::string(name.text());
  Symbol full(dotted);
  if (k_.calls.contains(full) || k_.constants.contains(full)) return l_.of(s_.external(full));
  if (!exports(id, name) && find_module(full)) return l_.of(module_value(full));
  return global(id, name);
}

std::string Interpreter::attribute_name(ClassId klass, Symbol name) const {
  return std::string(classes_[klass].name.text()) + '.' + std::string(name.text());
}

Lifted Interpreter::object_attribute(ValueId v, Symbol name, Frame& f, DeviceSet mask) {
  ClassId klass = s_.node(v).ref;
  bool passed = classes_[klass].form == Klass::Form::dataclass && classes_[klass].has_field(name);
  auto open = [&](Free_ kind) { return unknown(kind, attribute_name(klass, name)); };
  if (ValueId field; s_.field(v, name, field)) return l_.of(field);
  Lifted found;
  bool in_class = class_attribute(klass, name, found);
  Lifted value = in_class ? bind_attribute(found, l_.of(v), false, f, mask) : Lifted();
  bool method = in_class && !l_.where(found, [&](ValueId x) { return s_.kind(x) == Kind::function; }).empty();
  if (method) return value;
  // Not set where this object was made: what other methods may have set.
  if (Lifted set = cell(klass, name); set != Lifted()) value = l_.join(value, set);
  if (value == Lifted() && answered(v, name, f, mask, value)) return value;
  if (value == Lifted()) return open(Free_::name);
  // Whoever makes one may pass another value than the field's default.
  return passed && s_.node(v).open ? l_.join(value, open(Free_::config)) : value;
}

// `receiver.name` found in a class: methods are bound, properties called.
Lifted Interpreter::bind_attribute(Lifted attribute, Lifted receiver, bool on_class, Frame& f, DeviceSet mask) {
  Lifted out;
  l_.each(attribute, [&](DeviceSet where, ValueId v) {
    Lifted here = l_.of(v);
    if (s_.kind(v) == Kind::function) {
      Callable callable = callables_[s_.node(v).ref];
      const Function& fn = functions_[callable.function];
      if (fn.klass != kNoIndex && fn.binding != Function::Binding::static_) {
        Lifted self = receiver;
        if (fn.binding == Function::Binding::klass && !on_class) {
          self = l_.map(receiver, [&](ValueId x) { return s_.is_absent(x) ? x : s_.handle(Kind::klass, class_of(x)); });
        }
        bool bound = !on_class || fn.binding == Function::Binding::klass;
        if (bound) callable.receiver = self;
        bool property = fn.binding == Function::Binding::property && !on_class;
        here = l_.of(s_.handle(Kind::function, intern_callable(std::move(callable))));
        if (property) here = call(here, {}, f, mask & where);
      }
    }
    out = l_.overlay(out, where, here);
  });
  return out;
}

// --- Cells -----------------------------------------------------------------------------------------

// The join of what the class's methods store in `self.name`; absent if none does.
Lifted Interpreter::cell(ClassId klass, Symbol name) {
  Klass& k = classes_[klass];
  if (auto found = k.cells.find(name); found != k.cells.end()) return found->second;
  k.cells[name] = unknown(Free_::config, "self." + std::string(name.text()));  // while the writers run
  Lifted out;
  for (ClassId c : std::vector(k.mro)) {
    for (std::uint32_t i : field_writers(c, name)) out = l_.join(out, written_by(klass, method_at(c, i), name));
  }
  classes_[klass].cells[name] = out;
  return out;
}

// True if a text assigns to what `pattern` names.
bool Interpreter::writes(std::string_view text, std::string_view pattern) const {
  for (std::size_t at = text.find(pattern); at != std::string_view::npos; at = text.find(pattern, at + 1)) {
    std::size_t end = at + pattern.size();
    if (end < text.size() && text::is_identifier_part(text[end])) continue;
    if (assigns_at(text, end)) return true;
  }
  return false;
}

// The methods of a class itself that assign to `self.name`.
std::vector<std::uint32_t> Interpreter::field_writers(ClassId klass, Symbol name) {
  constexpr std::string_view kSelf = "self.";
  Klass& k = classes_[klass];
  if (!k.field_writers) {
    k.field_writers.emplace();
    for (std::uint32_t i = 0; i < k.members.size(); ++i) {
      if (k.members[i].kind != LineKind::function) continue;
      std::string_view text = p_[k.module].file->text(k.members[i].range);
      for (std::size_t at = text.find(kSelf); at != std::string_view::npos; at = text.find(kSelf, at + 1)) {
        std::size_t begin = at + kSelf.size(), end = begin;
        while (end < text.size() && text::is_identifier_part(text[end])) ++end;
        if (end == begin || !assigns_at(text, end)) continue;
        std::vector<std::uint32_t>& writers = (*k.field_writers)[Symbol(text.substr(begin, end - begin))];
        if (writers.empty() || writers.back() != i) writers.push_back(i);
      }
    }
  }
  auto found = k.field_writers->find(name);
  return found == k.field_writers->end() ? std::vector<std::uint32_t>() : found->second;
}

// What a method, run with a generic object and unknown arguments, leaves in a field of it. A method that
// holds no word looked for leaves something that the device does not decide.
Lifted Interpreter::written_by(ClassId klass, FunctionId method, Symbol name) {
  if (!mentions_derived(method) || functions_[method].lines > kLong) {
    return unknown(Free_::config, "self." + std::string(name.text()));
  }
  // One run tells of all fields; asked for while it goes on, it is run within itself.
  auto known = written_.find({klass, method});
  bool under_way = known != written_.end() && !known->second;
  Lifted after;
  if (known != written_.end() && known->second) {
    after = *known->second;
  } else {
    if (!under_way) written_[{klass, method}] = std::nullopt;
    after = run_for_receiver(method, l_.of(s_.object(klass, {}, true))).receiver;
    if (!under_way) written_[{klass, method}] = after;
  }
  return l_.map(after, [&](ValueId v) {
    ValueId field = s_.absent();
    s_.each(v, [&](ValueId x) {
      if (ValueId value; s_.kind(x) == Kind::object && s_.field(x, name, value)) field = s_.join(field, value);
    });
    return field;
  });
}

// `Enum["NAME"]` is a member; `Generic[T]` is the class.
bool Interpreter::class_getitem(Lifted container, Lifted key, Lifted& out) {
  if (!l_.uniform(container) || s_.kind(l_.value(container)) != Kind::klass) return false;
  ClassId klass = s_.node(l_.value(container)).ref;
  out = container;
  if (classes_[klass].form != Klass::Form::enumeration) return true;
  out = unknown(Free_::name, classes_[klass].name.text());
  if (l_.uniform(key) && s_.kind(l_.value(key)) == Kind::string) {
    Symbol name = s_.node(l_.value(key)).name;
    if (!class_attribute(klass, name, out)) out = l_.of(s_.raised(Symbol("KeyError"), name));
  }
  return true;
}

}  // namespace ungate::python

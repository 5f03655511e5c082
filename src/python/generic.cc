// The generic run of a function: what is taken for its parameters and receiver where no call is seen.
#include <algorithm>

#include "python/interpreter.h"

namespace ungate::python {

// `def fits(limit=102400): return shared_memory() >= limit` is asked as it stands by who passes nothing: what is
// compared with the device there is a gate of its own. False where no parameter has a default.
bool Interpreter::take_defaults(FunctionId function, std::vector<Lifted>& slots) {
  std::size_t params = (*functions_[function].tree).children(functions_[function].params()).size();
  bool some = false;
  for (std::size_t i = 0; i < params; ++i) {
    Lifted value = default_of(function, i);
    if (value == Lifted() || !l_.uniform(slots[i]) || !s_.is_unknown(l_.value(slots[i]))) continue;
    slots[i] = value;
    some = true;
  }
  return some;
}

// A call of which nothing is known but what annotations say, and the class of the receiver.
std::pair<Callable, std::vector<Lifted>> Interpreter::generic_call(FunctionId function, ClosureId closure, ClassId klass) {
  const Function& fn = read(function);
  const Tree& t = *fn.tree;
  Callable callable;
  callable.function = function;
  callable.closure = closure;
  std::vector<Lifted> slots(fn.scope().slots.size());
  auto params = t.children(fn.params());
  for (std::size_t i = 0; i < params.size(); ++i) {
    const Node& param = t[params[i]];
    auto kind = static_cast<ParamKind>(param.op);
    NodeId annotation = t.child(params[i], 1);
    if (i == 0 && klass != kNoIndex && fn.binding != Function::Binding::static_) {
      ValueId self = fn.binding == Function::Binding::klass ? s_.handle(Kind::klass, klass) : s_.object(klass, {}, true);
      callable.receiver = l_.of(self);
      slots[i] = *callable.receiver;
    } else if (kind == ParamKind::star) {
      slots[i] = l_.of(s_.sequence(Kind::tuple, {}, true));
    } else if (kind == ParamKind::double_star) {
      slots[i] = l_.of(s_.dict({}, true));
    } else if (auto gives = parameter_fact(fn, param.name)) {
      slots[i] = device_fact(*gives);
    } else if (NodeId name = fact_annotation(t, annotation); name != 0) {
      slots[i] = annotated_fact(t[name].name, fn.module);
    } else {
      slots[i] = unknown(Free_::argument, param.name.text());
    }
  }
  return {std::move(callable), std::move(slots)};
}

// The generic run: nothing is known of the parameters but what their annotations say.
Lifted Interpreter::run_generic(FunctionId function, ClosureId closure) {
  if (depth_ > 0) return {};
  std::optional<Noted> noted;
  if (Function& before = functions_[function]; before.ran != 0) {
    // It ran before what it asks was known to depend on the device.
    bool again = before.ran != round_ && before.contexts.empty() && asks_anew(function);
    if (!again) return {};
    noted = lay_aside(before);
  }
  functions_[function].ran = round_;
  const Function& fn = read(function);
  record_decorators(fn);
  auto [callable, slots] = generic_call(function, closure, fn.klass == kNoIndex ? kNoIndex : concrete_class(fn.klass));
  std::size_t fuel = std::exchange(fuel_, statistics.expressions + kFuel);
  Lifted result = run(callable, slots, true);
  // `def is_capability(wanted): return current() == wanted` depends on the device once it is asked.
  bool open = l_.where(result, [&](ValueId v) { return !s_.may_be_unknown(v); }).empty();
  bool asks = compares_open_ && fn.lines <= kLong && open;
  if (asks && take_defaults(function, slots)) run(callable, slots, true);
  fuel_ = fuel;
  if (noted) put_back(std::move(*noted));
  if ((asks || depends_on_device(result)) && !fn.is_lambda()) {
    bool method = fn.klass != kNoIndex;
    bool followed = derive(fn.name, method ? Derived::As::attribute : Derived::As::name, fn.module);
    // `Platform.get()`: who calls a method of so common a name on the class names the class.
    bool on_class = fn.binding == Function::Binding::klass || fn.binding == Function::Binding::static_;
    if (!followed && method && on_class) derive(classes_[fn.klass].name, Derived::As::name, fn.module);
    if (method && known_names_.contains(fn.name)) {
      auto& methods = derived_methods_[fn.name];
      if (std::ranges::find(methods, function) == methods.end()) methods.push_back(function);
    }
  }
  return result;
}

// The class that a method's receiver is of: one that the rules say is made at run time, if it derives from the
// method's own, for that may leave to it what asks for the device.
ClassId Interpreter::concrete_class(ClassId klass) {
  std::string_view here = p_[classes_[klass].module].name.text();
  for (const auto& [name, dotted] : k_.objects) {
    std::string made(dotted.text());
    if (made.starts_with('*')) {
      // `*.platforms.cuda.CudaPlatform` for a class of acme.platforms.interface
      std::string_view folder = std::string_view(made).substr(1, made.find('.', 2) - 1);
      std::size_t at = here.rfind(folder);
      bool inside = at != std::string_view::npos && (at + folder.size() == here.size() || here[at + folder.size()] == '.');
      if (!inside) continue;
      made = std::string(here.substr(0, at)) + made.substr(1);
    }
    auto [entry, fresh] = made_classes_.try_emplace(Symbol(made), kNoIndex);
    if (fresh) {
      std::size_t dot = made.rfind('.');
      auto module = find_module(Symbol(made.substr(0, dot)));
      if (!module) continue;
      l_.each(global(*module, Symbol(made.substr(dot + 1))), [&](DeviceSet, ValueId v) {
        s_.each(v, [&](ValueId x) {
          if (s_.kind(x) == Kind::klass) made_classes_[Symbol(made)] = s_.node(x).ref;
        });
      });
    }
    ClassId of = made_classes_[Symbol(made)];
    if (of != kNoIndex && std::ranges::find(classes_[of].mro, klass) != classes_[of].mro.end()) return of;
  }
  return klass;
}

// What the rules say of a parameter of this function.
std::optional<Gives> Interpreter::parameter_fact(const Function& fn, Symbol name) const {
  std::string dotted(p_[fn.module].name.text());
  dotted.append(".").append(fn.qualname.text()).append(".").append(name.text());
  auto known = k_.annotations.find(Symbol(dotted));
  return known == k_.annotations.end() ? std::nullopt : std::optional(known->second);
}

// The name in an annotation that stands for a fact of the device: DeviceCapability, Optional[DeviceCapability],
// "DeviceCapability", DeviceCapability | None. 0 if there is none.
NodeId Interpreter::fact_annotation(const Tree& t, NodeId annotation) const {
  if (annotation == 0 || k_.annotations.empty()) return 0;
  if (k_.annotations.contains(t[annotation].name)) return annotation;
  for (NodeId child : t.children(annotation)) {
    if (NodeId found = fact_annotation(t, child); found != 0) return found;
  }
  return 0;
}

// The device's capability is an object of the class that the annotation names.
Lifted Interpreter::annotated_fact(Symbol annotation, ModuleId module) {
  const Gives gives = k_.annotations.at(annotation);
  Lifted fact = device_fact(gives);
  if (gives != Gives::capability) return fact;
  ClassId klass = capability_class(annotation, module);
  return l_.map(fact, [&](ValueId pair) {
    ValueId fields[] = {s_.items(pair)[0], s_.items(pair)[1]};
    return s_.record(klass, fields);
  });
}

// What the module knows under that name; a class of (major, minor) and nothing else where it is not at hand.
ClassId Interpreter::capability_class(Symbol annotation, ModuleId module) {
  if (exports(module, annotation)) {
    Lifted named = global(module, annotation);
    if (l_.uniform(named) && s_.kind(l_.value(named)) == Kind::klass) {
      ClassId id = s_.node(l_.value(named)).ref;
      if (classes_[id].form == Klass::Form::named_tuple && classes_[id].fields.size() == 2) return id;
    }
  }
  if (!bare_capability_) {
    bare_capability_ = static_cast<ClassId>(classes_.size());
    classes_.push_back({});
    Klass& k = classes_[*bare_capability_];
    k.module = module;
    k.name = annotation;
    k.form = Klass::Form::named_tuple;
    k.fields = {Symbol("major"), Symbol("minor")};
    k.mro = {*bare_capability_};
  }
  return *bare_capability_;
}

}  // namespace ungate::python

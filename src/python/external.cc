// What is known of packages that are not read: facts of the device, constants of the world, identities.
#include <algorithm>

#include "arch/device.h"
#include "base/text.h"
#include "python/interpreter.h"

namespace ungate::python {

// --- Facts of the device ---------------------------------------------------------------------------

Lifted Interpreter::device_fact(Gives gives) {
  auto tabulate = [&](auto f) {
    return l_.of(value::Values::tabulate([&](unsigned d) { return f(arch::Device(d)); }));
  };
  switch (gives) {
    case Gives::capability:
      return tabulate([&](arch::Device d) {
        ValueId pair[] = {s_.integer(d.major()), s_.integer(d.minor())};
        return s_.sequence(Kind::tuple, pair);
      });
    case Gives::major: return tabulate([&](arch::Device d) { return s_.integer(d.major()); });
    case Gives::minor: return tabulate([&](arch::Device d) { return s_.integer(d.minor()); });
    case Gives::cc: return tabulate([&](arch::Device d) { return s_.integer(d.cc()); });
    case Gives::properties: return l_.of(s_.external(Symbol("<device properties>")));
    case Gives::smem_block:
    case Gives::smem_sm:
      return tabulate([&](arch::Device d) {
        int kb = gives == Gives::smem_block ? d.facts().smem_block_kb : d.facts().smem_sm_kb;
        return kb == 0 ? s_.unknown({Free_::name, Symbol("shared memory of " + d.name())}) : s_.integer(kb * 1024);
      });
    case Gives::arch_texts:
      return tabulate([&](arch::Device d) {
        std::string cc = std::to_string(d.cc());
        return d.is_future() ? s_.unknown({Free_::name, Symbol("architectures")}) : s_.string(cc + ';' + cc + "-real");
      });
    case Gives::arch_name:
      return tabulate([&](arch::Device d) {
        return d.is_future() ? s_.unknown({Free_::name, Symbol("architecture")}) : s_.string("sm_" + std::to_string(d.cc()));
      });
    case Gives::arch_enum:
      return tabulate([&](arch::Device d) { return arch_member(d.major(), d.minor(), d.cc() >= 90 ? "a" : ""); });
    case Gives::backend: return l_.of(s_.string("cuda"));
    case Gives::launch_limits: {
      Lifted bytes = device_fact(Gives::smem_block);
      return l_.map(bytes, [&](ValueId v) {
        ValueId items[] = {s_.string("max_shared_mem"), v};
        return s_.dict(items, true);
      });
    }
    case Gives::device_name:
      return tabulate([&](arch::Device d) { return product_name(d); });
    case Gives::at_least: break;  // asks with arguments: at_least()
  }
  return unknown(Free_::name, "device");
}

// One of the names of its products.
ValueId Interpreter::product_name(arch::Device d) {
  ValueId out = s_.absent();
  for (std::string_view name : text::split(d.facts().names, '|')) {
    if (!name.empty()) out = s_.join(out, s_.string(name));
  }
  return s_.is_absent(out) ? s_.unknown({Free_::device_name, Symbol("of the GPU")}) : out;
}

ValueId Interpreter::arch_member(int major, int minor, std::string_view suffix) {
  ValueId parts[] = {s_.integer(major), s_.integer(minor), s_.string(suffix)};
  return s_.sequence(Kind::tuple, parts);
}

bool Interpreter::is_arch_member(ValueId v) const {
  auto items = s_.kind(v) == Kind::tuple ? s_.items(v) : std::span<const ValueId>();
  return items.size() == 3 && s_.kind(items[0]) == Kind::integer && s_.kind(items[1]) == Kind::integer &&
         s_.kind(items[2]) == Kind::string && s_.text(items[2]).size() < 2;
}

// True for a class that the rules list, wherever its package lies.
bool Interpreter::lists_archs(const Klass& klass) const {
  if (k_.enums.empty()) return false;
  std::string dotted = std::string(p_[klass.module].name.text()) + '.' + std::string(klass.name.text());
  return std::ranges::any_of(k_.enums, [&](Symbol known) {
    return dotted == known.text() || dotted.ends_with('.' + std::string(known.text()));
  });
}

// `Arch.sm_100f`: its major, minor and suffix.
std::optional<ValueId> Interpreter::arch_member(std::string_view name) {
  if (!name.starts_with("sm_")) return std::nullopt;
  name.remove_prefix(3);
  std::string_view suffix = name.ends_with('a') || name.ends_with('f') ? name.substr(name.size() - 1) : "";
  std::int64_t cc = 0;
  if (!text::parse_int(name.substr(0, name.size() - suffix.size()), cc)) return std::nullopt;
  return arch_member(static_cast<int>(cc / 10), static_cast<int>(cc % 10), suffix);
}

// `capability_geq(10)`, `capability_geq(9, 0)`.
Lifted Interpreter::at_least(const Arguments& arguments) {
  if (arguments.positional.empty() || arguments.positional.size() > 2) return unknown(Free_::call, "a lower bound");
  Lifted major = arguments.positional[0];
  Lifted minor = arguments.positional.size() == 2 ? arguments.positional[1] : l_.of(s_.integer(0));
  Lifted wanted = on_each_shallow({major, minor}, [&](std::span<const ValueId> v) { return s_.sequence(Kind::tuple, v); });
  return compare_lifted(value::Comparison::ge, device_fact(Gives::capability), wanted);
}

// A function whose name says what it gives, wherever it is defined (vendored copies of pynvml).
bool Interpreter::known_function(const Function& fn, Lifted& out) {
  auto by_name = k_.functions.find(fn.name);
  if (by_name == k_.functions.end()) {
    if (fn.klass != kNoIndex || k_.calls.empty()) return false;
    auto by_path = k_.calls.find(Symbol(std::string(p_[fn.module].name.text()) + '.' + std::string(fn.name.text())));
    if (by_path == k_.calls.end()) return false;
    out = device_fact(by_path->second);
    return true;
  }
  out = device_fact(by_name->second);
  return true;
}

// --- External names --------------------------------------------------------------------------------

// True if a dotted name or something it lies in is in the set.
bool Interpreter::below(const Knowledge::Set& set, std::string_view dotted) const {
  for (std::size_t end = dotted.size();; end = dotted.rfind('.', end - 1)) {
    if (end == std::string_view::npos || end == 0) return false;
    if (set.contains(Symbol(dotted.substr(0, end)))) return true;
  }
}

Lifted Interpreter::external_attribute(ValueId v, Symbol name) {
  std::string dotted = std::string(s_.text(v)) + '.' + std::string(name.text());
  if (s_.text(v) == "<device properties>") {
    auto property = k_.properties.find(name);
    if (property != k_.properties.end()) return device_fact(property->second);
    return unknown(Free_::call, "device property " + std::string(name.text()));
  }
  Symbol full(dotted);
  if (k_.enums.contains(s_.node(v).name)) {
    if (auto member = arch_member(name.text())) return l_.of(*member);
  }
  if (below(k_.missing, dotted)) return l_.of(s_.raised(Symbol("AttributeError"), full));
  auto constant = k_.constants.find(full);
  if (constant != k_.constants.end() && !k_.constant_calls.contains(full)) return l_.of(assumed(full, constant->second));
  return l_.of(s_.external(full));
}

// The world's value for a name, else the rules' default.
ValueId Interpreter::assumed(Symbol dotted, const value::Constant& otherwise) {
  if (const auto* entry = w_.find({Free_::name, dotted})) return s_.constant(entry->value);
  return s_.constant(otherwise);
}

Lifted Interpreter::call_external(ValueId callee, const Arguments& arguments, Frame& f, DeviceSet mask) {
  std::string_view dotted = s_.text(callee);
  Symbol full = s_.node(callee).name;
  if (auto gives = k_.calls.find(full); gives != k_.calls.end()) {
    return gives->second == Gives::at_least ? at_least(arguments) : device_fact(gives->second);
  }
  if (auto gives = k_.elsewhere.find(full); gives != k_.elsewhere.end()) return device_fact(gives->second);
  if (auto constant = k_.constants.find(full); constant != k_.constants.end()) return l_.of(assumed(full, constant->second));
  std::string_view last = dotted.substr(dotted.rfind('.') + 1);
  if (auto named = k_.functions.find(Symbol(last)); named != k_.functions.end()) return device_fact(named->second);
  if (below(k_.missing, dotted)) return l_.of(s_.raised(Symbol("AttributeError"), full));
  if (k_.identities.contains(full)) {
    if (arguments.positional.empty()) return l_.of(callee);
    Lifted first = arguments.positional[0];
    bool callable = !l_.where(first, [&](ValueId v) {
      return s_.kind(v) == Kind::function || s_.kind(v) == Kind::klass;
    }).empty();
    return callable ? first : l_.of(callee);
  }
  if (dotted.starts_with("builtins.")) return call_builtin(last, arguments, f, mask);
  if (full == Symbol("functools.partial")) return make_partial(arguments);
  if ((dotted == "packaging.version.Version" || dotted == "packaging.version.parse") && arguments.positional.size() == 1) {
    return l_.map(arguments.positional[0], [&](ValueId v) { return s_.lift(v, [&](ValueId text) { return release_of(text); }); });
  }
  if (Lifted out; standard_library(dotted, arguments, out)) return out;
  return unknown(Free_::call, dotted);
}

// A version as the tuple of its release, which compares as it does; trailing zeros do not count.
ValueId Interpreter::release_of(ValueId text) {
  ValueId open = s_.unknown({Free_::call, Symbol("packaging.version.Version")});
  if (s_.kind(text) != Kind::string) return open;
  std::vector<ValueId> release;
  for (std::string_view part : text::split(s_.text(text), '.')) {
    std::int64_t number = 0;
    if (!text::parse_int(part, number)) return open;
    release.push_back(s_.integer(number));
  }
  while (!release.empty() && release.back() == s_.integer(0)) release.pop_back();
  return s_.sequence(Kind::tuple, release);
}

Lifted Interpreter::make_partial(const Arguments& arguments) {
  if (arguments.positional.empty()) return unknown(Free_::call, "functools.partial");
  return l_.map(arguments.positional[0], [&](ValueId v) {
    if (s_.kind(v) != Kind::function) return s_.unknown({Free_::call, Symbol("functools.partial")});
    Callable callable = callables_[s_.node(v).ref];
    callable.bound.insert(callable.bound.end(), arguments.positional.begin() + 1, arguments.positional.end());
    callable.keywords.insert(callable.keywords.end(), arguments.keywords.begin(), arguments.keywords.end());
    return s_.handle(Kind::function, intern_callable(std::move(callable)));
  });
}

}  // namespace ungate::python

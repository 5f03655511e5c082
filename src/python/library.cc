// The parts of the standard library and of packaging that gates are made of.
#include "base/text.h"
#include "python/interpreter.h"

namespace ungate::python {
namespace {

// The release numbers of a version text, without trailing zeros: versions compare as tuples.
bool release_numbers(std::string_view version, std::vector<std::int64_t>& out) {
  if (!version.empty() && (version[0] == 'v' || version[0] == 'V')) version.remove_prefix(1);
  version = version.substr(0, version.find('+'));
  for (std::string_view part : text::split(version, '.')) {
    std::size_t n = 0;
    while (n < part.size() && part[n] >= '0' && part[n] <= '9') ++n;
    std::int64_t number = 0;
    if (!text::parse_int(part.substr(0, n), number)) break;
    out.push_back(number);
    if (n != part.size()) return false;  // a pre-release: its order is not that of a tuple
  }
  while (!out.empty() && out.back() == 0) out.pop_back();
  return true;
}

std::string parent_of(std::string_view path) {
  std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? "." : std::string(path.substr(0, slash));
}

}  // namespace

// What the world says of an environment variable: not known, not set (null), or its value.
const value::Constant* Interpreter::environment(ValueId name, bool& known) {
  known = false;
  if (s_.kind(name) != Kind::string) return nullptr;
  if (const auto* entry = w_.find({Free_::env, s_.node(name).name})) {
    known = true;
    return std::holds_alternative<std::monostate>(entry->value) ? nullptr : &entry->value;
  }
  for (const std::string& suffix : k_.unset_suffixes) known = known || s_.text(name).ends_with(suffix);
  return nullptr;
}

// `"NAME" in os.environ`.
void Interpreter::in_environment(value::Comparison op, Lifted name, Lifted container, Lifted& out) {
  if (container != l_.of(s_.external(Symbol("os.environ")))) return;
  out = l_.map(name, [&](ValueId v) {
    return s_.lift(v, [&](ValueId x) {
      bool known = false;
      const value::Constant* value = environment(x, known);
      if (!known) return s_.unknown({Free_::env, s_.node(x).name});
      return s_.boolean((value != nullptr) == (op == value::Comparison::in));
    });
  });
}

bool Interpreter::standard_library(std::string_view dotted, const Arguments& arguments, Lifted& out) {
  const auto& args = arguments.positional;
  if (dotted == "packaging.version.Version" || dotted == "packaging.version.parse") {
    if (args.size() != 1) return false;
    out = on_each(std::span(args), [&](std::span<const ValueId> v) {
      std::vector<std::int64_t> numbers;
      if (s_.kind(v[0]) != Kind::string || !release_numbers(s_.text(v[0]), numbers)) {
        return s_.unknown({Free_::call, Symbol("version")});
      }
      std::vector<ValueId> items;
      for (std::int64_t n : numbers) items.push_back(s_.integer(n));
      return s_.sequence(Kind::tuple, items);
    });
    return true;
  }
  if (dotted == "os.getenv" || dotted == "os.environ.get") {
    if (args.empty()) return false;
    Lifted otherwise = args.size() > 1 ? args[1] : l_.of(s_.none());
    for (const auto& [name, value] : arguments.keywords) {
      if (name.text() == "default") otherwise = value;
    }
    out = on_each({args[0], otherwise}, [&](std::span<const ValueId> v) {
      bool known = false;
      const value::Constant* value = environment(v[0], known);
      if (value != nullptr) return s_.constant(*value);
      // What the variable is for can be asked for: the default is only one of its values.
      return known || s_.kind(v[0]) != Kind::string ? v[1] : s_.join(v[1], s_.unknown({Free_::env, s_.node(v[0]).name}));
    });
    return true;
  }
  if (dotted == "pathlib.Path" || dotted == "os.path.abspath" || dotted == "os.path.realpath" || dotted == "os.fspath") {
    if (args.size() != 1) return false;
    out = on_each(std::span(args), [&](std::span<const ValueId> v) {
      bool path = s_.kind(v[0]) == Kind::string || s_.kind(v[0]) == Kind::path;
      return path ? s_.path(s_.node(v[0]).name) : s_.unknown({Free_::call, Symbol("path")});
    });
    return true;
  }
  if (dotted == "os.path.join" || dotted == "os.path.dirname" || dotted == "os.path.basename") {
    if (args.empty()) return false;
    out = on_each(std::span(args), [&](std::span<const ValueId> v) {
      for (ValueId x : v) {
        if (s_.kind(x) != Kind::string && s_.kind(x) != Kind::path) return s_.unknown({Free_::call, Symbol("path")});
      }
      if (dotted == "os.path.dirname") return s_.path(Symbol(parent_of(s_.text(v[0]))));
      if (dotted == "os.path.basename") return s_.string(s_.text(v[0]).substr(s_.text(v[0]).rfind('/') + 1));
      ValueId joined = s_.path(s_.node(v[0]).name);
      for (ValueId x : v.subspan(1)) joined = value::binary(s_, value::Binary::div, joined, x);
      return joined;
    });
    return true;
  }
  if (dotted == "importlib.util.find_spec" && args.size() == 1) {
    out = on_each(std::span(args), [&](std::span<const ValueId> v) {
      bool installed = s_.kind(v[0]) == Kind::string && (p_.find(s_.node(v[0]).name) || p_.is_namespace(s_.node(v[0]).name));
      return installed ? s_.object(kSomething, {}, true) : s_.unknown({Free_::unread, Symbol("package " + std::string(s_.text(v[0])))});
    });
    return true;
  }
  return false;
}

Lifted Interpreter::path_attribute(ValueId v, Symbol name) {
  std::string_view path = s_.text(v);
  if (name.text() == "parent") return l_.of(s_.path(Symbol(parent_of(path))));
  if (name.text() == "name") return l_.of(s_.string(path.substr(path.rfind('/') + 1)));
  if (name.text() == "stem") {
    std::string_view last = path.substr(path.rfind('/') + 1);
    return l_.of(s_.string(last.substr(0, last.rfind('.'))));
  }
  if (name.text() == "parents") {
    std::vector<ValueId> all;
    for (std::string at = parent_of(path);; at = parent_of(at)) {
      all.push_back(s_.path(Symbol(at)));
      if (at == "." || all.size() > 16) break;
    }
    return l_.of(s_.sequence(Kind::list, all));
  }
  return l_.of(s_.method(v, name));
}

}  // namespace ungate::python

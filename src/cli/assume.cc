#include "cli/assume.h"

#include "base/text.h"

namespace ungate::cli {
namespace {

value::Constant parse_constant(std::string_view text) {
  std::int64_t number = 0;
  if (text == "None") return std::monostate{};
  if (text == "True" || text == "true") return true;
  if (text == "False" || text == "false") return false;
  if (text::parse_int(text, number)) return number;
  return std::string(text);
}

bool is_version(std::string_view text) {
  auto parts = text::split(text, '.');
  std::int64_t number = 0;
  return parts.size() == 2 && text::parse_int(parts[0], number) &&
         text::parse_int(parts[1], number);
}

}  // namespace

Result<std::vector<value::World::Entry>> parse_assumptions(const std::vector<std::string>& given) {
  using Kind = value::Free::Kind;
  std::vector<value::World::Entry> out;
  for (const std::string& text : given) {
    std::size_t equals = text.find('=');
    std::string_view name = std::string_view(text).substr(0, equals);
    if (equals == text.npos || name.empty()) {
      return fail(ErrorCode::usage, "an assumption is NAME=VALUE", "--assume " + text);
    }
    std::string_view value = std::string_view(text).substr(equals + 1);
    Kind kind = Kind::name;
    if (name.starts_with("env:")) kind = Kind::env, name.remove_prefix(4);
    if (name.starts_with("macro:")) kind = Kind::macro, name.remove_prefix(6);
    value::Constant constant = parse_constant(value);
    if (kind == Kind::name && name == "cuda") {
      if (!is_version(value)) {
        return fail(ErrorCode::usage, "a toolkit version is two numbers, as in cuda=12.9",
                    "--assume " + text);
      }
      kind = Kind::toolkit, name = "CUDA", constant = std::string(value);
    } else if (value.empty()) {
      constant = std::monostate{};
    } else if (kind == Kind::env) {
      constant = std::string(value);
    }
    out.push_back({{kind, Symbol(name)}, std::move(constant), "--assume"});
  }
  return out;
}

}  // namespace ungate::cli

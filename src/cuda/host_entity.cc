// Names, calls and members in expressions of host code.
#include "base/text.h"
#include "cuda/host_expression.h"

namespace ungate::cuda {
namespace {

HostValue open() { return {{HostScalar(HostNumbers{})}}; }

bool is_type_conversion(std::string_view name) {
  for (std::string_view t : {"int", "bool", "long", "unsigned", "size_t", "int32_t", "int64_t",
                             "uint32_t", "uint64_t", "static_cast"}) {
    if (name == t) return true;
  }
  return false;
}

bool makes_tuple(std::string_view name) {
  return name == "make_pair" || name == "make_tuple" || name == "pair" || name == "tuple";
}

bool is_operator_word(std::string_view word) {
  return word == "and" || word == "or" || word == "not";
}

HostValue item(const HostValue& v, std::size_t i) {
  return v.items.size() > 1 && i < v.items.size() ? HostValue{{v.items[i]}} : open();
}

}  // namespace

// True if the '<' at `angle` opens a list of template arguments.
bool HostExpression::is_list(std::size_t angle) const {
  std::size_t after = after_angles(l_, angle, end_);
  if (after == angle) return false;
  if (after >= end_) return true;
  for (std::string_view s : {"(", "::", "{", ")", ",", ";", ".", "&&", "||", "?"}) {
    if (l_[after].is(s)) return true;
  }
  return false;
}

HostValue HostExpression::tuple(std::size_t begin, std::size_t end) {
  HostValue out;
  auto parts = split_arguments(l_, begin, end);
  for (auto [b, e] : parts) {
    HostValue v = value(b, e, HostChoice::Position::argument);
    if (parts.size() == 1) return v;
    out.items.push_back(v.scalar());
  }
  return out;
}

void HostExpression::join_argument(std::size_t begin, std::size_t end) {
  for (auto [b, e] : split_arguments(l_, begin, end)) {
    value(b, e, HostChoice::Position::argument);
  }
}

// Bytes of a type that has the same size on every host here; nothing of others.
HostValue HostExpression::size_of(std::size_t begin, std::size_t end) const {
  constexpr std::pair<std::string_view, int> kSizes[] = {
      {"char", 1},     {"bool", 1},    {"int8_t", 1},   {"uint8_t", 1},        {"short", 2},  {"int16_t", 2}, {"uint16_t", 2},
      {"half", 2},     {"__half", 2},  {"half_t", 2},   {"__nv_bfloat16", 2},  {"bfloat16", 2},
      {"int", 4},      {"int32_t", 4}, {"uint32_t", 4}, {"unsigned", 4},       {"float", 4},  {"long", 8},    {"int64_t", 8},
      {"uint64_t", 8}, {"size_t", 8},  {"double", 8}};
  if (end > begin && l_[end - 1].is("*")) return host_number(8);
  std::string_view name = end == begin + 1 || (end > begin + 1 && l_[end - 2].is("::")) ? l_[end - 1].text : std::string_view();
  for (auto [type, bytes] : kSizes) {
    if (name == type) return host_number(bytes);
  }
  return open();
}

HostValue HostExpression::called(std::string_view name, std::size_t angle, std::size_t open_at,
                                 std::size_t close) {
  std::size_t begin = open_at + 1, end = close - 1;
  if (is_type_conversion(name)) return value(begin, end, HostChoice::Position::argument);
  if (makes_tuple(name)) return tuple(begin, end);
  if (name == "sizeof") return size_of(begin, end);
  if (name == "get" && angle != 0) {
    std::int64_t n = 0;
    HostValue v = value(begin, end, HostChoice::Position::argument);
    return text::parse_int(l_[angle + 1].text, n) && n >= 0 ? item(v, static_cast<std::size_t>(n))
                                                            : open();
  }
  join_argument(begin, end);
  return p_.call(Symbol(name));
}

HostExpression::Node HostExpression::entity() {
  Node out;
  out.begin = at_;
  out.value = open();
  std::string_view last;
  bool properties = false, member = false, first = true;
  while (!ends()) {
    const Lexeme& l = l_[at_];
    if (l.is("::") || l.is("template")) {
      ++at_;
      continue;
    }
    if (!l.is_identifier() || is_operator_word(l.text)) break;
    last = l.text;
    std::size_t name_at = at_++, angle = 0;
    if (!ends() && l_[at_].is("<") && is_list(at_)) {
      angle = at_;
      at_ = after_angles(l_, at_, end_);
    }
    if (!ends() && l_[at_].is("::")) continue;
    bool call = !ends() && (l_[at_].is("(") || l_[at_].is("{"));
    if (call) {
      std::size_t open_at = at_, close = after_brackets(l_, at_, end_);
      at_ = close;
      properties = is_one_of(p_.v.property_calls, last);
      if (member && out.value.items.size() > 1 && last == "value") {
        // an optional pair is the pair
      } else {
        out.value = called(last, angle, open_at, close);
      }
      out.kind = Kind::call;
    } else if (member && properties) {
      out.value = open();
      for (const auto& field : p_.v.property_fields) {
        if (field.name == last) out.value = host_fact(field.fact);
      }
      out.kind.reset();
      properties = false;
    } else if (member && (last == "first" || last == "second")) {
      out.value = item(out.value, last == "second" ? 1 : 0);
    } else if (member) {
      out.value = p_.cell(Symbol(last), true);
      properties = p_.is_properties(f_, Symbol(last));
      out.kind = Kind::flag;
    } else {
      bool alone = first;
      out.value = last == "true" || last == "false" ? host_number(last == "true")
                  : last == "nullptr"               ? host_number(0)
                  : alone ? p_.name(f_, Symbol(last), name_at)
                          : p_.cell(Symbol(last), false);
      properties = p_.is_properties(f_, Symbol(last));
      if (last != "true" && last != "false") out.kind = Kind::flag;
    }
    first = false;
    while (!ends() && (l_[at_].is("[") || l_[at_].is("(") || l_[at_].is("++") || l_[at_].is("--"))) {
      bool index = l_[at_].is("[") || l_[at_].is("(");
      at_ = index ? after_brackets(l_, at_, end_) : at_ + 1;
      if (index) out.value = open();
    }
    if (ends() || !(l_[at_].is(".") || l_[at_].is("->"))) break;
    // `this->x` is x.
    member = last != "this";
    if (!member) properties = false;
    ++at_;
  }
  if (at_ == out.begin) ++at_;
  out.end = at_;
  return out;
}

}  // namespace ungate::cuda

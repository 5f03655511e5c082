#include "cuda/directive_line.h"

#include <algorithm>

#include "base/text.h"
#include "cuda/scan.h"

namespace ungate::cuda {
namespace {

using source::Range;

struct Keyword {
  std::string_view name;
  DirectiveKind kind;
};
constexpr Keyword kKeywords[] = {
    {"if", DirectiveKind::if_},          {"ifdef", DirectiveKind::ifdef},
    {"ifndef", DirectiveKind::ifndef},   {"elif", DirectiveKind::elif},
    {"elifdef", DirectiveKind::elifdef}, {"elifndef", DirectiveKind::elifndef},
    {"else", DirectiveKind::else_},      {"endif", DirectiveKind::endif},
    {"include", DirectiveKind::include}, {"include_next", DirectiveKind::include_next},
    {"import", DirectiveKind::import},   {"define", DirectiveKind::define},
    {"undef", DirectiveKind::undef},     {"error", DirectiveKind::error},
    {"warning", DirectiveKind::warning}, {"pragma", DirectiveKind::pragma}};

Range range(std::size_t a, std::size_t b) {
  return {static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b)};
}

// Blanks, splices and block comments.
std::size_t skip_gap(std::string_view s, std::size_t at, std::size_t end) {
  while (at < end) {
    if (is_blank(s[at])) {
      ++at;
    } else if (std::size_t n = splice_length(s, at); n != 0) {
      at += n;
    } else if (s.substr(at).starts_with("/*")) {
      bool terminated = false;
      at = after_block_comment(s, at, terminated);
    } else {
      break;
    }
  }
  return std::min(at, end);
}

std::size_t after_word(std::string_view s, std::size_t at, std::size_t end) {
  while (at < end && text::is_identifier_part(s[at])) ++at;
  return at;
}

// In `#include <a//b>` the slashes are part of the name.
bool in_header_name(std::string_view s, const Directive& d, Range operand_so_far) {
  std::string_view so_far = s.substr(operand_so_far.begin, operand_so_far.size());
  return is_include(d.kind) && so_far.starts_with('<') &&
         so_far.find('>') == std::string_view::npos;
}

// Finds the end of the logical line that goes on at `at`, and the operand on it.
void read_operand(std::string_view s, std::size_t at, Directive& d,
                  std::vector<Problem>& problems) {
  Range operand;
  auto take = [&](std::size_t from, std::size_t to) {
    operand = operand.empty() ? range(from, to) : range(operand.begin, to);
  };
  while (at < s.size() && s[at] != '\n') {
    char c = s[at], after = at + 1 < s.size() ? s[at + 1] : '\0';
    std::size_t next = at + 1;
    if (std::size_t n = splice_length(s, at); n != 0) {
      at += n;
      continue;
    }
    if (c == '/' && after == '/' && !in_header_name(s, d, operand)) {
      at = end_of_line_comment(s, at);
      break;
    }
    if (c == '/' && after == '*') {
      bool terminated = false;
      next = after_block_comment(s, at, terminated);
      if (!terminated) problems.push_back({Problem::Kind::unterminated_comment, range(at, at + 2)});
      at = next;
      continue;
    }
    if (c == '"' || (c == '\'' && !separates_digits(s, at))) {
      bool terminated = false;
      next = opens_raw_string(s, at) ? after_raw_string(s, at, terminated) : after_quoted(s, at);
    }
    if (!is_blank(c)) take(at, next);
    at = next;
  }
  d.range.end = static_cast<std::uint32_t>(at > 0 && s[at - 1] == '\r' ? at - 1 : at);
  d.operand = operand.empty() ? Range{d.range.end, d.range.end} : operand;
}

// `pragma once`, but not `pragma once_more`.
bool is_once(std::string_view operand) {
  return operand.starts_with("once") &&
         (operand.size() == 4 || !text::is_identifier_part(operand[4]));
}

std::size_t read_parameters(std::string_view s, Range rest, Define& out,
                            std::vector<Problem>& problems) {
  std::size_t end = rest.end;
  std::size_t at = skip_gap(s, rest.begin, end);
  for (; at < end && s[at] != ')'; at = skip_gap(s, at, end)) {
    std::size_t word_end = after_word(s, at, end);
    if (word_end > at) {
      out.parameters.push_back(range(at, word_end));
      at = word_end;
    } else if (s.substr(at, 3) == "...") {
      out.variadic = true;
      at += 3;
    } else {
      if (s[at] != ',') problems.push_back({Problem::Kind::malformed, range(at, at + 1)});
      ++at;
    }
  }
  return std::min(at + 1, end);
}

// X of `#ifndef X`, `#if !defined(X)`, `#if !defined X`.
std::string_view tested_for_absence(std::string_view condition, DirectiveKind kind) {
  if (kind == DirectiveKind::ifndef) return condition;
  if (kind != DirectiveKind::if_ || !condition.starts_with('!')) return {};
  std::string_view rest = text::trim(condition.substr(1));
  if (!rest.starts_with("defined")) return {};
  rest = text::trim(rest.substr(7));
  if (rest.starts_with('(') && rest.ends_with(')'))
    rest = text::trim(rest.substr(1, rest.size() - 2));
  return rest;
}

}  // namespace

Directive read_directive_line(std::string_view s, std::size_t hash,
                              std::vector<Problem>& problems) {
  std::size_t word = skip_gap(s, hash + 1, s.size());
  std::size_t word_end = after_word(s, word, s.size());
  Directive d;
  for (const Keyword& k : kKeywords) {
    if (k.name == s.substr(word, word_end - word)) d.kind = k.kind;
  }
  read_operand(s, word_end, d, problems);
  d.range.begin = static_cast<std::uint32_t>(hash);
  if (d.kind == DirectiveKind::pragma && is_once(s.substr(d.operand.begin, d.operand.size()))) {
    d.kind = DirectiveKind::pragma_once;
  }
  return d;
}

bool read_define(std::string_view s, Range operand, Define& out, std::vector<Problem>& problems) {
  std::size_t at = after_word(s, operand.begin, operand.end);
  if (at == operand.begin || is_digit(s[operand.begin])) return false;
  out.name = range(operand.begin, at);
  if (at < operand.end && s[at] == '(') {
    out.function_like = true;
    at = read_parameters(s, range(at + 1, operand.end), out, problems);
  }
  out.body = range(skip_gap(s, at, operand.end), operand.end);
  return true;
}

// #ifndef G, directly followed by #define G, closed by the file's last directive, without #else.
std::uint32_t find_guard_arm(std::string_view s, const Directives& file) {
  std::size_t i = 0;
  while (i < file.list.size() && !opens_chain(file.list[i].kind)) ++i;
  if (i + 2 >= file.list.size()) return kNone;
  const Arm& arm = file.arms[file.list[i].index];
  const Chain& chain = file.chains[arm.chain];
  const Directive& next = file.list[i + 1];
  if (chain.endif + 1 != file.list.size() || chain.last != chain.first) return kNone;
  if (next.kind != DirectiveKind::define || next.index == kNone) return kNone;
  const Define& def = file.defines[next.index];
  std::string_view condition = s.substr(arm.condition.begin, arm.condition.size());
  if (tested_for_absence(condition, arm.kind) != s.substr(def.name.begin, def.name.size()))
    return kNone;
  // `#ifndef X / #define X 1 / #endif` alone in a file sets a default; it guards nothing.
  std::string_view rest =
      s.substr(next.range.end, file.list[chain.endif].range.begin - next.range.end);
  return def.body.empty() || !text::trim(rest).empty() ? file.list[i].index : kNone;
}

}  // namespace ungate::cuda

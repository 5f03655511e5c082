#include "cuda/directives.h"

#include <algorithm>
#include <array>
#include <utility>

#include "cuda/directive_line.h"
#include "cuda/scan.h"

namespace ungate::cuda {
namespace {

using source::Range;

// Only these bytes can change what a '#' means. A line end cannot: whether a '#' starts its line is
// looked up backwards, which is far cheaper than stopping at every line.
constexpr auto kStop = [] {
  std::array<bool, 256> t{};
  for (char c : {'#', '/', '"', '\''}) t[static_cast<unsigned char>(c)] = true;
  return t;
}();

class Reader {
 public:
  explicit Reader(std::string_view s) : s_(s) {}

  Directives take() {
    if (s_.starts_with("\xef\xbb\xbf")) at_ = 3;
    while (at_ < s_.size()) step();
    finish();
    return std::move(out_);
  }

 private:
  struct Open {
    std::uint32_t chain;
    bool seen_else;
  };

  static std::uint32_t u32(std::size_t n) { return static_cast<std::uint32_t>(n); }
  void problem(Problem::Kind kind, Range where) { out_.problems.push_back({kind, where}); }

  void step() {
    const char* p = s_.data() + at_;
    const char* end = s_.data() + s_.size();
    while (p != end && !kStop[static_cast<unsigned char>(*p)]) ++p;
    at_ = static_cast<std::size_t>(p - s_.data());
    if (p == end) return;
    switch (*p) {
      case '#':
        if (starts_line(at_)) {
          directive();
        } else {
          ++at_;
        }
        return;
      case '/': return slash();
      case '\'': at_ = separates_digits(s_, at_) ? at_ + 1 : after_quoted(s_, at_); return;
      default: return quote();
    }
  }

  void slash() {
    char next = at_ + 1 < s_.size() ? s_[at_ + 1] : '\0';
    if (next == '/') {
      at_ = end_of_line_comment(s_, at_);
    } else if (next == '*') {
      clear_comment_ = starts_line(at_);
      bool terminated = false;
      std::size_t end = after_block_comment(s_, at_, terminated);
      if (!terminated) problem(Problem::Kind::unterminated_comment, {u32(at_), u32(at_ + 2)});
      comment_end_ = at_ = end;
    } else {
      ++at_;
    }
  }

  void quote() {
    if (!opens_raw_string(s_, at_)) {
      at_ = after_quoted(s_, at_);
      return;
    }
    bool terminated = false;
    std::size_t end = after_raw_string(s_, at_, terminated);
    if (!terminated && end == s_.size()) {
      problem(Problem::Kind::unterminated_string, {u32(at_), u32(at_ + 1)});
    }
    at_ = end;
  }

  // True if only blanks and comments stand before `at` on its logical line.
  bool starts_line(std::size_t at) const {
    for (std::size_t i = at; i > 0; --i) {
      char c = s_[i - 1];
      if (c == '\n') {
        if (!is_spliced(s_, i - 1)) return true;
        continue;
      }
      if (splice_length(s_, i - 1) != 0) continue;
      if (i == comment_end_) return clear_comment_;
      if (!is_blank(c)) return i == 3 && s_.starts_with("\xef\xbb\xbf");
    }
    return true;
  }

  std::size_t line_start(std::size_t at) const {
    while (at > 0 && s_[at - 1] != '\n') --at;
    return at;
  }
  std::size_t after_line(std::size_t at) const {
    return std::min(s_.find('\n', at), s_.size() - 1) + 1;
  }

  void directive() {
    Directive d = read_directive_line(s_, at_, out_.problems);
    at_ = d.range.end;
    if (d.kind <= DirectiveKind::endif) return conditional(d);
    d.arm = arm_;
    if (d.kind == DirectiveKind::define) {
      Define def;
      def.directive = u32(out_.list.size());
      if (read_define(s_, d.operand, def, out_.problems)) {
        d.index = u32(out_.defines.size());
        out_.defines.push_back(std::move(def));
      } else {
        problem(Problem::Kind::malformed, d.range);
      }
    } else if ((is_include(d.kind) || d.kind == DirectiveKind::undef) && d.operand.empty()) {
      problem(Problem::Kind::malformed, d.range);
    }
    out_.list.push_back(d);
  }

  void conditional(Directive& d) {
    if (d.kind < DirectiveKind::else_ && d.operand.empty())
      problem(Problem::Kind::malformed, d.range);
    if (opens_chain(d.kind)) {
      out_.chains.push_back({arm_, u32(out_.arms.size()), u32(out_.arms.size()), kNone});
      open_.push_back({u32(out_.chains.size() - 1), false});
      return add_arm(d, arm_);
    }
    if (open_.empty()) return problem(Problem::Kind::unmatched, d.range);
    Open& open = open_.back();
    Chain& chain = out_.chains[open.chain];
    close_text(d.range.begin);
    if (d.kind == DirectiveKind::endif) {
      d.arm = arm_ = chain.parent;
      d.index = open.chain;
      chain.endif = u32(out_.list.size());
      out_.list.push_back(d);
      open_.pop_back();
      return;
    }
    if (open.seen_else) problem(Problem::Kind::after_else, d.range);
    open.seen_else |= d.kind == DirectiveKind::else_;
    out_.arms[chain.last].next = u32(out_.arms.size());
    chain.last = u32(out_.arms.size());
    add_arm(d, chain.parent);
  }

  void add_arm(Directive& d, std::uint32_t parent) {
    Arm arm;
    arm.kind = d.kind;
    arm.chain = open_.back().chain;
    arm.parent = parent;
    arm.directive = u32(out_.list.size());
    arm.condition =
        d.kind == DirectiveKind::else_ ? Range{d.operand.begin, d.operand.begin} : d.operand;
    arm.text.begin = arm.text.end = u32(after_line(d.range.end));
    d.arm = parent;
    d.index = arm_ = u32(out_.arms.size());
    out_.arms.push_back(arm);
    out_.list.push_back(d);
  }

  void close_text(std::size_t hash) {
    Arm& arm = out_.arms[out_.chains[open_.back().chain].last];
    arm.text.end = std::max(arm.text.begin, u32(line_start(hash)));
  }

  void finish() {
    for (const Open& open : open_) {
      const Chain& chain = out_.chains[open.chain];
      out_.arms[chain.last].text.end = u32(s_.size());
      problem(Problem::Kind::unterminated_conditional,
              out_.list[out_.arms[chain.first].directive].range);
    }
    out_.guard_arm = find_guard_arm(s_, out_);
    for (const Directive& d : out_.list) {
      bool outside = d.arm == kNone || d.arm == out_.guard_arm;
      out_.pragma_once |= d.kind == DirectiveKind::pragma_once && outside;
    }
  }

  std::string_view s_;
  std::size_t at_ = 0;
  std::size_t comment_end_ = 0;  // where the last block comment outside directives ended …
  bool clear_comment_ = false;   // … and whether nothing stood before it on its line
  std::uint32_t arm_ = kNone;
  std::vector<Open> open_;
  Directives out_;
};

}  // namespace

std::string_view describe(Problem::Kind kind) {
  switch (kind) {
    case Problem::Kind::unterminated_conditional: return "conditional without #endif";
    case Problem::Kind::unmatched: return "directive without an #if before it";
    case Problem::Kind::after_else: return "arm after #else";
    case Problem::Kind::unterminated_comment: return "comment without end";
    case Problem::Kind::unterminated_string: return "raw string without end";
    case Problem::Kind::malformed: return "malformed directive";
    case Problem::Kind::condition: return "condition that is no expression";
  }
  return "";
}

Directives read_directives(std::string_view text) { return Reader(text).take(); }

std::uint32_t arm_at(const Directives& file, std::uint32_t offset) {
  // Arms are in source order and nest, so the last one that begins before the offset, or an arm
  // around it, is the answer.
  auto after =
      std::ranges::upper_bound(file.arms, offset, {}, [](const Arm& a) { return a.text.begin; });
  if (after == file.arms.begin()) return kNone;
  auto arm = static_cast<std::uint32_t>(after - file.arms.begin()) - 1;
  while (arm != kNone && !file.arms[arm].text.contains(offset)) arm = file.arms[arm].parent;
  return arm;
}

IncludeName include_name(std::string_view operand) {
  if (operand.size() < 2) return {};
  char close = operand.front() == '<' ? '>' : operand.front() == '"' ? '"' : '\0';
  std::size_t end = close == '\0' ? std::string_view::npos : operand.find(close, 1);
  if (end == std::string_view::npos) return {};
  return {operand.substr(1, end - 1), close == '>'};
}

}  // namespace ungate::cuda

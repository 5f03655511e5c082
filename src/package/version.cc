#include "package/version.h"

#include <algorithm>
#include <span>

#include "base/text.h"

namespace ungate::package {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_alnum(char c) { return is_digit(c) || (c >= 'a' && c <= 'z'); }
bool is_separator(char c) { return c == '.' || c == '-' || c == '_'; }

// Reads a lower-case version from the left. Each take_ function consumes what it returns, or
// nothing.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  bool at_end() const { return rest_.empty(); }

  bool take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  std::optional<Number> take_number() {
    std::size_t n = 0;
    while (n < rest_.size() && is_digit(rest_[n])) ++n;
    if (n == 0) return std::nullopt;
    Number number(rest_.substr(0, n));
    rest_.remove_prefix(n);
    return number;
  }

  // A label with an optional separator on either side and an optional number: "-beta_2", "rc". The
  // separator behind it is taken even if no number follows; the next label does not need it.
  std::optional<std::pair<std::size_t, Number>> take_label(
      std::span<const std::string_view> labels) {
    std::string_view s = rest_;
    if (!s.empty() && is_separator(s.front())) s.remove_prefix(1);
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (!s.starts_with(labels[i])) continue;
      rest_ = s.substr(labels[i].size());
      take_separator();
      return std::pair(i, take_number().value_or(Number()));
    }
    return std::nullopt;
  }

  // "-3" as a post-release.
  std::optional<Number> take_implicit_post() {
    if (rest_.size() < 2 || rest_[0] != '-' || !is_digit(rest_[1])) return std::nullopt;
    rest_.remove_prefix(1);
    return take_number();
  }

  std::optional<LocalPart> take_local_part() {
    std::size_t n = 0;
    while (n < rest_.size() && is_alnum(rest_[n])) ++n;
    if (n == 0) return std::nullopt;
    std::string_view part = rest_.substr(0, n);
    rest_.remove_prefix(n);
    if (std::ranges::all_of(part, is_digit)) return LocalPart{true, Number(part), {}};
    return LocalPart{false, {}, std::string(part)};
  }

  bool take_separator() {
    if (rest_.empty() || !is_separator(rest_.front())) return false;
    rest_.remove_prefix(1);
    return true;
  }

  std::string_view rest() const { return rest_; }
  void restore(std::string_view rest) { rest_ = rest; }

 private:
  std::string_view rest_;
};

// Longer spellings stand before their beginnings.
constexpr std::string_view kPre[] = {"alpha", "a", "beta", "b", "preview", "pre", "rc", "c"};
constexpr Version::Pre kPreKind[] = {Version::Pre::alpha,     Version::Pre::alpha,
                                     Version::Pre::beta,      Version::Pre::beta,
                                     Version::Pre::candidate, Version::Pre::candidate,
                                     Version::Pre::candidate, Version::Pre::candidate};
constexpr std::string_view kPost[] = {"post", "rev", "r"};
constexpr std::string_view kDev[] = {"dev"};
constexpr std::string_view kPreText[] = {"a", "b", "rc"};

bool take_release(Scanner& in, Version& v) {
  auto first = in.take_number();
  if (!first) return false;
  if (in.take('!')) {
    v.epoch = *first;
    first = in.take_number();
    if (!first) return false;
  }
  v.release.push_back(*first);
  for (;;) {
    std::string_view before = in.rest();
    if (!in.take('.')) return true;
    auto next = in.take_number();
    if (!next) {
      in.restore(before);  // the dot belongs to a label: "1.0.dev3"
      return true;
    }
    v.release.push_back(*next);
  }
}

bool take_local(Scanner& in, Version& v) {
  if (!in.take('+')) return true;
  do {
    auto part = in.take_local_part();
    if (!part) return false;
    v.local.push_back(*part);
  } while (in.take_separator());
  return true;
}

std::strong_ordering compare_releases(const std::vector<Number>& a, const std::vector<Number>& b) {
  static const Number kZero;
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    auto order = (i < a.size() ? a[i] : kZero) <=> (i < b.size() ? b[i] : kZero);
    if (order != 0) return order;
  }
  return std::strong_ordering::equal;
}

// Where a version without a pre-release stands among those that have one: a bare dev release comes
// before every pre-release, anything else after.
int pre_rank(const Version& v) {
  if (v.pre) return 0;
  return v.dev && !v.post ? -1 : 1;
}

}  // namespace

Number::Number(std::string_view digits) {
  while (digits.size() > 1 && digits.front() == '0') digits.remove_prefix(1);
  if (!digits.empty()) digits_ = digits;
}

std::strong_ordering Number::operator<=>(const Number& other) const {
  if (auto order = digits_.size() <=> other.digits_.size(); order != 0) return order;
  return digits_ <=> other.digits_;
}

std::strong_ordering LocalPart::operator<=>(const LocalPart& other) const {
  if (numeric != other.numeric) {
    return numeric ? std::strong_ordering::greater : std::strong_ordering::less;
  }
  return numeric ? number <=> other.number : text <=> other.text;
}

std::optional<Version> Version::parse(std::string_view spelling) {
  std::string lowered = text::lower(text::trim(spelling));
  Scanner in(lowered);
  in.take('v');
  Version v;
  if (!take_release(in, v)) return std::nullopt;
  if (auto pre = in.take_label(kPre)) v.pre = PreRelease{kPreKind[pre->first], pre->second};
  if (auto implicit = in.take_implicit_post()) {
    v.post = *implicit;
  } else if (auto post = in.take_label(kPost)) {
    v.post = post->second;
  }
  if (auto dev = in.take_label(kDev)) v.dev = dev->second;
  if (!take_local(in, v) || !in.at_end()) return std::nullopt;
  return v;
}

std::string Version::text() const {
  std::string out;
  if (epoch != Number()) out += epoch.text() + '!';
  for (std::size_t i = 0; i < release.size(); ++i) out += (i == 0 ? "" : ".") + release[i].text();
  if (pre) out.append(kPreText[static_cast<std::size_t>(pre->kind)]) += pre->number.text();
  if (post) out += ".post" + post->text();
  if (dev) out += ".dev" + dev->text();
  for (std::size_t i = 0; i < local.size(); ++i) {
    out += i == 0 ? '+' : '.';
    out += local[i].numeric ? local[i].number.text() : local[i].text;
  }
  return out;
}

Version Version::public_part() const {
  Version v = *this;
  v.local.clear();
  return v;
}

Version Version::base() const {
  Version v;
  v.epoch = epoch;
  v.release = release;
  return v;
}

std::strong_ordering Version::operator<=>(const Version& other) const {
  if (auto order = epoch <=> other.epoch; order != 0) return order;
  if (auto order = compare_releases(release, other.release); order != 0) return order;
  if (auto order = pre_rank(*this) <=> pre_rank(other); order != 0) return order;
  if (pre) {
    if (auto order = *pre <=> *other.pre; order != 0) return order;
  }
  // No post-release comes before any; no dev release comes after any.
  if (auto order = post.has_value() <=> other.post.has_value(); order != 0) return order;
  if (post) {
    if (auto order = *post <=> *other.post; order != 0) return order;
  }
  if (auto order = other.dev.has_value() <=> dev.has_value(); order != 0) return order;
  if (dev) {
    if (auto order = *dev <=> *other.dev; order != 0) return order;
  }
  return local <=> other.local;
}

}  // namespace ungate::package

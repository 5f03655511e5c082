#include "package/specifier.h"

#include <algorithm>

#include <fmt/core.h>

#include "base/text.h"

namespace ungate::package {
namespace {

using Op = Specifier::Operator;

struct Spelling {
  std::string_view text;
  Op op;
};

// Longer operators first.
constexpr Spelling kOperators[] = {
    {"===", Op::identical}, {"~=", Op::compatible}, {"==", Op::equal}, {"!=", Op::not_equal},
    {"<=", Op::at_most},    {">=", Op::at_least},   {"<", Op::less},   {">", Op::greater},
};

std::string_view spelling(Op op) {
  return std::ranges::find(kOperators, op, &Spelling::op)->text;
}

std::unexpected<Error> refuse(std::string_view part, std::string_view why) {
  return fail(ErrorCode::bad_rule, fmt::format("'{}' is not a version specifier: {}", part, why));
}

// The parts that a prefix is compared over: the release, then pre- and post-release. "==1.1.*"
// holds for 1.1a1, 1.1.post2 and 1.1.5 alike; "==1.1a1.*" for 1.1a1 and 1.1a1.post2.
bool has_prefix(const Version& v, const Version& prefix) {
  static const Number kZero;
  if (v.epoch != prefix.epoch) return false;
  for (std::size_t i = 0; i < prefix.release.size(); ++i) {
    if ((i < v.release.size() ? v.release[i] : kZero) != prefix.release[i]) return false;
  }
  if (!prefix.pre && !prefix.post) return true;
  for (std::size_t i = prefix.release.size(); i < v.release.size(); ++i) {
    if (v.release[i] != kZero) return false;
  }
  return v.pre == prefix.pre && (!prefix.post || v.post == prefix.post);
}

// "~=1.4.5a4" is ">=1.4.5a4, ==1.4.*".
bool is_compatible(const Version& v, const Version& wanted) {
  Version series = wanted.base();
  series.release.pop_back();
  return v.public_part() >= wanted && has_prefix(v, series);
}

bool equals(const Version& v, const Version& wanted) {
  return wanted.local.empty() ? v.public_part() == wanted : v == wanted;
}

// "<3.1" leaves out the pre-releases of 3.1, unless it names one itself.
bool is_less(const Version& v, const Version& wanted) {
  if (!(v < wanted)) return false;
  return wanted.is_prerelease() || !v.is_prerelease() || v.base() != wanted.base();
}

// ">3.1" leaves out the post-releases of 3.1, unless it names one itself, and its local versions.
bool is_greater(const Version& v, const Version& wanted) {
  if (!(v > wanted)) return false;
  bool same_base = v.base() == wanted.base();
  if (same_base && v.post && !wanted.post) return false;
  return !(same_base && !v.local.empty());
}

Result<Specifier> parse_one(std::string_view part) {
  auto found =
      std::ranges::find_if(kOperators, [&](const Spelling& s) { return part.starts_with(s.text); });
  if (found == std::end(kOperators)) {
    return refuse(part, "it must begin with an operator such as >= or ==");
  }
  Specifier spec;
  spec.op = found->op;
  std::string_view version = text::trim(part.substr(found->text.size()));
  spec.text = version;
  if (version.empty()) return refuse(part, "no version follows the operator");
  if (spec.op == Op::identical) {
    if (version.find_first_of(" \t") != version.npos) {
      return refuse(part, "blanks inside the version");
    }
    return spec;
  }

  bool either = spec.op == Op::equal || spec.op == Op::not_equal;
  if (version.ends_with(".*")) {
    if (!either) return refuse(part, "only == and != take '.*'");
    spec.prefix = true;
    version.remove_suffix(2);
  }
  auto parsed = Version::parse(version);
  if (!parsed) return refuse(part, "the version is not one of PEP 440");
  spec.version = *parsed;
  if (spec.prefix && (parsed->dev || !parsed->local.empty())) {
    return refuse(part, "'.*' cannot follow a dev release or a local version");
  }
  if (!either && !parsed->local.empty()) return refuse(part, "only == and != take a local version");
  if (spec.op == Op::compatible && parsed->release.size() < 2) {
    return refuse(part, "~= needs at least two numbers");
  }
  return spec;
}

}  // namespace

bool Specifier::contains(const Version& v) const {
  switch (op) {
    case Op::compatible: return is_compatible(v, version);
    case Op::equal: return prefix ? has_prefix(v, version) : equals(v, version);
    case Op::not_equal: return prefix ? !has_prefix(v, version) : !equals(v, version);
    case Op::at_most: return v.public_part() <= version;
    case Op::at_least: return v.public_part() >= version;
    case Op::less: return is_less(v, version);
    case Op::greater: return is_greater(v, version);
    case Op::identical: return v.text() == text::lower(text);
  }
  return false;
}

Result<SpecifierSet> SpecifierSet::parse(std::string_view text) {
  SpecifierSet set;
  for (std::string_view part : text::split(text, ',')) {
    part = text::trim(part);
    if (part.empty()) continue;
    auto one = parse_one(part);
    if (!one) return std::unexpected(one.error());
    set.all_.push_back(std::move(*one));
  }
  return set;
}

bool SpecifierSet::contains(const Version& v) const {
  return std::ranges::all_of(all_, [&](const Specifier& s) { return s.contains(v); });
}

std::string SpecifierSet::text() const {
  std::string out;
  for (const Specifier& s : all_) {
    if (!out.empty()) out += ',';
    out.append(spelling(s.op)) += s.text;
  }
  return out;
}

}  // namespace ungate::package

// Versions of Python packages, as PEP 440 defines and orders them.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ungate::package {

// A natural number of any length: local versions hold dates and commit counts that no machine
// integer is sure to fit.
class Number {
 public:
  Number() = default;                            // 0
  explicit Number(std::string_view digits);      // decimal digits only
  const std::string& text() const { return digits_; }
  bool operator==(const Number&) const = default;
  std::strong_ordering operator<=>(const Number& other) const;

 private:
  std::string digits_ = "0";  // no leading zeros
};

// One part of a local version: "+cu129.2" has the parts "cu129" and 2.
struct LocalPart {
  bool numeric = false;
  Number number;     // if numeric
  std::string text;  // else, lower case
  bool operator==(const LocalPart&) const = default;
  // A number is newer than any text.
  std::strong_ordering operator<=>(const LocalPart& other) const;
};

// Ordered as PEP 440 says: 1.0.dev1 < 1.0a1.dev1 < 1.0a1 < 1.0b1 < 1.0rc1 < 1.0 < 1.0+x
// < 1.0.post1. Equality ignores trailing zeros of the release and every spelling that normalisation
// removes.
struct Version {
  enum class Pre { alpha, beta, candidate };
  struct PreRelease {
    Pre kind;
    Number number;
    auto operator<=>(const PreRelease&) const = default;
  };

  Number epoch;
  std::vector<Number> release;  // at least one, as written: "1.0" keeps its zero
  std::optional<PreRelease> pre;
  std::optional<Number> post, dev;
  std::vector<LocalPart> local;

  // Accepts every spelling of PEP 440's appendix B ("v1.0-ALPHA.1", "1.0-3", surrounding blanks);
  // nullopt for anything else.
  static std::optional<Version> parse(std::string_view text);

  bool is_prerelease() const { return pre || dev; }
  std::string text() const;    // normalised: "1!2.0a1.post2.dev3+local.4"
  Version public_part() const; // without the local version
  Version base() const;        // epoch and release only

  bool operator==(const Version& other) const { return (*this <=> other) == 0; }
  std::strong_ordering operator<=>(const Version& other) const;
};

}  // namespace ungate::package

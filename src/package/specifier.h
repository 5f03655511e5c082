// Version specifiers of PEP 440: "==0.6.*", ">=0.6,<0.6.9", "~=1.4.5", "!=0.6.5",
// "===1.0+anything".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "package/version.h"

namespace ungate::package {

struct Specifier {
  enum class Operator { compatible, equal, not_equal, at_most, at_least, less, greater, identical };
  Operator op = Operator::equal;
  Version version;     // not for `identical`
  bool prefix = false; // "==0.6.*" and "!=0.6.*"
  std::string text;    // what stood after the operator

  bool contains(const Version& v) const;
};

// A conjunction. The empty set contains every version. Pre-releases are not left out: the question
// asked here is always whether an *installed* version fits, for which PEP 440 makes no exception.
class SpecifierSet {
 public:
  // `bad_rule` names the part that is not a specifier.
  static Result<SpecifierSet> parse(std::string_view text);

  bool contains(const Version& v) const;
  const std::vector<Specifier>& all() const { return all_; }
  std::string text() const;  // as given, blanks removed: ">=0.6,<0.6.9"

 private:
  std::vector<Specifier> all_;
};

}  // namespace ungate::package

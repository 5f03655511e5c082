#include "gate/gate.h"

namespace ungate::gate {

std::string_view name_of(Admits a) {
  return a == Admits::yes ? "yes" : a == Admits::no ? "no" : "unknown";
}

std::string_view name_of(Effect e) {
  static constexpr std::string_view kNames[] = {
      "none", "raises", "fails-build", "empty-kernel", "race", "slower", "silent-fallback", "feature-off",
      "not-built", "no-code", "wrong-limit", "definition", "unreachable"};
  return kNames[static_cast<int>(e)];
}

std::string_view name_of(Verdict v) {
  static constexpr std::string_view kNames[] = {"", "policy", "capability", "over-admission", "unknown"};
  return kNames[static_cast<int>(v)];
}

}  // namespace ungate::gate

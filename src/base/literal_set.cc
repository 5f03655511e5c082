#include "base/literal_set.h"

#include <algorithm>
#include <cstring>

namespace ungate {

LiteralSet::LiteralSet(std::vector<std::string> literals) : literals_(std::move(literals)) {
  std::erase(literals_, std::string());
  if (literals_.empty()) return;
  shortest_ = std::ranges::min_element(literals_, {}, &std::string::size)->size();
  std::size_t farthest = std::min<std::size_t>(shortest_ - std::min<std::size_t>(shortest_, 1), 255);
  step_.fill(static_cast<std::uint8_t>(std::max<std::size_t>(farthest, 1)));
  for (const std::string& literal : literals_) {
    for (std::size_t i = 0; i + 1 < shortest_; ++i) {
      std::uint8_t& step = step_[slot(literal.data() + i)];
      step = std::min(step, static_cast<std::uint8_t>(std::min<std::size_t>(shortest_ - 2 - i, 255)));
    }
  }
}

bool LiteralSet::any_in(std::string_view text) const {
  if (literals_.empty()) return false;
  if (shortest_ < 2) {
    return std::ranges::any_of(literals_, [&](const std::string& l) { return text.find(l) != text.npos; });
  }
  for (std::size_t at = 0; at + shortest_ <= text.size();) {
    const char* window = text.data() + at;
    std::uint8_t step = step_[slot(window + shortest_ - 2)];
    if (step > 0) {
      at += step;
      continue;
    }
    for (const std::string& l : literals_) {
      if (l.size() <= text.size() - at && std::memcmp(window, l.data(), l.size()) == 0) return true;
    }
    ++at;
  }
  return false;
}

}  // namespace ungate

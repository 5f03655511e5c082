#include "cli/nearest.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace ungate::cli {
namespace {

// Insertions, deletions and replacements between two words.
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1] ? 1 : 0)});
      diagonal = above;
    }
  }
  return row.back();
}

}  // namespace

std::string nearest(const std::string& typed, const std::vector<std::string>& names) {
  std::string best;
  std::size_t least = std::max<std::size_t>(typed.size() / 3, 1) + 1;
  for (const std::string& name : names) {
    std::size_t d = name.starts_with(typed) && typed.size() > 1 ? 0 : distance(typed, name);
    if (d < least) least = d, best = name;
  }
  return best;
}

}  // namespace ungate::cli

// Line differences by Myers' greedy algorithm, printed as a unified diff.
#include <algorithm>
#include <map>

#include <fmt/core.h>

#include "source/edit.h"

namespace ungate::source {
namespace {

struct Change {
  std::size_t a, b;              // where it starts in each file (line index)
  std::size_t deleted, inserted;
};

// Lines with their ends, so that a missing final newline is seen.
std::vector<std::string_view> split_lines(std::string_view s) {
  std::vector<std::string_view> out;
  while (!s.empty()) {
    std::size_t n = s.find('\n');
    n = n == std::string_view::npos ? s.size() : n + 1;
    out.push_back(s.substr(0, n));
    s.remove_prefix(n);
  }
  return out;
}

using Lines = std::vector<std::string_view>;

// The shortest edit script between a[a0, a1) and b[b0, b1), as single-line steps walked back from the
// end of Myers' furthest-reaching paths.
std::vector<Change> changes(const Lines& a, const Lines& b) {
  std::size_t prefix = 0, suffix = 0;
  while (prefix < a.size() && prefix < b.size() && a[prefix] == b[prefix]) ++prefix;
  while (suffix < a.size() - prefix && suffix < b.size() - prefix &&
         a[a.size() - 1 - suffix] == b[b.size() - 1 - suffix]) {
    ++suffix;
  }
  auto n = static_cast<long>(a.size() - prefix - suffix), m = static_cast<long>(b.size() - prefix - suffix);
  auto same = [&](long x, long y) {
    return a[prefix + static_cast<std::size_t>(x)] == b[prefix + static_cast<std::size_t>(y)];
  };

  std::vector<std::map<long, long>> trace;  // per distance: diagonal -> furthest x
  std::map<long, long> v{{1, 0}};
  long d = 0;
  for (bool done = false; !done; ++d) {
    for (long k = -d; k <= d; k += 2) {
      long x = (k == -d || (k != d && v[k - 1] < v[k + 1])) ? v[k + 1] : v[k - 1] + 1;
      while (x < n && x - k < m && same(x, x - k)) ++x;
      v[k] = x;
      if (x >= n && x - k >= m) done = true;
    }
    trace.push_back(v);
  }

  std::vector<Change> steps;
  long x = n, y = m;
  for (d = static_cast<long>(trace.size()) - 1; d > 0; --d) {
    auto& before = trace[static_cast<std::size_t>(d - 1)];
    long k = x - y;
    bool down = k == -d || (k != d && before[k - 1] < before[k + 1]);
    long from_k = down ? k + 1 : k - 1;
    long from_x = before[from_k], from_y = from_x - from_k;
    auto at_a = prefix + static_cast<std::size_t>(from_x), at_b = prefix + static_cast<std::size_t>(from_y);
    steps.push_back({at_a, at_b, down ? 0u : 1u, down ? 1u : 0u});
    x = from_x;
    y = from_y;
  }
  std::ranges::reverse(steps);

  std::vector<Change> merged;
  for (const Change& step : steps) {
    if (!merged.empty() && merged.back().a + merged.back().deleted == step.a &&
        merged.back().b + merged.back().inserted == step.b) {
      merged.back().deleted += step.deleted;
      merged.back().inserted += step.inserted;
    } else {
      merged.push_back(step);
    }
  }
  return merged;
}

void print_line(std::string& out, char mark, std::string_view line) {
  out += mark;
  out += line;
  if (!line.ends_with('\n')) out += "\n\\ No newline at end of file\n";
}

std::string hunk_range(std::size_t begin, std::size_t count) {
  // A range of no lines names the line before it.
  std::size_t line = count == 0 ? begin : begin + 1;
  return count == 1 ? fmt::format("{}", line) : fmt::format("{},{}", line, count);
}

}  // namespace

std::string unified_diff(std::string_view before, std::string_view after, std::string_view path, int context) {
  if (before == after) return {};
  Lines a = split_lines(before), b = split_lines(after);
  std::vector<Change> all = changes(a, b);
  auto around = static_cast<std::size_t>(context);
  std::string out = fmt::format("--- a/{0}\n+++ b/{0}\n", path);
  for (std::size_t i = 0; i < all.size();) {
    std::size_t last = i;
    while (last + 1 < all.size() && all[last + 1].a - (all[last].a + all[last].deleted) <= 2 * around) ++last;
    std::size_t lead = std::min(around, all[i].a);
    std::size_t a0 = all[i].a - lead, b0 = all[i].b - lead;
    std::size_t a1 = std::min(a.size(), all[last].a + all[last].deleted + around);
    std::size_t b1 = std::min(b.size(), all[last].b + all[last].inserted + around);
    out += fmt::format("@@ -{} +{} @@\n", hunk_range(a0, a1 - a0), hunk_range(b0, b1 - b0));
    std::size_t at = a0;
    for (; i <= last; ++i) {
      for (; at < all[i].a; ++at) print_line(out, ' ', a[at]);
      for (std::size_t k = 0; k < all[i].deleted; ++k) print_line(out, '-', a[at++]);
      for (std::size_t k = 0; k < all[i].inserted; ++k) print_line(out, '+', b[all[i].b + k]);
    }
    for (; at < a1; ++at) print_line(out, ' ', a[at]);
  }
  return out;
}

}  // namespace ungate::source

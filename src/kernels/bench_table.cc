#include "kernels/bench_table.h"

#include <fmt/core.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <tuple>

#include "base/text.h"

namespace ungate::kernels {
namespace {

bool parse_double(std::string_view text, double& out) {
  std::string copy(text);
  char* end = nullptr;
  out = std::strtod(copy.c_str(), &end);
  return !copy.empty() && *end == '\0';
}

bool parse_number(std::string_view text, int& out) {
  std::int64_t n = 0;
  if (!text::parse_int(text, n) || n < 0 || n > 1 << 30) return false;
  out = static_cast<int>(n);
  return true;
}

// The last size where fusing wins before the first where it does not; sizes are in order.
struct Ends {
  const BenchPoint *last_win = nullptr, *first_loss = nullptr;
};

Ends ends(const std::vector<BenchPoint>& points, int ranks, int hidden) {
  Ends e;
  for (const BenchPoint& p : points) {
    if (p.ranks != ranks || p.hidden != hidden || p.ours == 0 || p.nccl == 0 ||
        e.first_loss != nullptr)
      continue;
    (p.ours <= p.nccl ? e.last_win : e.first_loss) = &p;
  }
  return e;
}

}  // namespace

Result<std::vector<BenchRow>> read_rows(std::string_view csv) {
  std::vector<BenchRow> out;
  int number = 0;
  for (std::string_view line : text::split(csv, '\n')) {
    ++number;
    if (line.empty()) continue;
    std::vector<std::string_view> cells;
    for (std::string_view cell : text::split(line, ',')) cells.push_back(cell);
    BenchRow row;
    if (cells.size() < 8 || !parse_number(cells[0], row.ranks) ||
        !parse_number(cells[1], row.hidden) || !parse_number(cells[2], row.tokens) ||
        !parse_double(cells[4], row.median) || !parse_double(cells[5], row.least) ||
        !parse_double(cells[6], row.p99))
      return fail(ErrorCode::malformed,
                  fmt::format("line {} of the benchmark's rows is not a row", number));
    row.variant = std::string(cells[3]);
    row.right = cells[7] == "ok";
    out.push_back(std::move(row));
  }
  return out;
}

std::vector<BenchPoint> points(const std::vector<BenchRow>& rows) {
  std::map<std::tuple<int, int, int>, BenchPoint> found;
  for (const BenchRow& row : rows) {
    BenchPoint& p = found[{row.ranks, row.hidden, row.tokens}];
    p.ranks = row.ranks;
    p.hidden = row.hidden;
    p.tokens = row.tokens;
    if (!row.right) {
      ++p.wrong;
    } else if (row.variant == "arf_pattern1") {
      p.ours = row.median;
      p.p99 = row.p99;
    } else if (row.variant == "floor") {
      p.floor = row.median;
    } else if (row.variant.starts_with("nccl") && (p.nccl == 0 || row.median < p.nccl)) {
      p.nccl = row.median;
      p.nccl_variant = row.variant;
    }
  }
  std::vector<BenchPoint> out;
  for (auto& [key, p] : found) out.push_back(std::move(p));
  return out;
}

double crossover(const std::vector<BenchPoint>& points, int ranks, int hidden) {
  Ends e = ends(points, ranks, hidden);
  return e.last_win && e.first_loss ? std::sqrt(e.last_win->kilobytes() * e.first_loss->kilobytes())
                                    : 0;
}

std::string advice(const std::vector<BenchPoint>& points, int ranks, int hidden) {
  auto [last_win, first_loss] = ends(points, ranks, hidden);
  bool compared = last_win != nullptr || first_loss != nullptr;
  std::string who = fmt::format("{} ranks, hidden {}: ", ranks, hidden);
  if (!compared) return who + "nothing to compare with; name an NCCL library with --nccl";
  if (first_loss == nullptr)
    return who +
           fmt::format("fuse at every size measured (up to {:.0f} KB)", last_win->kilobytes());
  if (last_win == nullptr) return who + "NCCL and a norm kernel are faster at every size measured";
  return who + fmt::format("fuse up to {:.0f} KB; NCCL and a norm kernel from {:.0f} KB",
                           last_win->kilobytes(), first_loss->kilobytes());
}

}  // namespace ungate::kernels

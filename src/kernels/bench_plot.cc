#include "kernels/bench_plot.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace ungate::kernels {
namespace {

constexpr double kWidth = 560, kHeight = 340, kLeft = 56, kRight = 16, kTop = 44, kBottom = 44;

struct Curve {
  const char* name;
  const char* colour;
  double BenchPoint::*value;
};

constexpr Curve kCurves[] = {{"fused", "#1a7f37", &BenchPoint::ours},
                             {"NCCL + norm", "#b3261e", &BenchPoint::nccl},
                             {"floor", "#7a7a7a", &BenchPoint::floor}};

// One logarithmic axis, in pixels.
struct Axis {
  double low, high, from, to;
  double at(double v) const {
    return from + (to - from) * std::log(v / low) / std::log(high / low);
  }
};

// The powers of `base` from the one below the least value to the one above the largest.
Axis axis_over(double least, double most, double base, double from, double to) {
  double low = std::pow(base, std::floor(std::log(least) / std::log(base)));
  double high = std::pow(base, std::ceil(std::log(most) / std::log(base)));
  return {low, high > low ? high : low * base, from, to};
}

std::string text(double x, double y, const char* anchor, const std::string& what,
                 const char* more = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y,
                     anchor, more, what);
}

std::string line(double x1, double y1, double x2, double y2, const char* look) {
  return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", x1, y1,
                     x2, y2, look);
}

std::string size_name(double kilobytes) {
  return kilobytes >= 1024 ? fmt::format("{:g} MB", kilobytes / 1024)
                           : fmt::format("{:g} KB", kilobytes);
}

std::string grid(const Axis& x, const Axis& y) {
  std::string out;
  for (double v = x.low; v <= x.high * 1.001; v *= 4) {
    out += line(x.at(v), y.from, x.at(v), y.to, "stroke=\"#e5e5e5\"");
    out += text(x.at(v), y.from + 16, "middle", size_name(v));
  }
  for (double v = y.low; v <= y.high * 1.001; v *= 2) {
    out += line(x.from, y.at(v), x.to, y.at(v), "stroke=\"#e5e5e5\"");
    out += text(x.from - 6, y.at(v) + 4, "end", fmt::format("{:g}", v));
  }
  out += text(x.from - 6, y.to - 8, "end", "µs");
  return out;
}

std::string curve(const std::vector<BenchPoint>& points, const Curve& c, const Axis& x,
                  const Axis& y) {
  std::string path, dots;
  for (const BenchPoint& p : points) {
    double v = p.*c.value;
    if (v <= 0) continue;
    path += fmt::format("{:.1f},{:.1f} ", x.at(p.kilobytes()), y.at(v));
    dots += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.5\" fill=\"{}\"/>\n",
                        x.at(p.kilobytes()), y.at(v), c.colour);
  }
  if (path.empty()) return {};
  path.pop_back();
  return fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>\n",
                     path, c.colour) +
         dots;
}

std::string panel(const std::vector<BenchPoint>& points, double top) {
  double least = HUGE_VAL, most = 0, smallest = HUGE_VAL, largest = 0;
  for (const BenchPoint& p : points) {
    smallest = std::min(smallest, p.kilobytes());
    largest = std::max(largest, p.kilobytes());
    for (const Curve& c : kCurves) {
      if (p.*c.value <= 0) continue;
      least = std::min(least, p.*c.value);
      most = std::max(most, p.*c.value);
    }
  }
  if (most == 0) return {};
  Axis x = axis_over(smallest, largest, 4, kLeft, kWidth - kRight);
  Axis y = axis_over(least, most, 2, top + kHeight - kBottom, top + kTop);
  int ranks = points.front().ranks, hidden = points.front().hidden;
  std::string out =
      text(kLeft, top + 18, "start", advice(points, ranks, hidden), " font-weight=\"bold\"");
  out += grid(x, y);
  if (double at = crossover(points, ranks, hidden); at > 0) {
    out += line(x.at(at), y.from, x.at(at), y.to, "stroke=\"#444\" stroke-dasharray=\"4 3\"");
    out += text(x.at(at) - 4, y.to + 12, "end", size_name(std::round(at)));
  }
  double legend = x.from + 8;
  for (const Curve& c : kCurves) {
    std::string drawn = curve(points, c, x, y);
    if (drawn.empty()) continue;
    out += drawn + line(legend, top + 31, legend + 18, top + 31,
                        fmt::format("stroke=\"{}\" stroke-width=\"2\"", c.colour).c_str());
    out += text(legend + 23, top + 35, "start", c.name);
    legend += 120;
  }
  return out;
}

}  // namespace

std::string plot_svg(const std::vector<BenchPoint>& points) {
  std::map<std::pair<int, int>, std::vector<BenchPoint>> groups;
  for (const BenchPoint& p : points) groups[{p.ranks, p.hidden}].push_back(p);
  std::string panels;
  double top = 0;
  for (const auto& [key, group] : groups) {
    std::string drawn = panel(group, top);
    if (drawn.empty()) continue;
    panels += drawn;
    top += kHeight;
  }
  if (panels.empty()) return {};
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:g} {1:g}\" "
             "width=\"{0:g}\" height=\"{1:g}\" "
             "font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"{0:g}\" height=\"{1:g}\" "
             "fill=\"#fff\"/>\n",
             kWidth, top) +
         panels + "</svg>\n";
}

}  // namespace ungate::kernels

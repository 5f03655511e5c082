// The picture of a benchmark.
#include "kernels/bench_plot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ungate::kernels {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

BenchPoint point(int tokens, double ours, double nccl, double floor) {
  BenchPoint p;
  p.ranks = 2;
  p.hidden = 4096;
  p.tokens = tokens;
  p.ours = ours;
  p.nccl = nccl;
  p.floor = floor;
  return p;
}

TEST(BenchPlot, DrawsEveryCurveAndTheCrossover) {
  const std::vector<BenchPoint> p{point(1, 2, 8, 1.5), point(8, 3, 8, 2), point(128, 20, 10, 7)};
  EXPECT_NEAR(crossover(p, 2, 4096), 256, 1);
  const std::string svg = plot_svg(p);
  EXPECT_THAT(svg, HasSubstr("<svg xmlns"));
  EXPECT_THAT(svg, HasSubstr(">fused</text>"));
  EXPECT_THAT(svg, HasSubstr(">NCCL + norm</text>"));
  EXPECT_THAT(svg, HasSubstr(">floor</text>"));
  EXPECT_THAT(svg, HasSubstr("stroke-dasharray"));
  EXPECT_THAT(svg, HasSubstr(">256 KB</text>"));
}

// What was not measured is not drawn.
TEST(BenchPlot, WithoutNcclThereIsNoCrossover) {
  const std::vector<BenchPoint> p{point(1, 2, 0, 0), point(8, 3, 0, 0)};
  EXPECT_EQ(crossover(p, 2, 4096), 0);
  const std::string svg = plot_svg(p);
  EXPECT_THAT(svg, HasSubstr(">fused</text>"));
  EXPECT_THAT(svg, Not(HasSubstr(">NCCL + norm</text>")));
  EXPECT_THAT(svg, Not(HasSubstr("stroke-dasharray")));
}

TEST(BenchPlot, AGroupIsAPanel) {
  std::vector<BenchPoint> p{point(1, 2, 8, 1), point(8, 3, 9, 2)};
  const std::string one = plot_svg(p);
  for (BenchPoint q : {point(1, 3, 9, 1), point(8, 4, 9, 2)}) {
    q.hidden = 7168;
    p.push_back(q);
  }
  EXPECT_THAT(one, HasSubstr("viewBox=\"0 0 560 340\""));
  EXPECT_THAT(plot_svg(p), HasSubstr("viewBox=\"0 0 560 680\""));
}

TEST(BenchPlot, NothingMeasuredIsNothingDrawn) {
  EXPECT_EQ(plot_svg({}), "");
  EXPECT_EQ(plot_svg({point(1, 0, 0, 0)}), "");
}

}  // namespace
}  // namespace ungate::kernels

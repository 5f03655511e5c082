// Properties of partitions: whatever the operator, the result is disjoint and complete, and equals what
// a loop over the table computes.
#include "value/guarded.h"

#include <gtest/gtest.h>

#include <random>

namespace ungate::value {
namespace {

using arch::CodeTargetSet;
using arch::DeviceSet;

template <class Set>
class GuardedProperty : public testing::Test {
 public:
  using G = Guarded<int, Set>;

  G random() {
    int kinds = 1 + static_cast<int>(rng_() % 5);
    return G::tabulate([&](unsigned) { return static_cast<int>(rng_() % static_cast<unsigned>(kinds)); });
  }
  Set random_set() { return Set(rng_()) & G::all(); }

  template <class T>
  static void check(const Guarded<T, Set>& g) {
    Set seen;
    for (std::size_t i = 0; i < g.size(); ++i) {
      ASSERT_FALSE(g.cell(i).where.empty());
      ASSERT_TRUE((seen & g.cell(i).where).empty()) << "cells overlap";
      seen |= g.cell(i).where;
      for (std::size_t j = 0; j < i; ++j) {
        ASSERT_FALSE(g.cell(i).value == g.cell(j).value) << "two cells hold one value";
        ASSERT_LT(g.cell(j).where.front(), g.cell(i).where.front()) << "cells out of order";
      }
    }
    ASSERT_EQ(seen, G::all()) << "not complete";
  }

 private:
  std::mt19937_64 rng_{7};
};

using Sets = testing::Types<DeviceSet, CodeTargetSet>;
TYPED_TEST_SUITE(GuardedProperty, Sets);

TYPED_TEST(GuardedProperty, OperatorsEqualBruteForce) {
  using F = typename TestFixture::G;
  for (int round = 0; round < 2000; ++round) {
    F a = this->random(), b = this->random();
    TypeParam where = this->random_set();
    auto mapped = a.map([](int x) { return x % 2 == 0; });
    auto zipped = a.zip(b, [](int x, int y) { return x * 3 + y; });
    F laid = a.overlay(where, b);
    this->check(a);
    this->check(mapped);
    this->check(zipped);
    this->check(laid);
    for (unsigned i : F::all()) {
      ASSERT_EQ(mapped.at(i), a.at(i) % 2 == 0);
      ASSERT_EQ(zipped.at(i), a.at(i) * 3 + b.at(i));
      ASSERT_EQ(laid.at(i), where.has(i) ? b.at(i) : a.at(i));
      ASSERT_EQ(a.where([](int x) { return x == 1; }).has(i), a.at(i) == 1);
    }
  }
}

TYPED_TEST(GuardedProperty, EqualFunctionsAreEqualPartitions) {
  using F = typename TestFixture::G;
  for (int round = 0; round < 500; ++round) {
    F a = this->random();
    F again = F::tabulate([&](unsigned i) { return a.at(i); });
    EXPECT_TRUE(a == again);
    EXPECT_TRUE(a.overlay(this->random_set(), a) == a);
  }
}

}  // namespace
}  // namespace ungate::value

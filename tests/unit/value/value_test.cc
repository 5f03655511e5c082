#include "value/value.h"

#include <gtest/gtest.h>

#include <random>

#include "value/operators.h"

namespace ungate::value {
namespace {

class Values_ : public testing::Test {
 protected:
  Store s;
  Free config{Free::Kind::config, Symbol("mode")};

  ValueId i(std::int64_t n) { return s.integer(n); }
  ValueId str(std::string_view t) { return s.string(t); }
  ValueId tuple(std::initializer_list<ValueId> v) { return s.sequence(Kind::tuple, std::vector(v)); }
  ValueId list(std::initializer_list<ValueId> v) { return s.sequence(Kind::list, std::vector(v)); }
  ValueId yes() { return s.boolean(true); }
  ValueId no() { return s.boolean(false); }
};

TEST_F(Values_, EqualValuesAreOneId) {
  EXPECT_EQ(tuple({i(1), str("a")}), tuple({i(1), str("a")}));
  EXPECT_NE(tuple({i(1)}), list({i(1)}));
  EXPECT_EQ(s.sequence(Kind::set, std::vector{i(2), i(1), i(2)}), s.sequence(Kind::set, std::vector{i(1), i(2)}));
  for (int n = 0; n < 10'000; ++n) i(n);  // grows the table
  EXPECT_EQ(tuple({i(1), str("a")}), tuple({i(1), str("a")}));
}

TEST_F(Values_, JoinKeepsUnknownAsAMember) {
  ValueId u = s.unknown(config);
  ValueId both = s.join(i(3), u);
  EXPECT_EQ(s.kind(both), Kind::alternatives);
  EXPECT_TRUE(s.may_be_unknown(both));
  EXPECT_EQ(s.truth(both), kTrue | kUnknown);
  EXPECT_EQ(s.join(s.absent(), i(3)), i(3)) << "absent is not an outcome";
  EXPECT_EQ(s.join(both, i(3)), both);
  EXPECT_EQ(s.reasons(both).size(), 1u);
}

TEST_F(Values_, ReasonTextsDoNotPushTheFlagOut) {
  ValueId out = s.absent();
  for (int n = 0; n < 20; ++n) out = s.join(out, tuple({no(), str("reason " + std::to_string(n))}));
  ASSERT_EQ(s.kind(out), Kind::tuple);
  EXPECT_EQ(s.items(out)[0], no());
}

TEST_F(Values_, TooManyAlternativesBecomeUnknown) {
  ValueId out = s.absent();
  for (int n = 0; n < 20; ++n) out = s.join(out, i(n));
  EXPECT_TRUE(s.may_be_unknown(out));
}

TEST_F(Values_, Comparisons) {
  auto is = [&](Comparison op, ValueId a, ValueId b) { return compare(s, op, a, b); };
  EXPECT_EQ(is(Comparison::ge, tuple({i(12), i(0)}), tuple({i(9), i(0)})), yes());
  EXPECT_EQ(is(Comparison::lt, tuple({i(9)}), tuple({i(9), i(0)})), yes());
  EXPECT_EQ(is(Comparison::in, i(12), list({i(9), i(10)})), no());
  EXPECT_EQ(is(Comparison::in, str("compute_100"), str("-gencode=arch=compute_100a")), yes());
  EXPECT_EQ(is(Comparison::eq, i(1), yes()), yes());
  EXPECT_EQ(is(Comparison::is, s.none(), s.none()), yes());
  EXPECT_TRUE(s.is_absent(is(Comparison::ge, s.none(), i(9)))) << "None >= 9 raises";
  EXPECT_TRUE(s.is_absent(is(Comparison::lt, tuple({i(9), i(0)}), i(9))));
  EXPECT_TRUE(s.is_unknown(is(Comparison::in, s.unknown(config), list({i(1)}))));
  ValueId open = s.sequence(Kind::list, std::vector{i(9)}, true);
  EXPECT_EQ(is(Comparison::in, i(9), open), yes());
  EXPECT_TRUE(s.is_unknown(is(Comparison::in, i(12), open)));
  EXPECT_EQ(is(Comparison::in, i(12), s.sequence(Kind::tuple, {})), no());
}

// Item by item against the C++ language's own arithmetic.
TEST_F(Values_, IntegerArithmeticFollowsPython) {
  std::mt19937 rng(3);
  for (int round = 0; round < 5000; ++round) {
    std::int64_t a = static_cast<int>(rng() % 401) - 200, b = static_cast<int>(rng() % 41) - 20;
    EXPECT_EQ(binary(s, Binary::add, i(a), i(b)), i(a + b));
    EXPECT_EQ(binary(s, Binary::mul, i(a), i(b)), i(a * b));
    if (b == 0) {
      EXPECT_TRUE(s.is_absent(binary(s, Binary::floordiv, i(a), i(b))));
      continue;
    }
    ValueId q = binary(s, Binary::floordiv, i(a), i(b)), r = binary(s, Binary::mod, i(a), i(b));
    std::int64_t quotient = s.node(q).number, rest = s.node(r).number;
    ASSERT_EQ(quotient * b + rest, a);
    ASSERT_TRUE(rest == 0 || (rest < 0) == (b < 0));
    ASSERT_LT(std::abs(rest), std::abs(b));
  }
}

TEST_F(Values_, OperatorsOnTextAndContainers) {
  EXPECT_EQ(binary(s, Binary::add, str("sm_"), str("90")), str("sm_90"));
  EXPECT_EQ(binary(s, Binary::add, list({i(1)}), list({i(2)})), list({i(1), i(2)}));
  EXPECT_TRUE(s.is_absent(binary(s, Binary::add, str("a"), i(1))));
  EXPECT_EQ(s.to_text(binary(s, Binary::div, s.path(Symbol("root")), str("csrc"))), "Path(root/csrc)");
  EXPECT_EQ(subscript(s, tuple({i(12), i(0)}), i(-2)), i(12));
  EXPECT_EQ(slice(s, tuple({i(1), i(2), i(3)}), s.none(), i(2), s.none()), tuple({i(1), i(2)}));
  ValueId table = s.dict(std::vector{i(9), str("a"), i(10), str("b")});
  EXPECT_EQ(subscript(s, table, i(10)), str("b"));
  EXPECT_TRUE(s.is_absent(subscript(s, table, i(12)))) << "a missing key is a KeyError";
  ValueId keyed = s.dict(std::vector{tuple({str("90a"), s.unknown(config)}), i(1)});
  EXPECT_TRUE(s.is_absent(subscript(s, keyed, tuple({str("120a"), str("x")}))))
      << "a known part that differs decides, whatever the unknown part is";
}

TEST_F(Values_, LiftsOverAlternatives) {
  ValueId either = s.join(i(9), i(12));
  ValueId out = s.lift(either, i(10), [&](ValueId a, ValueId b) { return compare(s, Comparison::ge, a, b); });
  EXPECT_EQ(s.truth(out), kTrue | kFalse);
  ValueId with_unknown = s.join(i(12), s.unknown(config));
  out = s.lift(with_unknown, i(10), [&](ValueId a, ValueId b) { return compare(s, Comparison::ge, a, b); });
  EXPECT_EQ(s.truth(out), kTrue | kUnknown);
}

TEST_F(Values_, FieldsOfObjects) {
  ValueId o = s.object(1, {}, false);
  o = s.with_field(o, Symbol("b"), i(2));
  o = s.with_field(o, Symbol("a"), i(1));
  ValueId other = s.with_field(s.with_field(s.object(1, {}, false), Symbol("a"), i(1)), Symbol("b"), i(2));
  EXPECT_EQ(o, other) << "fields have no order";
  ValueId got;
  EXPECT_TRUE(s.field(o, Symbol("b"), got));
  EXPECT_EQ(got, i(2));
  EXPECT_FALSE(s.field(o, Symbol("c"), got));
}

// Evaluation over the table equals evaluating for one device after another.
TEST_F(Values_, EvaluationEqualsBruteForce) {
  Values capability = Values::tabulate([&](unsigned d) {
    arch::Device device(d);
    return tuple({i(device.major()), i(device.minor())});
  });
  for (auto [major, minor] : {std::pair{9, 0}, {10, 3}, {12, 0}, {8, 9}}) {
    for (Comparison op : {Comparison::lt, Comparison::le, Comparison::eq, Comparison::ne, Comparison::gt, Comparison::ge}) {
      Values outcome = capability.zip(Values(tuple({i(major), i(minor)})), [&](ValueId a, ValueId b) {
        return s.lift(a, b, [&](ValueId x, ValueId y) { return compare(s, op, x, y); });
      });
      for (unsigned d : Values::all()) {
        arch::Device device(d);
        auto a = std::pair{device.major(), device.minor()}, b = std::pair{major, minor};
        bool expected = op == Comparison::lt ? a < b : op == Comparison::le ? a <= b : op == Comparison::eq ? a == b
                      : op == Comparison::ne ? a != b : op == Comparison::gt ? a > b : a >= b;
        ASSERT_EQ(outcome.at(d), s.boolean(expected)) << device.name();
      }
    }
  }
}

TEST(World, TheLaterAssumptionWins) {
  World world;
  Free cuda{Free::Kind::toolkit, Symbol("cuda")};
  world.assume(cuda, std::string("12.8"), "default");
  world.assume(cuda, std::string("13.0"), "--assume");
  ASSERT_NE(world.find(cuda), nullptr);
  EXPECT_EQ(std::get<std::string>(world.find(cuda)->value), "13.0");
  EXPECT_EQ(world.entries().size(), 1u);
  EXPECT_EQ(world.find(Free{Free::Kind::env, Symbol("X")}), nullptr);
  EXPECT_EQ(to_text(Free{Free::Kind::env, Symbol("X")}), "environment variable X");
}

}  // namespace
}  // namespace ungate::value

// The protocol of kernels/call.h, in every interleaving: two halves, self-describing packs,
// greetings.
#include <gtest/gtest.h>

#include "unit/kernels/explorer.h"

namespace arf::model {
namespace {

// Deliberate mistakes, as in the kernels' test build.
enum Mistake { kNone, kOneHalf, kKeepInbox, kForgetRank, kNoFence };

// One row of one pack (one-shot) or of a few segments (two-shot).
class Protocol {
 public:
  Protocol(int ranks, int segments, Mistake mistake)
      : n_(ranks), segments_(segments), mistake_(mistake) {}

  // Data slots: [half][source] for one-shot; [half][segment][source], then [half][segment] for
  // two-shot. Greetings come last.
  int slots() const { return data_slots() + 2 * n_; }

  Program one_shot(int calls) const {
    return program(calls, [this](int r, int k) {
      Thread t;
      for (int q = 0; q < n_; q++)
        if (q != r) t.push_back(send(q, parity(k) * n_ + r, code(k, r)));
      greet(t, r, k);
      for (int q = 0; q < n_; q++)
        if (q != r) t.push_back(take(parity(k) * n_ + q, code(k, q)));
      meet(t, r, k);
      return Call{t};
    });
  }

  // A thread a segment, and one that greets.
  Program two_shot(int calls) const {
    return program(calls, [this](int r, int k) {
      Call call;
      for (int s = 0; s < segments_; s++) {
        Thread t;
        const int owner = s % n_;
        if (owner == r) {
          for (int q = 0; q < n_; q++)
            if (q != r) t.push_back(take(scatter(k, s, q), code(k, q)));
          for (int q = 0; q < n_; q++)
            if (q != r && !(mistake_ == kForgetRank && q == n_ - 1))
              t.push_back(send(q, gather(k, s), code(k, n_)));
        } else {
          t.push_back(send(owner, scatter(k, s, r), code(k, r)));
          t.push_back(take(gather(k, s), code(k, n_)));
        }
        call.push_back(t);
      }
      Thread t;
      greet(t, r, k);
      meet(t, r, k);
      call.push_back(t);
      return call;
    });
  }

  // Own rows are left in own memory (late, without the fence), announced, and read by the peers.
  Program pull(int calls) const {
    return program(calls, [this](int r, int k) {
      Thread t;
      const auto own = static_cast<uint8_t>(parity(k) * n_ + r);
      if (mistake_ == kNoFence)
        t.push_back(send(r, own, code(k, r)));
      else
        t.push_back({Step::kWrite, 0, own, code(k, r)});
      greet(t, r, k);
      meet(t, r, k);
      for (int q = 0; q < n_; q++)
        if (q != r)
          t.push_back({Step::kRead, static_cast<uint8_t>(q),
                       static_cast<uint8_t>(parity(k) * n_ + q), code(k, q)});
      return Call{t};
    });
  }

  // Two islands, one segment, owned by the first rank of each; greetings are left out: here every
  // rank waits for data that depend on all others.
  Program hierarchical(int calls) const {
    return program(calls, [this](int r, int k) {
      Thread t;
      const int members = n_ / 2, owner = r / members * members, twin = (owner + members) % n_;
      const auto at = [&](int kind) { return (kind * 2 + parity(k)) * n_; };
      if (r != owner) {
        t.push_back(send(owner, at(0) + r, code(k, r)));
        t.push_back(take(at(2), code(k, n_)));
        return Call{t};
      }
      for (int q = owner + 1; q < owner + members; q++) t.push_back(take(at(0) + q, code(k, q)));
      t.push_back(send(twin, at(1), code(k, owner)));
      t.push_back(take(at(1), code(k, twin)));
      for (int q = owner + 1; q < owner + members; q++) t.push_back(send(q, at(2), code(k, n_)));
      return Call{t};
    });
  }
  // Of the hierarchical program: three kinds of two halves of a slot a rank; greetings, unused.
  int island_slots() const { return 3 * 2 * n_ + 2 * n_; }

 private:
  int parity(int k) const { return mistake_ == kOneHalf ? 0 : k % 2; }
  int data_slots() const { return 2 * n_ + 2 * segments_ * n_ + 2 * segments_; }
  int scatter(int k, int s, int source) const {
    return 2 * n_ + (parity(k) * segments_ + s) * n_ + source;
  }
  int gather(int k, int s) const { return 2 * n_ + 2 * segments_ * n_ + parity(k) * segments_ + s; }
  int greeting(int k, int source) const { return data_slots() + parity(k) * n_ + source; }
  // Tells every call's and every rank's pack (rank n: the sum) from all others.
  uint8_t code(int k, int source) const { return static_cast<uint8_t>(k * (n_ + 1) + source + 1); }

  Step send(int peer, int slot, uint8_t value) const {
    return {Step::kSend, static_cast<uint8_t>(peer), static_cast<uint8_t>(slot), value};
  }
  Step take(int slot, uint8_t value) const {
    return {Step::kTake, 0, static_cast<uint8_t>(slot), value, mistake_ != kKeepInbox};
  }
  void greet(Thread& t, int r, int k) const {
    for (int q = 0; q < n_; q++)
      if (q != r) t.push_back(send(q, greeting(k, r), static_cast<uint8_t>(k + 1)));
  }
  void meet(Thread& t, int r, int k) const {
    for (int q = 0; q < n_; q++)
      if (q != r)
        t.push_back(
            {Step::kMeet, 0, static_cast<uint8_t>(greeting(k, q)), static_cast<uint8_t>(k + 1)});
  }

  template <class F>
  Program program(int calls, F call) const {
    Program p(static_cast<size_t>(n_));
    for (int r = 0; r < n_; r++)
      for (int k = 0; k < calls; k++) p[static_cast<size_t>(r)].push_back(call(r, k));
    return p;
  }

  int n_, segments_;
  Mistake mistake_;
};

TEST(Protocol, OneShotOfTwoRanks) {
  const Protocol p(2, 1, kNone);
  const Verdict v = explore(p.one_shot(5), p.slots());
  EXPECT_EQ(v.mistake, "");
  EXPECT_TRUE(v.all_ended);
  EXPECT_GT(v.states, 100u);
}

TEST(Protocol, OneShotOfThreeRanks) {
  const Protocol p(3, 1, kNone);
  const Verdict v = explore(p.one_shot(3), p.slots());
  EXPECT_EQ(v.mistake, "");
  EXPECT_TRUE(v.all_ended);
  EXPECT_GT(v.states, 10'000u);
}

TEST(Protocol, TwoShotOfTwoRanks) {
  for (const int segments : {1, 2}) {
    const Protocol p(2, segments, kNone);
    const Verdict v = explore(p.two_shot(4), p.slots());
    EXPECT_EQ(v.mistake, "") << segments;
    EXPECT_TRUE(v.all_ended);
    EXPECT_GT(v.states, 100u);
  }
}

// One segment: two ranks own nothing.
TEST(Protocol, TwoShotWithEmptyShards) {
  const Protocol p(3, 1, kNone);
  const Verdict v = explore(p.two_shot(3), p.slots());
  EXPECT_EQ(v.mistake, "");
  EXPECT_TRUE(v.all_ended);
}

// The others wait (and run into the time-out), but nobody takes a wrong pack.
TEST(Protocol, RankThatDiesAtAnyMoment) {
  for (const int doomed : {0, 1}) {
    const Protocol p(2, 2, kNone);
    for (const Program& program : {p.one_shot(4), p.two_shot(3)}) {
      const Verdict v = explore(program, p.slots(), doomed);
      EXPECT_EQ(v.mistake, "") << doomed;
      EXPECT_FALSE(v.all_ended);
    }
  }
}

TEST(Protocol, Pull) {
  const Protocol two(2, 1, kNone), three(3, 1, kNone);
  for (const auto& [program, slots] :
       {std::pair{two.pull(5), two.slots()}, std::pair{three.pull(3), three.slots()}}) {
    const Verdict v = explore(program, slots);
    EXPECT_EQ(v.mistake, "");
    EXPECT_TRUE(v.all_ended);
    EXPECT_GT(v.states, 50u);
  }
  for (const Mistake m : {kOneHalf, kNoFence}) {
    const Protocol wrong(2, 1, m);
    EXPECT_NE(explore(wrong.pull(3), wrong.slots()).mistake, "") << m;
  }
}

TEST(Protocol, HierarchicalOfTwoIslands) {
  const Protocol p(4, 1, kNone);
  const Verdict v = explore(p.hierarchical(4), p.island_slots());
  EXPECT_EQ(v.mistake, "");
  EXPECT_TRUE(v.all_ended);
  EXPECT_GT(v.states, 100u);
  const Protocol half(4, 1, kOneHalf);
  EXPECT_NE(explore(half.hierarchical(3), half.island_slots()).mistake, "");
}

// What the protocol needs is needed: without it the explorer finds an interleaving that goes wrong.
TEST(Protocol, MistakesAreFound) {
  const Protocol half(2, 1, kOneHalf), keep(2, 1, kKeepInbox), forget(2, 2, kForgetRank);
  EXPECT_NE(explore(half.one_shot(3), half.slots()).mistake, "");
  EXPECT_NE(explore(half.two_shot(3), half.slots()).mistake, "");
  EXPECT_NE(explore(keep.one_shot(3), keep.slots()).mistake, "");
  EXPECT_NE(explore(keep.two_shot(3), keep.slots()).mistake, "");
  EXPECT_NE(explore(forget.two_shot(2), forget.slots()).mistake, "");
}

}  // namespace
}  // namespace arf::model

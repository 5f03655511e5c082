#include "unit/kernels/explorer.h"

#include <algorithm>
#include <unordered_set>

namespace arf::model {
namespace {

constexpr uint8_t kEmpty = 0;

struct Store {
  uint8_t from, to, slot, value;
};

struct State {
  std::vector<uint8_t> call;                 // by rank
  std::vector<std::vector<uint8_t>> step;    // by rank and thread
  std::vector<std::vector<uint8_t>> memory;  // by rank and slot
  std::vector<Store> travelling;             // oldest first
  bool dead = false;

  std::string key() const {
    std::string k;
    for (const uint8_t c : call) k += static_cast<char>(c);
    for (const auto& threads : step)
      for (const uint8_t s : threads) k += static_cast<char>(s);
    for (const auto& m : memory)
      for (const uint8_t v : m) k += static_cast<char>(v);
    // Only the order of stores to one slot matters.
    std::vector<Store> sorted = travelling;
    std::stable_sort(sorted.begin(), sorted.end(), [](const Store& a, const Store& b) {
      return a.to != b.to ? a.to < b.to : a.slot < b.slot;
    });
    for (const Store& s : sorted)
      k.append({static_cast<char>(s.to), static_cast<char>(s.slot), static_cast<char>(s.value)});
    k += dead ? '!' : '.';
    return k;
  }
};

class Explorer {
 public:
  Explorer(const Program& program, int slots, int doomed)
      : program_(program), slots_(slots), doomed_(doomed) {}

  Verdict run() {
    const size_t ranks = program_.size();
    State s;
    s.call.assign(ranks, 0);
    s.step.resize(ranks);
    s.memory.assign(ranks, std::vector<uint8_t>(static_cast<size_t>(slots_), kEmpty));
    for (size_t r = 0; r < ranks; r++) begin(s, r);
    push(std::move(s));
    while (!open_.empty() && verdict_.mistake.empty()) {
      const State next = std::move(open_.back());
      open_.pop_back();
      expand(next);
    }
    return verdict_;
  }

 private:
  void push(State s) {
    if (seen_.insert(s.key()).second) {
      verdict_.states++;
      open_.push_back(std::move(s));
    }
  }

  bool ended(const State& s, size_t r) const { return s.call[r] == program_[r].size(); }

  // Starts the rank's next call.
  void begin(State& s, size_t r) {
    s.step[r].clear();
    if (ended(s, r)) return;
    s.step[r].assign(program_[r][s.call[r]].size(), 0);
    send_all(s, r);
  }

  // Sends what the rank can send without waiting, and ends the call when all is done.
  void send_all(State& s, size_t r) {
    const Call& call = program_[r][s.call[r]];
    bool done = true;
    for (size_t t = 0; t < call.size(); t++) {
      while (s.step[r][t] < call[t].size()) {
        const Step& step = call[t][s.step[r][t]];
        if (step.kind != Step::kSend && step.kind != Step::kWrite) break;
        s.step[r][t]++;
        if (step.kind == Step::kWrite) {
          s.memory[r][step.slot] = step.value;
          continue;
        }
        s.travelling.push_back({static_cast<uint8_t>(r), step.peer, step.slot, step.value});
      }
      done = done && s.step[r][t] == call[t].size();
    }
    if (!done) return;
    s.call[r]++;
    begin(s, r);
  }

  void expand(const State& s) {
    bool moved = false;
    for (size_t i = 0; i < s.travelling.size(); i++) moved = arrive(s, i) || moved;
    for (size_t r = 0; r < program_.size(); r++) {
      if (ended(s, r) || (s.dead && static_cast<int>(r) == doomed_)) continue;
      for (size_t t = 0; t < s.step[r].size(); t++) moved = take(s, r, t) || moved;
      if (static_cast<int>(r) == doomed_ && !s.dead) die(s);
    }
    if (moved) return;
    for (size_t r = 0; r < program_.size(); r++)
      if (!ended(s, r) && static_cast<int>(r) != doomed_) {
        if (!s.dead)
          verdict_.mistake =
              "rank " + std::to_string(r) + " waits for ever in call " + std::to_string(s.call[r]);
        verdict_.all_ended = false;
      }
  }

  bool arrive(const State& s, size_t i) {
    const Store& store = s.travelling[i];
    for (size_t k = 0; k < i; k++)
      if (s.travelling[k].to == store.to && s.travelling[k].slot == store.slot) return false;
    State next = s;
    next.travelling.erase(next.travelling.begin() + static_cast<std::ptrdiff_t>(i));
    if (s.dead && store.from == doomed_) push(next);  // lost with its sender
    uint8_t& there = next.memory[store.to][store.slot];
    // A data slot that is written twice has lost what it held; greetings are written over.
    if (store.slot < greetings_from() && there != kEmpty)
      verdict_.mistake = "rank " + std::to_string(store.from) + " overwrites a pack of rank " +
                         std::to_string(store.to);
    there = store.value;
    push(std::move(next));
    return true;
  }

  bool take(const State& s, size_t r, size_t t) {
    const Thread& thread = program_[r][s.call[r]][t];
    if (s.step[r][t] == thread.size()) return false;
    const Step& step = thread[s.step[r][t]];
    const uint8_t held = s.memory[step.kind == Step::kRead ? step.peer : r][step.slot];
    if (step.kind == Step::kMeet && held != step.value) return false;
    if (step.kind == Step::kTake && held == kEmpty) return false;
    if (step.kind != Step::kMeet && held != step.value)
      verdict_.mistake = "rank " + std::to_string(r) + " takes a pack of another call";
    State next = s;
    next.step[r][t]++;
    if (step.kind == Step::kTake && step.empties) next.memory[r][step.slot] = kEmpty;
    send_all(next, r);
    push(std::move(next));
    return true;
  }

  void die(const State& s) {
    State next = s;
    next.dead = true;
    push(std::move(next));
  }

  // Slots from here on hold greetings.
  uint8_t greetings_from() const {
    return static_cast<uint8_t>(slots_ - 2 * static_cast<int>(program_.size()));
  }

  const Program& program_;
  const int slots_, doomed_;
  std::vector<State> open_;
  std::unordered_set<std::string> seen_;
  Verdict verdict_;
};

}  // namespace

Verdict explore(const Program& program, int slots, int doomed) {
  return Explorer(program, slots, doomed).run();
}

}  // namespace arf::model

// One reading of the macro table: at one code target, with one choice for every macro that has
// several alternatives. Going through all choices one after the other keeps correlations inside a
// condition: in `defined(X) && X > 3` both X are the same X.
#pragma once

#include <algorithm>
#include <vector>

#include "cuda/environment.h"

namespace ungate::cuda {

class Choices {
 public:
  // Past this many combinations the answer is unknown.
  static constexpr int kMost = 64;

  Choices(Environment& environment, unsigned target)
      : environment_(environment), target_(target), same_(Environment::State::all()) {}

  // The definition of a macro under the current choice.
  DefinitionId pick(std::uint32_t slot) {
    const Environment::State& state = environment_.get(slot);
    for (std::size_t i = 0; i < state.size(); ++i) {
      if (!state.cell(i).where.has(target_)) continue;
      same_ &= state.cell(i).where;
      return pick(slot, state.cell(i).value);
    }
    return kUndefined;  // not reached: the cells are complete
  }

  // Goes to the next combination; false after the last one.
  bool next() {
    while (!made_.empty()) {
      Choice& last = made_.back();
      if (++last.index < last.count) return true;
      made_.pop_back();
    }
    return false;
  }

  // The code targets for which every macro consulted so far is in the same state as here.
  arch::CodeTargetSet same() const { return same_; }
  // What decides between the alternatives consulted so far.
  FreeSet why() const { return why_; }
  // True if so far every choice was only whether a name that nothing defines is a macro at all; the
  // first combination takes all of them for plain words.
  bool only_of_plain_words() const {
    return std::ranges::all_of(made_, [](const Choice& c) { return c.plain_word; });
  }

 private:
  struct Choice {
    std::uint32_t slot;
    std::size_t index, count;
    bool plain_word;
  };

  DefinitionId pick(std::uint32_t slot, Environment::StateId state) {
    std::span<const DefinitionId> options = environment_.alternatives(state);
    if (options.size() == 1) return options.front();
    for (const Choice& c : made_) {
      if (c.slot == slot) return options[c.index];
    }
    bool plain = options.size() == 2 && options[0] == kUndefined && options[1] == kSomehow;
    made_.push_back({slot, 0, options.size(), plain});
    why_ = why_ | environment_.why(state);
    return options.front();
  }

  Environment& environment_;
  unsigned target_;
  arch::CodeTargetSet same_;
  FreeSet why_;
  std::vector<Choice> made_;
};

}  // namespace ungate::cuda

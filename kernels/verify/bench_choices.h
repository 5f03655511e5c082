// Turns what a sweep has measured into a table of choices for this machine.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "host/choices.h"
#include "verify/rig.h"

namespace arf::verify {

class ChoiceMaker {
 public:
  // A variant's time; Manner with algorithm ARF_NCCL for NCCL and a norm.
  void add(int hidden, int tokens, const Manner& m, double us);
  // A choice for each size, which stands for its neighbours up to the geometric middle. Within half
  // a per cent the one with fewer knobs.
  std::vector<Choice> choices(int world) const;

 private:
  std::map<int, std::map<int, std::vector<std::pair<double, Manner>>>> times_;  // hidden, tokens
};

// Writes the table where the library of this machine looks for it. Says where, or why not.
std::string leave_choices(const std::vector<int>& devices, int transport,
                          const std::vector<Choice>& choices);

}  // namespace arf::verify

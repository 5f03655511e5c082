// Tables of measured choices: which algorithm and launch shape is the fastest for calls of a size.
#pragma once

#include <string>
#include <vector>

#include "arf.h"

namespace arf {

// The best way to run calls up to this size. Rows of a world are ordered by row_packs, then tokens.
struct Choice {
  int world, row_packs, tokens;  // up to these, inclusive; packs of 16 bytes
  int algorithm, cluster, packs, units, pause_ns;
};

// What a table was measured on: it is of no use to others.
struct Machine {
  int driver = 0;                    // as cudaDriverGetVersion() says
  std::vector<std::string> devices;  // UUIDs of the ranks' devices, in hexadecimal
};

// "0123…", of the 16 bytes of a UUID.
std::string uuid_text(const char* bytes);

// A table as text: a line of the machine, then a line a choice.
std::string write_choices(const Machine& machine, const std::vector<Choice>& choices);

// The choices of a text for `world` ranks; none if it is not of this driver, does not name all of
// these devices, or has a line that is no choice.
std::vector<Choice> read_choices(const std::string& text, const Machine& machine, int world);

// The row for a call; null if there is none.
const Choice* find_choice(const std::vector<Choice>& choices, int world, int row_packs, int tokens);

// What was measured where the library was made (RESULTS.md), for devices that reach each other.
const std::vector<Choice>& built_in_choices();

// Where a machine's table lies: what ARF_CHOICES says, else in the cache folder; empty if nowhere.
std::string choices_file(int world, int transport);

}  // namespace arf

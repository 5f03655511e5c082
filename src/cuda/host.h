// What host code of C++ decides by the device: comparisons of its capability in `if`, `?:`, switch,
// check macros, returned and stored values.
//
// Values are followed through variables, fields, parameters and the functions of the files given,
// by name and without types; what is not followed is open. Every function is run once on all devices
// at the same time: what an early return or a check has sent away does not reach what follows.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cuda/host_value.h"
#include "cuda/host_vocabulary.h"
#include "cuda/structure.h"

namespace ungate::cuda {

struct HostChoice {
  enum class Kind : std::uint8_t {
    compare,  // props.major == 9, sm >= 100 && sm < 120
    check,    // ICHECK_EQ(major, 10)
    label,    // case 90:
    call,     // is_sm100()
    flag      // a variable or field that holds an earlier choice
  };
  enum class Position : std::uint8_t { condition, returned, assigned, argument };
  enum class Want : std::uint8_t { yes, no, either };

  source::Range range;
  Kind kind = Kind::compare;
  Position position = Position::condition;
  Want want = Want::yes;         // which truth value serves the device
  bool raises = false;           // the arm that does not serve ends in an error
  value::Outcome outcome;
  arch::DeviceSet alive;         // devices that reach the place …
  arch::DeviceSet elsewhere;     // … and those that an arm further out sends to one that serves them
  std::uint32_t condition = kNone;  // of HostChoices: the whole condition it is part of
  std::uint32_t chain = kNone, arm = 0;
  std::uint32_t function = kNone;   // of the file's Structure
  std::int64_t asked_bytes = 0;  // it compares the device's shared memory with so much; 0: it does not
  source::Range serves;          // the arm that the wanted outcome enters; empty: what follows
};

struct HostCondition {
  value::Outcome outcome;
  arch::DeviceSet alive;
  HostChoice::Want want = HostChoice::Want::yes;
};

// The tests of an if/else-if chain, of ifs in a row that each leave the function, or of a switch.
struct HostChain {
  struct Arm {
    source::Range test;
    value::Outcome outcome;
    arch::DeviceSet alive;
    bool refuses = false;
  };
  source::Range range;
  std::vector<Arm> arms;
  bool has_else = false, else_refuses = false;
};

struct HostChoices {
  std::vector<HostChoice> list;  // in source order
  std::vector<HostCondition> conditions;
  std::vector<HostChain> chains;
};

// The files of one package: they know each other's functions and fields.
class HostProgram {
 public:
  explicit HostProgram(const HostVocabulary& vocabulary);
  ~HostProgram();
  HostProgram(HostProgram&&) noexcept;
  HostProgram& operator=(HostProgram&&) noexcept;

  // Adds a file; all but the path must stay where it is.
  void add(const std::string& path, std::string_view text, const Directives& directives,
           const Structure& structure);
  // Functions and fields whose value turned out to depend on the device, ascending: other files that
  // name one of them are worth adding.
  std::vector<Symbol> derived();
  // What the functions of a file decide by the device.
  HostChoices choices(const std::string& path);

  class State;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace ungate::cuda

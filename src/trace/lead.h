// From what a log says to the gates of an environment that said it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gate/gate.h"
#include "trace/symptom.h"

namespace ungate::trace {

// How a gate was found, the surest first.
enum class Way {
  frame,     // a frame of the traceback stands at it
  name,      // the message names the function that it guards
  list,      // the message holds its list
  message,   // the message holds a text that it raises
  code       // it is a shared object without code for the device
};
std::string_view name_of(Way way);

struct Found {
  const gate::Gate* gate = nullptr;
  Way way = Way::frame;
  std::string by;  // "flashinfer/jit/comm.py:60 in gen_trtllm_comm_module"; may be empty
};

// One thing that went wrong, and what is behind it.
struct Lead {
  Sign sign;                 // `symptom` is null: an exception that a gate raised, whose text no rule knows
  std::vector<Found> gates;  // the most likely first; empty: none was found
};

struct Question {
  const Log* log = nullptr;
  const std::vector<Symptom>* symptoms = nullptr;
  const std::vector<gate::Gate>* gates = nullptr;  // judged for `device`
  arch::Device device{0};
  // The text of lines [first, last] of a gate's file, from 1; empty if it cannot be read.
  std::function<std::string(const gate::Gate&, std::uint32_t first, std::uint32_t last)> source;
};

// In the order of the log.
Result<std::vector<Lead>> find_leads(const Question& question);

// The device that a log is about: the first that one of its signs names.
std::optional<arch::Device> device_of(const Log& log, const std::vector<Symptom>& symptoms);

}  // namespace ungate::trace

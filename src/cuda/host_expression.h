// Expressions of host code on all devices at once (internal).
#pragma once

#include "cuda/host_program.h"

namespace ungate::cuda {

// Takes down the leaves of conditions: comparisons and calls whose outcome depends on the device.
struct HostRecorder {
  HostChoices* out = nullptr;
  std::uint32_t function = kNone;  // of the file's structure
  // Of the test at hand.
  HostChoice::Want want = HostChoice::Want::yes;
  bool raises = false;
  std::uint32_t chain = kNone, arm = 0;
  source::Range serves;
  arch::DeviceSet elsewhere;  // served by other arms further out
  bool muted = false;         // what it decides is only told
};

class HostExpression {
 public:
  HostExpression(HostProgram::State& program, HostFunctionId function, arch::DeviceSet alive,
                 HostRecorder* recorder)
      : p_(program), f_(function), l_(program.function(function).l), alive_(alive), rec_(recorder) {}

  // The value of the lexemes [begin, end); leaves are recorded as standing in `position`.
  HostValue value(std::size_t begin, std::size_t end, HostChoice::Position position);

 private:
  using Kind = HostChoice::Kind;
  struct Node {
    HostValue value;
    std::size_t begin = 0, end = 0;
    std::optional<Kind> kind;  // what may be a leaf
    bool recorded = false;     // parts of it are
    std::int64_t asked_bytes = 0;
  };

  Node ternary();
  Node binary(int least);
  Node unary();
  Node primary();
  Node entity();
  HostValue called(std::string_view name, std::size_t angle, std::size_t open, std::size_t close);
  HostValue tuple(std::size_t begin, std::size_t end);
  HostValue size_of(std::size_t begin, std::size_t end) const;
  Node lambda(std::size_t brace);
  bool is_cast(std::size_t close) const;
  bool is_list(std::size_t angle) const;

  bool ends() const { return at_ >= end_; }
  void record(Node& n);
  void record_operands(std::vector<Node>& operands, Node& whole);
  bool is_leaf(const Node& n) const;
  void join_argument(std::size_t begin, std::size_t end);

  HostProgram::State& p_;
  HostFunctionId f_;
  const Lexemes& l_;
  arch::DeviceSet alive_;
  HostRecorder* rec_;
  HostChoice::Position position_ = HostChoice::Position::argument;
  std::size_t at_ = 0, end_ = 0;
  std::vector<std::uint32_t> fresh_;  // choices recorded in the condition at hand
  int depth_ = 0;
};

// Runs statements; gives what they return.
class HostRun {
 public:
  HostRun(HostProgram::State& program, HostFunctionId function, HostRecorder* recorder)
      : p_(program), f_(function), l_(program.function(function).l), rec_(recorder) {}

  // The block that begins at the '{' at `open`, for the devices of `alive`; gives those that reach
  // its end.
  arch::DeviceSet block(std::size_t open, arch::DeviceSet alive);
  // What was returned; nothing on devices that returned nothing.
  const HostValue& returned() const { return returned_; }

 private:
  using Set = arch::DeviceSet;
  struct Arm {
    std::size_t test_begin, test_end, begin, end;  // the condition, the statement
  };
  enum class Does : std::uint8_t { serves, raises, refuses, tells };

  void statements(std::size_t i, std::size_t end, Set& alive);
  std::size_t statement(std::size_t i, std::size_t end, Set& alive);
  std::size_t ifs(std::size_t i, std::size_t end, Set& alive);
  std::size_t switches(std::size_t i, std::size_t end, Set& alive);
  std::size_t loop(std::size_t i, std::size_t end, Set& alive);
  void expression(std::size_t i, std::size_t end, Set& alive);
  void check(std::size_t i, std::size_t close, Set& alive);
  void lambdas(std::size_t i, std::size_t end, Set alive);
  void give(const HostValue& v, Set alive);
  Does does(std::size_t begin, std::size_t end) const;
  bool exits(std::size_t begin, std::size_t end) const;
  bool raises(std::size_t i, std::size_t end) const;
  std::size_t skip(std::size_t i, std::size_t end) const;
  source::Range range(std::size_t begin, std::size_t end) const;

  HostProgram::State& p_;
  HostFunctionId f_;
  const Lexemes& l_;
  HostRecorder* rec_;
  HostValue returned_;
  Set gave_, breaks_;
  int depth_ = 0;
};

}  // namespace ungate::cuda

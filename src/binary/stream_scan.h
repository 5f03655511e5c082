// Finds fatbin containers in bytes that pass by once (internal to binary/).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "binary/fatbin.h"

namespace ungate::binary {

// A container, and the zeros around it.
struct PassedContainer {
  Container container;
  std::uint64_t zeros_from = 0;  // from here to its start all bytes are zero
  std::uint64_t zeros_to = 0;    // from its end to here all are
  bool empty = true;             // there is surely no kernel in it
  std::vector<CodeObject> objects;
};

// What looked like a container and was not one.
struct FalseStart {
  std::uint64_t offset = 0;
  Error error;
};

class StreamScan {
 public:
  explicit StreamScan(const std::string& name) : name_(name) {}

  void feed(std::string_view bytes);
  void finish();
  const std::vector<PassedContainer>& containers() const { return containers_; }
  const std::vector<FalseStart>& false_starts() const { return false_starts_; }
  std::uint64_t size() const { return at_; }

 private:
  enum class State { scan, word, container, entry, payload };

  std::size_t scan(std::string_view bytes);
  void see_word(std::uint64_t word, std::uint64_t offset);
  void gather(State state, std::uint64_t count);
  void gathered();
  void begin_container();
  void read_entry();
  void look_into_payload();
  void go_on(std::uint64_t offset);
  void give_up(const Error& error);

  const std::string& name_;
  State state_ = State::scan;
  std::uint64_t at_ = 0;  // of the next byte
  std::uint64_t skip_to_ = 0;
  std::string kept_;  // bytes from kept_at_ on, up to `needed_`
  std::uint64_t kept_at_ = 0, needed_ = 0;
  std::uint64_t next_entry_ = 0;  // behind the one that is being read
  std::uint64_t zeros_from_ = 0;
  bool zeros_ = true;  // nothing but zeros since zeros_from_
  PassedContainer current_;
  std::vector<PassedContainer> containers_;
  std::vector<FalseStart> false_starts_;
};

}  // namespace ungate::binary

// The forms of gates: how the places are spelled that make a difference between devices.
#pragma once

#include <span>
#include <string_view>

namespace ungate::gate {

struct FormInfo {
  std::string_view name;     // "py-major-list", as reports print it
  std::string_view what;     // one or two sentences
  std::string_view example;  // what it looks like
  std::string_view
      lift;  // what it looks like afterwards for 12.0; empty: it has no edit of its own
  std::string_view note;  // what to know about its lift
};

// All of them, Python's first. Rules may add names for further lists of devices (rules/sinks.yaml).
std::span<const FormInfo> forms();
const FormInfo* find_form(std::string_view name);

}  // namespace ungate::gate

// What is known about any line of any file of an environment: which devices get there, and what
// decides about it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "audit/audit.h"

namespace ungate::audit {

// Something around a line, or before it, that lets some devices through.
struct LineCondition {
  enum class How : std::uint8_t {
    encloses,  // the line stands in what it guards
    leaves     // it stands before the line and may return, raise or skip the rest
  };
  How how = How::encloses;
  std::uint32_t line = 0;
  std::string text;      // the directive or test, one line
  bool holds = true;     // encloses: the line stands where it holds; else in its else part
  bool depends = false;  // on the device
  std::string passes;    // folded set of those that get past it; empty if it does not depend
  std::vector<std::string> decides;  // what else decides, by name
  std::vector<std::string> gates;    // ids
};

struct LineFacts {
  enum class Language : std::uint8_t { python, cuda, other };
  std::uint32_t site = 0;
  std::string path;             // relative to its import root
  std::uint32_t line = 0;       // as asked
  std::uint32_t code_line = 0;  // the line with code that the answer is about: this or the next one
  std::uint32_t line_count = 0;
  Language language = Language::other;
  std::string function;  // "kernel ns::name", "function f"; empty: outside of functions
  std::uint32_t function_line = 0;
  // Who gets there: devices for Python (of those that enter the function), code targets for CUDA.
  std::string reached = "all";
  bool everywhere = true;            // on every device, and nothing else decides
  std::vector<std::string> decides;  // what else decides whether it is compiled
  std::string host;  // CUDA: whether a host pass compiles it: "yes", "no", "unknown"
  std::vector<LineCondition> conditions;  // outermost and earliest first
  std::vector<const gate::Gate*> gates;   // that stand on the line
};

// The line must exist (1 … line_count). `inside` is that of an audit with Options::watch on
// offset_of().
LineFacts line_facts(const Inside& inside, const source::SourceFile& file, std::uint32_t line);

// The line with code that an answer about `line` is about, and the offset to watch.
std::uint32_t code_line(const source::SourceFile& file, std::uint32_t line);
std::uint32_t offset_of(const source::SourceFile& file, std::uint32_t code_line);

// Internal: one file a language.
void python_line(const Inside& inside, const source::SourceFile& file, LineFacts& facts);
void cuda_line(const Inside& inside, const source::SourceFile& file, LineFacts& facts);

}  // namespace ungate::audit

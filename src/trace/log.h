// A log as it was printed: lines without the decorations of terminals and launchers, and the frames of
// Python tracebacks in them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ungate::trace {

// "  File "/x/site-packages/p/a.py", line 12, in f"
struct Frame {
  std::string path;       // as printed
  std::uint32_t line = 0;
  std::string function;
  std::size_t at = 0;     // index of the log's line
  bool operator==(const Frame&) const = default;
};

// A traceback: frames from the outermost to the one that raised, and what was raised. An exception that
// is printed alone has no frames.
struct Traceback {
  std::vector<Frame> frames;
  std::string exception;  // "RuntimeError: …"; empty: the log ends before it
  std::size_t at = 0;     // index of the exception's line
};

struct Log {
  std::vector<std::string> lines;  // without ANSI colours, carriage returns, and prefixes such as "(EngineCore pid=7) "
  std::vector<Traceback> tracebacks;  // in order
};

// Takes any bytes. Lines longer than 64 KB are cut.
Log read_log(std::string_view text);

}  // namespace ungate::trace

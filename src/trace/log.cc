#include "trace/log.h"

#include <algorithm>

#include "base/text.h"

namespace ungate::trace {
namespace {

constexpr std::size_t kLongest = 64 << 10;

// Without escape sequences; what a carriage return wrote over is gone.
std::string plain(std::string_view line) {
  line = line.substr(0, kLongest);
  while (line.ends_with('\r')) line.remove_suffix(1);
  if (std::size_t back = line.rfind('\r'); back != line.npos) line.remove_prefix(back + 1);
  std::string out;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\x1b' && i + 1 < line.size() && line[i + 1] == '[') {
      i += 2;
      while (i < line.size() && (line[i] < '@' || line[i] > '~')) ++i;
      continue;
    }
    out += line[i];
  }
  return out;
}

// The text of a line behind what launchers put before it: "(EngineCore_DP0 pid=123) ", "[rank0]: ",
// "ERROR 11-30 09:12:01 [core.py:708] ".
std::string_view without_prefix(std::string_view line) {
  std::size_t file = line.find("File \"");
  if (file != line.npos) return line.substr(file);
  for (;;) {
    std::string_view before = line;
    if (line.starts_with('(')) {
      std::size_t end = line.find(") ");
      if (end != line.npos && line.substr(0, end).find("pid=") != line.npos) line.remove_prefix(end + 2);
    }
    if (line.starts_with('[')) {
      std::size_t end = line.find("]: ");
      if (end != line.npos && end < 24) line.remove_prefix(end + 3);
    }
    for (std::string_view level : {"ERROR ", "WARNING ", "INFO ", "CRITICAL "}) {
      std::size_t end = line.find("] ");
      if (line.starts_with(level) && end != line.npos && end < 80) line.remove_prefix(end + 2);
    }
    if (line == before) return line;
  }
}

bool parse_frame(std::string_view line, Frame& out) {
  if (!line.starts_with("File \"")) return false;
  std::size_t close = line.find("\", line ", 6);
  if (close == line.npos) return false;
  out.path = line.substr(6, close - 6);
  std::string_view rest = line.substr(close + 8);
  std::size_t comma = std::min(rest.find_first_not_of("0123456789"), rest.size());
  std::int64_t number = 0;
  if (!text::parse_int(rest.substr(0, comma), number) || number <= 0 || number > UINT32_MAX) return false;
  out.line = static_cast<std::uint32_t>(number);
  rest.remove_prefix(comma);
  if (rest.starts_with(", in ")) out.function = text::trim(rest.substr(5));
  return true;
}

// "RuntimeError: …", "torch.AcceleratorError: …", "AssertionError". Below frames any name will do.
bool is_exception(std::string_view line, bool below_frames) {
  std::size_t end = line.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.");
  std::string_view name = line.substr(0, end);
  if (name.empty() || (end != line.npos && line[end] != ':')) return false;
  std::string_view last = name.substr(name.rfind('.') == name.npos ? 0 : name.rfind('.') + 1);
  return !last.empty() && last.front() >= 'A' && last.front() <= 'Z' &&
         (last.ends_with("Error") || last.ends_with("Exception") || (below_frames && end != line.npos));
}

}  // namespace

Log read_log(std::string_view text) {
  Log out;
  Traceback open;
  auto close = [&] {
    if (!open.frames.empty()) out.tracebacks.push_back(std::move(open));
    open = {};
  };
  for (std::string_view raw : text::lines(text)) {
    std::string line = plain(raw);
    std::string_view body = without_prefix(line);
    std::size_t at = out.lines.size();
    Frame frame;
    if (body.find("Traceback (most recent call last)") != body.npos) {
      close();
    } else if (parse_frame(body, frame)) {
      frame.at = at;
      open.frames.push_back(std::move(frame));
    } else if (!open.frames.empty() && at > open.frames.back().at && is_exception(body, true)) {
      open.exception = body;
      open.at = at;
      close();
    } else if (open.frames.empty() && is_exception(body, false)) {
      out.tracebacks.push_back({{}, std::string(body), at});
    }
    out.lines.emplace_back(body);
  }
  close();
  return out;
}

}  // namespace ungate::trace

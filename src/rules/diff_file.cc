#include "rules/diff_file.h"

#include <fmt/core.h>

#include <charconv>

namespace ungate::rules {
namespace {

// Lines with their ends.
std::vector<std::string_view> whole_lines(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    std::size_t end = text.find('\n');
    end = end == text.npos ? text.size() : end + 1;
    out.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return out;
}

// "a/flashinfer/aot.py\t2026-01-01 …" -> "flashinfer/aot.py"
std::string name_of_file(std::string_view header) {
  header = header.substr(0, header.find_first_of("\t\r\n"));
  if (header.starts_with("a/") || header.starts_with("b/")) header.remove_prefix(2);
  return std::string(header);
}

// The first old line and the numbers of lines in "@@ -12,7 +12,8 @@"; an absent count is 1.
bool parse_counts(std::string_view line, std::size_t& first, int& before, int& after) {
  auto count = [&](char mark, int& out) {
    std::size_t at = line.find(mark);
    if (at == line.npos) return false;
    std::string_view range = line.substr(at + 1, line.find(' ', at) - at - 1);
    std::size_t comma = range.find(',');
    out = 1;
    if (comma == range.npos) return !range.empty();
    range.remove_prefix(comma + 1);
    auto [end, error] = std::from_chars(range.data(), range.data() + range.size(), out);
    return error == std::errc() && end == range.data() + range.size();
  };
  if (!line.starts_with("@@ -")) return false;
  std::from_chars(line.data() + 4, line.data() + line.size(), first);
  return  count('-', before) && count('+', after);
}

class Reader {
 public:
  Reader(std::string_view text, const std::string& file) : lines_(whole_lines(text)), file_(file) {}

  Result<std::vector<Hunk>> read() {
    while (at_ < lines_.size()) {
      std::string_view line = lines_[at_];
      if (line.starts_with("--- ") && at_ + 1 < lines_.size() &&
          lines_[at_ + 1].starts_with("+++ ")) {
        if (auto status = header(); !status) return std::unexpected(status.error());
      } else if (line.starts_with("@@ ")) {
        if (auto status = hunk(); !status) return std::unexpected(status.error());
      } else {
        ++at_;  // what stands between files: git's own lines, an explanation
      }
    }
    if (edits_.empty()) return fail_here("holds no hunk");
    return std::move(edits_);
  }

 private:
  std::unexpected<Error> fail_here(std::string what) const {
    return fail(ErrorCode::bad_rule, std::move(what), fmt::format("{}:{}", file_, at_ + 1));
  }

  Status header() {
    std::string before = name_of_file(lines_[at_].substr(4)),
                after = name_of_file(lines_[at_ + 1].substr(4));
    if (before != after)
      return fail_here("a file would be created, removed or renamed; only edits are taken");
    path_ = before;
    at_ += 2;
    return {};
  }

  Status hunk() {
    int before = 0, after = 0;
    std::size_t old_line = 0;
    if (path_.empty()) return fail_here("a hunk before the name of its file");
    if (!parse_counts(lines_[at_], old_line, before, after)) return fail_here("not the first line of a hunk");
    std::size_t first = at_++;
    patch::TextEdit edit{path_, {}, {}};
    bool context = false;
    while (before > 0 || after > 0) {
      if (at_ >= lines_.size()) return fail_here("the hunk is shorter than its first line says");
      std::string_view line = lines_[at_];
      // Mail programs drop the blank of an empty line of context.
      char mark = line == "\n" ? ' ' : line.front();
      std::string_view text = line == "\n" ? line : line.substr(1);
      if (mark != ' ' && mark != '-' && mark != '+')
        return fail_here("a line of a hunk begins with ' ', '-' or '+'");
      if (mark != '+') edit.replace += text, --before;
      if (mark != '-') edit.with += text, --after;
      context |= mark == ' ';
      ++at_;
      if (at_ < lines_.size() && lines_[at_].starts_with("\\ No newline")) {
        if (mark != '+') edit.replace.pop_back();
        if (mark != '-') edit.with.pop_back();
        ++at_;
      }
    }
    if (before < 0 || after < 0) return fail_here("the hunk is longer than its first line says");
    if (!context || edit.with.empty() || edit.replace == edit.with) {
      at_ = first;
      return fail_here("a hunk needs lines of context and a change");
    }
    edits_.push_back({std::move(edit), old_line});
    return {};
  }

  std::vector<std::string_view> lines_;
  const std::string& file_;
  std::size_t at_ = 0;
  std::string path_;
  std::vector<Hunk> edits_;
};

}  // namespace

Result<std::vector<Hunk>> read_diff(std::string_view text, const std::string& file) {
  return Reader(text, file).read();
}

}  // namespace ungate::rules

// The text of one file, with line arithmetic. Offsets are bytes; lines and columns are 1-based, columns
// count bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ungate::source {

struct Range {
  std::uint32_t begin = 0, end = 0;
  constexpr bool empty() const { return begin == end; }
  constexpr std::uint32_t size() const { return end - begin; }
  constexpr bool contains(Range r) const { return begin <= r.begin && r.end <= end; }
  constexpr bool contains(std::uint32_t offset) const { return begin <= offset && offset < end; }
  constexpr bool operator==(const Range&) const = default;
  constexpr auto operator<=>(const Range&) const = default;
};

struct Position {
  std::uint32_t line = 1, column = 1;
};

class SourceFile {
 public:
  // `path` is what reports print: relative to an import root, or as the user gave it.
  SourceFile(std::string path, std::string bytes);

  const std::string& path() const { return path_; }
  std::string_view text() const { return bytes_; }
  std::string_view text(Range r) const { return text().substr(r.begin, r.size()); }

  Position position(std::uint32_t offset) const;
  std::uint32_t line_count() const { return static_cast<std::uint32_t>(line_starts_.size()); }
  // The bytes of a line without its end; empty for a line that does not exist.
  Range line(std::uint32_t number) const;
  std::string at(std::uint32_t offset) const;  // "path:line"

 private:
  std::string path_, bytes_;
  std::vector<std::uint32_t> line_starts_;
};

}  // namespace ungate::source

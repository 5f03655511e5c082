#include "source/source_file.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace ungate::source {

SourceFile::SourceFile(std::string path, std::string bytes)
    : path_(std::move(path)), bytes_(std::move(bytes)) {
  line_starts_.push_back(0);
  for (const char *p = bytes_.data(), *end = p + bytes_.size(); p < end;) {
    p = static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end - p)));
    if (p == nullptr) break;
    ++p;
    if (p < end) line_starts_.push_back(static_cast<std::uint32_t>(p - bytes_.data()));
  }
}

Position SourceFile::position(std::uint32_t offset) const {
  auto after = std::ranges::upper_bound(line_starts_, offset);
  auto line = static_cast<std::uint32_t>(after - line_starts_.begin());
  return {line, offset - line_starts_[line - 1] + 1};
}

Range SourceFile::line(std::uint32_t number) const {
  if (number == 0 || number > line_starts_.size()) return {};
  std::uint32_t begin = line_starts_[number - 1];
  auto end = static_cast<std::uint32_t>(bytes_.size());
  if (number < line_starts_.size()) end = line_starts_[number];
  if (end > begin && bytes_[end - 1] == '\n') --end;
  if (end > begin && bytes_[end - 1] == '\r') --end;
  return {begin, end};
}

std::string SourceFile::at(std::uint32_t offset) const {
  return path_ + ':' + std::to_string(position(offset).line);
}

}  // namespace ungate::source

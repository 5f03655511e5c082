// What stands around a line of PTX.
#include <map>

#include "prove/ptx.h"
#include "prove/ptx_text.h"

namespace ungate::prove {
namespace {

// The name in a line ".visible .entry NAME(".
std::string function_in(std::string_view line) {
  for (std::string_view word : {".entry ", ".func "}) {
    std::size_t at = line.find(word);
    if (at == line.npos) continue;
    std::string_view rest = line.substr(at + word.size());
    if (std::size_t close = rest.find(')'); rest.starts_with('(') && close != rest.npos) rest.remove_prefix(close + 1);
    rest = text::trim(rest);
    std::size_t end = 0;
    while (end < rest.size() && is_name_part(rest[end])) ++end;
    return std::string(rest.substr(0, end));
  }
  return {};
}

}  // namespace

PtxPlace place_in_ptx(std::string_view text, std::size_t line) {
  PtxPlace out;
  std::map<std::string, std::string> files;
  std::string file, source_line;
  std::vector<std::string_view> lines = text::lines(text);
  // `.file` lines may stand at the end.
  for (std::string_view l : lines) {
    std::string_view s = text::trim(l);
    if (!s.starts_with(".file")) continue;
    std::size_t open = s.find('"'), close = s.rfind('"');
    if (open != s.npos && close > open)
      files[std::string(text::trim(s.substr(5, open - 5)))] = s.substr(open + 1, close - open - 1);
  }
  for (std::size_t i = 0; i < lines.size() && i < line; ++i) {
    std::string_view s = text::trim(lines[i]);
    if (std::string name = function_in(s); !name.empty()) out.function = name, file.clear();
    if (s.starts_with(".loc")) {
      auto words = text::split(text::one_line(s, 80), ' ');
      if (words.size() >= 3) file = words[1], source_line = words[2];
    }
    if (i + 1 == line) out.instruction = s;
  }
  if (auto known = files.find(file); known != files.end()) out.source = known->second + ':' + source_line;
  return out;
}

}  // namespace ungate::prove

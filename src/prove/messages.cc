#include "prove/messages.h"

#include <algorithm>
#include <cstdlib>

#include "base/text.h"

namespace ungate::prove {
namespace {

constexpr std::size_t kLongest = 400;

std::string between(std::string_view s, std::string_view open, std::string_view close) {
  std::size_t begin = s.find(open);
  if (begin == s.npos) return {};
  begin += open.size();
  std::size_t end = s.find(close, begin);
  return end == s.npos ? std::string() : std::string(s.substr(begin, end - begin));
}

// The number before `at`, with blanks between; 0 if there is none.
std::uint64_t number_before(std::string_view s, std::string_view word) {
  std::size_t at = s.find(word);
  if (at == s.npos) return 0;
  std::size_t end = at;
  while (end > 0 && s[end - 1] == ' ') --end;
  std::size_t begin = end;
  while (begin > 0 && s[begin - 1] >= '0' && s[begin - 1] <= '9') --begin;
  return std::strtoull(std::string(s.substr(begin, end - begin)).c_str(), nullptr, 10);
}

}  // namespace

CompilerError first_error(std::string_view messages) {
  CompilerError out;
  for (std::string_view line : text::lines(messages)) {
    std::size_t at = line.find("error");
    if (at == line.npos) continue;
    std::size_t colon = line.find(':', at);
    if (colon == line.npos) continue;
    std::string_view word = line.substr(at, colon - at);
    if (word != "error" && !word.starts_with("error #") && !word.starts_with("error\t") && text::trim(word) != "error") continue;
    out.text = text::one_line(line.substr(colon + 1), kLongest);
    // path(12): error: …   or   path:12:3: fatal error: …
    std::string_view place = text::trim(line.substr(0, at));
    if (place.ends_with("fatal")) place = text::trim(place.substr(0, place.size() - 5));
    while (place.ends_with(':')) place.remove_suffix(1);
    if (std::size_t open = place.rfind('('); place.ends_with(')') && open != place.npos) {
      out.path = place.substr(0, open);
      out.line = place.substr(open + 1, place.size() - open - 2);
    } else if (auto parts = text::split(place, ':'); parts.size() >= 2) {
      std::int64_t n = 0;
      out.path = parts[0];
      if (text::parse_int(parts[1], n)) out.line = parts[1];
    }
    return out;
  }
  // Nothing that looks like an error: the last line that says something.
  for (std::string_view line : text::lines(messages)) {
    if (!text::trim(line).empty()) out.text = text::one_line(line, kLongest);
  }
  return out;
}

AssemblerError first_assembler_error(std::string_view messages) {
  AssemblerError out;
  for (std::string_view line : text::lines(messages)) {
    bool is_error = line.find("error") != line.npos || line.find("fatal") != line.npos;
    if (!line.starts_with("ptxas") || !is_error) continue;
    std::size_t at = std::min(line.find("error"), line.find("fatal"));
    std::size_t colon = line.find(':', at);
    std::string text = colon == line.npos ? std::string(line) : text::one_line(line.substr(colon + 1), kLongest);
    if (!out.text.empty() && out.line != 0) return out;
    out.text = text;
    out.line = std::strtoull(between(line, ", line ", ";").c_str(), nullptr, 10);
    out.function = between(line, "Entry function '", "'");
    if (out.line != 0 || !out.function.empty()) return out;
  }
  if (out.text.empty()) out.text = first_error(messages).text;
  return out;
}

std::map<std::string, Resources> read_resources(std::string_view messages) {
  std::map<std::string, Resources> out;
  Resources* current = nullptr;
  for (std::string_view line : text::lines(messages)) {
    if (std::string name = between(line, "Compiling entry function '", "'"); !name.empty()) current = &out[name];
    if (current == nullptr) continue;
    if (line.find("stack frame") != line.npos) current->stack_bytes = std::max(current->stack_bytes, number_before(line, "bytes stack frame"));
    if (line.find("spill stores") != line.npos)
      current->spill_bytes += number_before(line, "bytes spill stores") + number_before(line, "bytes spill loads");
    if (line.find("Used ") == line.npos) continue;
    current->registers = static_cast<std::uint32_t>(number_before(line, "registers"));
    current->shared_bytes = number_before(line, "bytes smem");
  }
  return out;
}

}  // namespace ungate::prove

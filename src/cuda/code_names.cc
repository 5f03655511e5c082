#include "cuda/code_names.h"

#include "base/text.h"
#include "cuda/body.h"

namespace ungate::cuda {
namespace {

constexpr std::size_t kShortest = 12;

bool separates(char c) { return c == '_' || c == '-' || c == '.' || c == '/'; }

// The code target that a piece of the name between separators says: sm100f, sm_90 (its number is the
// next piece then).
std::optional<arch::CodeTarget> target_at(std::string_view name, std::size_t at, std::size_t& end) {
  if (at != 0 && !separates(name[at - 1])) return std::nullopt;
  if (!name.substr(at).starts_with("sm")) return std::nullopt;
  std::size_t digits = at + 2 < name.size() && name[at + 2] == '_' ? at + 3 : at + 2;
  end = digits;
  while (end < name.size() && name[end] >= '0' && name[end] <= '9') ++end;
  if (end - digits < 2 || end - digits > 3) return std::nullopt;
  if (end < name.size() && (name[end] == 'a' || name[end] == 'f')) ++end;
  if (end < name.size() && !separates(name[end])) return std::nullopt;
  return arch::parse_code_target("sm_" + std::string(name.substr(digits, end - digits)));
}

std::optional<arch::CodeTarget> target_of(std::string_view name) {
  if (name.size() < kShortest || name.find(' ') != std::string_view::npos) return std::nullopt;
  bool file = name.ends_with(".cubin");
  std::optional<arch::CodeTarget> out;
  for (std::size_t at = name.find("sm"); at != std::string_view::npos; at = name.find("sm", at + 1)) {
    std::size_t end = 0;
    auto target = target_at(name, at, end);
    if (target && (file || end == name.size())) out = target;
  }
  return out;
}

}  // namespace

bool may_hold_code_names(std::string_view text) {
  for (std::size_t quote = text.find('"'); quote != text.npos; quote = text.find('"', quote + 1)) {
    std::string_view before = text.substr(0, quote);
    if (before.ends_with(".cubin")) return true;
    if (before.ends_with('a') || before.ends_with('f')) before.remove_suffix(1);
    std::size_t digits = 0;
    while (!before.empty() && before.back() >= '0' && before.back() <= '9') before.remove_suffix(1), ++digits;
    if (digits < 2 || digits > 3) continue;
    if (before.ends_with('_')) before.remove_suffix(1);
    if (before.ends_with("_sm") || before.ends_with("-sm")) return true;
  }
  return false;
}

std::vector<CodeName> code_names(std::string_view text, const Directives& directives,
                                 const Structure& structure) {
  std::vector<CodeName> out;
  Lexemes l = lex_code(text, directives);
  for (std::size_t i = 0; i < l.size();) {
    if (l[i].kind != Lexeme::Kind::string) {
      ++i;
      continue;
    }
    std::string name;
    std::size_t first = i;
    for (; i < l.size() && l[i].kind == Lexeme::Kind::string; ++i) append_string(l[i].text, name);
    auto target = target_of(name);
    if (!target) continue;
    // The piece that says it.
    std::size_t piece = first;
    for (std::size_t k = first; k < i; ++k) {
      if (l[k].text.find("sm") != std::string_view::npos) piece = k;
    }
    out.push_back({l[piece].range(), name, *target, function_at(structure, l[piece].begin)});
  }
  return out;
}

}  // namespace ungate::cuda

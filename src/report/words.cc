#include "report/words.h"

#include <utility>

#include "base/text.h"

namespace ungate::report {

std::string_view sentence_of(gate::Effect effect) {
  using gate::Effect;
  switch (effect) {
    case Effect::none:
      return "admitted and served";
    case Effect::raises:
      return "an exception or assertion";
    case Effect::fails_build:
      return "the module does not compile for it";
    case Effect::empty_kernel:
      return "the kernel launches, succeeds and does nothing";
    case Effect::race:
      return "a wait that the launch relies on is compiled out";
    case Effect::slower:
      return "an optimisation is skipped";
    case Effect::silent_fallback:
      return "another path serves it, and nothing says so";
    case Effect::feature_off:
      return "something is switched off";
    case Effect::not_built:
      return "left out of an ahead-of-time build";
    case Effect::no_code:
      return "no code object loads";
    case Effect::wrong_limit:
      return "a resource limit is not that of the device";
    case Effect::definition:
      return "a helper or flag; the effects are at its uses";
    case Effect::unreachable:
      return "nothing leads there";
  }
  return "";
}

std::string_view sentence_of(gate::Verdict verdict) {
  using gate::Verdict;
  switch (verdict) {
    case Verdict::none:
      return "nothing to judge";
    case Verdict::policy:
      return "nothing but the gate is in the way";
    case Verdict::capability:
      return "what is behind it cannot run there";
    case Verdict::over_admission:
      return "it lets the device in and should not";
    case Verdict::unknown:
      return "not everything behind it was read, or evidence conflicts";
  }
  return "";
}

bool is_dangerous(gate::Effect effect) {
  using gate::Effect;
  return effect == Effect::raises || effect == Effect::fails_build ||
         effect == Effect::empty_kernel || effect == Effect::race || effect == Effect::no_code ||
         effect == Effect::wrong_limit;
}

std::string grouped(std::size_t n) {
  std::string out = std::to_string(n);
  for (std::size_t at = out.size(); at > 3;) out.insert(at -= 3, 1, ',');
  return out;
}

std::string wrapped(std::string_view text, std::size_t indent, std::size_t width) {
  std::string out, line;
  auto flush = [&] {
    if (!line.empty()) out += std::string(indent, ' ') + std::exchange(line, {}) + '\n';
  };
  for (std::string_view word : text::split(text, ' ')) {
    if (!line.empty() && indent + columns(line) + 1 + columns(word) > width) flush();
    if (!line.empty()) line += ' ';
    line += word;
  }
  flush();
  return out;
}

std::size_t columns(std::string_view text) {
  std::size_t n = 0;
  for (char c : text) {
    if ((static_cast<unsigned char>(c) & 0xc0) != 0x80) ++n;
  }
  return n;
}

std::string cut(std::string_view text, std::size_t width) {
  if (columns(text) <= width) return std::string(text);
  std::size_t n = 0, at = 0;
  for (; at < text.size(); ++at) {
    bool starts = (static_cast<unsigned char>(text[at]) & 0xc0) != 0x80;
    if (starts && ++n > width - 1) break;
  }
  return std::string(text.substr(0, at)) + "…";
}

std::string padded(std::string text, std::size_t width) {
  std::size_t have = columns(text);
  if (have < width) text.append(width - have, ' ');
  return text;
}

}  // namespace ungate::report

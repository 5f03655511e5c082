#include "patch/anchor.h"

#include <algorithm>
#include <set>

#include <fmt/core.h>

#include "base/text.h"

namespace ungate::patch {
namespace {

using source::Range;
using source::SourceFile;

std::uint32_t size_of(std::string_view s) {
  return static_cast<std::uint32_t>(s.size());
}

std::set<std::string> words_of(std::string_view line) {
  std::set<std::string> out;
  for (std::size_t i = 0; i < line.size();) {
    if (!text::is_identifier_part(line[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < line.size() && text::is_identifier_part(line[end])) ++end;
    out.emplace(line.substr(i, end - i));
    i = end;
  }
  return out;
}

// How much two lines have in common: 1 for equal ones (blanks at the ends aside), 0 for no word
// shared.
double likeness(std::string_view a, std::string_view b) {
  a = text::trim(a);
  b = text::trim(b);
  if (a == b) return a.empty() ? 0 : 1;
  std::set<std::string> in_a = words_of(a), in_b = words_of(b);
  if (in_a.empty() || in_b.empty()) return 0;
  auto shared = static_cast<double>(
      std::ranges::count_if(in_a, [&](const std::string& w) { return in_b.contains(w); }));
  return 0.9 * shared / static_cast<double>(std::max(in_a.size(), in_b.size()));
}

// The window of the file's lines that is most like the wanted ones; its first line is the 1-based
// result, 0 if less than half of the text is there.
std::uint32_t most_alike(const SourceFile& file, const std::vector<std::string_view>& wanted) {
  double best = 0;
  std::uint32_t best_line = 0;
  for (std::uint32_t first = 1; first <= file.line_count(); ++first) {
    double sum = 0;
    for (std::uint32_t i = 0; i < wanted.size() && first + i <= file.line_count(); ++i) {
      sum += likeness(wanted[i], file.text(file.line(first + i)));
    }
    if (sum > best) best = sum, best_line = first;
  }
  auto filled = static_cast<double>(
      std::ranges::count_if(wanted, [](std::string_view l) { return !text::trim(l).empty(); }));
  return best * 2 >= filled ? best_line : 0;
}

Anchor nearest(const SourceFile& file, std::string_view replace) {
  Anchor out;
  if (file.text().find("\r\n") != std::string_view::npos &&
      replace.find('\n') != std::string_view::npos) {
    out.why = "the file's lines end in \\r\\n";
    return out;
  }
  auto wanted = text::lines(replace);
  out.line = most_alike(file, wanted);
  if (out.line == 0) {
    out.why = "nothing in the file is like it";
    return out;
  }
  for (std::uint32_t i = 0; i < wanted.size(); ++i) {
    std::string_view found = file.text(file.line(out.line + i));
    if (found == wanted[i]) continue;
    out.line += i;
    out.why = fmt::format("expected '{}', found '{}'", text::one_line(wanted[i], 80),
                          text::one_line(found, 80));
    break;
  }
  if (out.why.empty()) out.why = "the text around it differs";
  return out;
}

}  // namespace

std::vector<std::uint32_t> occurrences(std::string_view s, std::string_view what) {
  std::vector<std::uint32_t> out;
  for (std::size_t at = s.find(what); at != s.npos; at = s.find(what, at + what.size())) {
    out.push_back(static_cast<std::uint32_t>(at));
  }
  return out;
}

namespace {

// Takes out the places of `inner` that lie within one of `outer`.
void drop_inside(std::vector<std::uint32_t>& inner, std::string_view inner_text,
                 const std::vector<std::uint32_t>& outer, std::string_view outer_text) {
  std::erase_if(inner, [&](std::uint32_t at) {
    Range here{at, at + size_of(inner_text)};
    return std::ranges::any_of(outer, [&](std::uint32_t o) {
      return Range{o, o + size_of(outer_text)}.contains(here);
    });
  });
}

}  // namespace

Anchor find_anchor(const SourceFile& file, const TextEdit& edit) {
  std::vector<std::uint32_t> made = occurrences(file.text(), edit.with);
  std::vector<std::uint32_t> open = occurrences(file.text(), edit.replace);
  // One text may be part of the other: a line is added to those that are kept, or left out.
  bool adds = edit.with.find(edit.replace) != edit.with.npos;
  if (adds)
    drop_inside(open, edit.replace, made, edit.with);
  else
    drop_inside(made, edit.with, open, edit.replace);
  Anchor out;
  if (open.size() == 1 && made.empty()) {
    out.found = Anchor::Found::once;
    out.range = {open[0], open[0] + size_of(edit.replace)};
  } else if (open.empty() && !made.empty()) {
    out.found = Anchor::Found::in_place;
    out.range = {made[0], made[0] + size_of(edit.with)};
  } else if (open.empty()) {
    out = nearest(file, edit.replace);
  } else {
    out.found = Anchor::Found::several;
    open.insert(open.end(), made.begin(), made.end());
    std::ranges::sort(open);
    for (std::uint32_t at : open) out.lines.push_back(file.position(at).line);
  }
  return out;
}

}  // namespace ungate::patch

#include "python/words.h"

#include <algorithm>
#include <bit>

namespace ungate::python {

void WordSet::insert(WordHash hash) {
  if (has(hash)) return;
  if ((size_ + 1) * 4 > table_.size()) {
    std::vector<WordHash> old = std::move(table_);
    table_.assign(std::max<std::size_t>(64, old.size() * 2), 0);
    mask_ = table_.size() - 1;
    size_ = 0;
    for (WordHash h : old) {
      if (h != 0) insert(h);
    }
  }
  std::size_t at = hash & mask_;
  while (table_[at] != 0) at = (at + 1) & mask_;
  table_[at] = hash;
  ++size_;
}

namespace {

// Whether only blanks stand before it in its line.
bool begins_line(std::string_view text, std::size_t at) {
  while (at > 0 && (text[at - 1] == ' ' || text[at - 1] == '\t')) --at;
  return at == 0 || text[at - 1] == '\n';
}

}  // namespace

std::vector<WordHash> words_of(std::string_view text) {
  // A table that fits the cache takes the repetitions; most words of a file occur many times.
  thread_local std::vector<WordHash> table, found;
  table.assign(std::bit_ceil(std::clamp<std::size_t>(text.size() / 8, 64, 1u << 16)), 0);
  found.clear();
  std::size_t mask = table.size() - 1;
  auto note = [&](WordHash hash) {
    std::size_t at = hash & mask;
    for (; table[at] != 0; at = (at + 1) & mask) {
      if (table[at] == hash) return;
    }
    if (found.size() * 2 < table.size()) table[at] = hash;
    found.push_back(hash);  // past that, some words are listed twice
  };
  static const WordHash kFrom = hash_word("from"), kImport = hash_word("import");
  std::size_t import_end = 0;
  each_word(text, [&](WordHash hash, std::size_t begin, std::size_t) {
    note(hash);
    if (may_be_attribute(text, begin)) {
      if (begin >= import_end) note(as_attribute(hash));
    } else if ((hash == kFrom || hash == kImport) && begins_line(text, begin)) {
      import_end = std::min(text.find('\n', begin), text.size());
    } else if (begin >= 4 && text.substr(begin - 4, 4) == "def ") {
      note(as_definition(hash));
    }
  });
  return {found.begin(), found.end()};
}

bool holds_any(std::string_view text, const WordSet& words) {
  bool found = false;
  each_word(text, [&](WordHash hash, std::size_t, std::size_t) { found = found || words.has(hash); });
  return found;
}

namespace {

// After the string whose first quote is at `at`; strings of one line end with it.
std::size_t string_end(std::string_view text, std::size_t at, bool triple) {
  char quote = text[at];
  for (std::size_t i = at + (triple ? 3 : 1); i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == quote) {
      if (!triple) return i + 1;
      if (text.substr(i + 1, 2) == text.substr(at, 2)) return i + 3;
    } else if (text[i] == '\n' && !triple) {
      return i;
    }
  }
  return text.size();
}

}  // namespace

bool mentions(std::string_view text, source::Range range, const WordSet& words) {
  std::string_view piece = text.substr(range.begin, range.size());
  bool found = false;
  auto look = [&](std::size_t begin, std::size_t end) {
    if (begin >= end) return;
    each_word(piece.substr(begin, end - begin), [&](WordHash hash, std::size_t at, std::size_t) {
      found = found || words.has(hash) || (may_be_attribute(piece, begin + at) && words.has(as_attribute(hash)));
    });
  };
  std::size_t from = 0;
  for (std::size_t i = 0; i < piece.size() && !found;) {
    char c = piece[i];
    if (c == '#') {
      look(from, i);
      from = i = std::min(piece.find('\n', i), piece.size());
    } else if (c == '"' || c == '\'') {
      bool triple = piece.substr(i, 3) == std::string_view(c == '"' ? "\"\"\"" : "'''");
      std::size_t end = string_end(piece, i, triple);
      if (triple) {
        look(from, i);
        from = end;
      }
      i = end;
    } else {
      ++i;
    }
  }
  if (!found) look(from, piece.size());
  return found;
}

}  // namespace ungate::python

// Words: the identifiers of a text, as hashes. One pass over a file tells which names it holds; later
// rounds of the audit ask again without reading it.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/word_scan.h"
#include "source/source_file.h"

namespace ungate::python {

using WordHash = std::uint32_t;

inline constexpr WordHash kAttribute = 0x9e3779b9, kDefinition = 0x85ebca6b;

// Words shorter than this are not recorded, but for constants (SM, CC, CAP): they name nothing that an audit
// looks for.
inline constexpr std::size_t kShortestWord = 4, kShortestConstant = 2;

using ungate::hash_word;

// Stands for a word in the places where it can name an attribute: `x.word`, `getattr(x, "word")`.
constexpr WordHash as_attribute(WordHash word) { return word == kAttribute ? 1 : word ^ kAttribute; }

// Stands for a word after `def`.
constexpr WordHash as_definition(WordHash word) { return word == kDefinition ? 1 : word ^ kDefinition; }

// A set of words to look for. Lookups cost one probe of a small table.
class WordSet {
 public:
  void add(std::string_view word) { insert(hash_word(word)); }
  void add_attribute(std::string_view word) { insert(as_attribute(hash_word(word))); }
  void insert(WordHash hash);
  bool has(WordHash hash) const {
    return !table_.empty() && probe(hash);
  }
  template <class F>
  void each(F&& f) const {
    for (WordHash hash : table_) {
      if (hash != 0) f(hash);
    }
  }
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }

 private:
  bool probe(WordHash hash) const {
    for (std::size_t at = hash & mask_; table_[at] != 0; at = (at + 1) & mask_) {
      if (table_[at] == hash) return true;
    }
    return false;
  }
  std::vector<WordHash> table_;
  std::size_t mask_ = 0, size_ = 0;
};

constexpr bool is_recorded(std::string_view word) {
  bool constant = word.size() >= kShortestConstant && word[0] >= 'A' && word[0] <= 'Z';
  return constant || word.size() >= kShortestWord;
}

// Calls f(hash, begin, size) for every word of the text, wherever it stands (comments and strings too).
template <class F>
void each_word(std::string_view text, F&& f);

// The distinct words of a text, in no order; those that can name an attribute or follow `def` once more, as such.
std::vector<WordHash> words_of(std::string_view text);

// True if a word of the set stands anywhere in the text.
bool holds_any(std::string_view text, const WordSet& words);

// True if a word of the set stands in text[range] outside comments and triple-quoted strings; words that are
// looked for as attributes, where they can be one.
bool mentions(std::string_view text, source::Range range, const WordSet& words);

}  // namespace ungate::python

#include "python/words_impl.h"

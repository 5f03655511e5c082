// Which files hold a word: asked thousands of times when callers are followed.
//
// Two bits of a signature stand for each word of each file; two rows of the table tell which files can hold a
// word, and the word lists of those are looked through.
#pragma once

#include <cstdint>
#include <vector>

#include "python/words.h"

namespace ungate::audit {

class WordIndex {
 public:
  WordIndex() = default;
  // words[i] are the words of file i. The lists must outlive the index.
  WordIndex(const std::vector<std::vector<python::WordHash>>& words, unsigned threads);

  // The files that hold the word, ascending.
  std::vector<std::uint32_t> files_with(python::WordHash word) const;

 private:
  static constexpr std::size_t kRows = 1u << 13;
  static std::size_t first_row(python::WordHash word) { return word & (kRows - 1); }
  static std::size_t second_row(python::WordHash word) { return word >> 13 & (kRows - 1); }

  const std::vector<std::vector<python::WordHash>>* words_ = nullptr;
  std::size_t width_ = 0;                 // words of 64 files in a row
  std::vector<std::uint64_t> rows_;
};

}  // namespace ungate::audit

#include "audit/word_index.h"

#include <algorithm>
#include <bit>

#include "base/parallel.h"

namespace ungate::audit {
namespace {

// Sixteen at a time, without leaving in between: the compiler makes a few instructions of them.
bool holds(const std::vector<python::WordHash>& words, python::WordHash wanted) {
  std::size_t i = 0;
  for (; i + 16 <= words.size(); i += 16) {
    unsigned any = 0;
    for (std::size_t k = 0; k < 16; ++k) any |= words[i + k] == wanted ? 1u : 0u;
    if (any != 0) return true;
  }
  return std::find(words.begin() + static_cast<std::ptrdiff_t>(i), words.end(), wanted) != words.end();
}

}  // namespace

// Each task sets the bits of its own 64 files, so no two write the same word of the table.
WordIndex::WordIndex(const std::vector<std::vector<python::WordHash>>& words, unsigned threads)
    : words_(&words), width_((words.size() + 63) / 64), rows_(kRows * width_, 0) {
  parallel_for(width_, threads, [&](std::size_t column) {
    std::size_t end = std::min(words.size(), (column + 1) * 64);
    for (std::size_t i = column * 64; i < end; ++i) {
      std::uint64_t bit = std::uint64_t{1} << (i & 63);
      for (python::WordHash word : words[i]) {
        rows_[first_row(word) * width_ + column] |= bit;
        rows_[second_row(word) * width_ + column] |= bit;
      }
    }
  });
}

std::vector<std::uint32_t> WordIndex::files_with(python::WordHash word) const {
  std::vector<std::uint32_t> out;
  const std::uint64_t* first = rows_.data() + first_row(word) * width_;
  const std::uint64_t* second = rows_.data() + second_row(word) * width_;
  for (std::size_t column = 0; column < width_; ++column) {
    for (std::uint64_t bits = first[column] & second[column]; bits != 0; bits &= bits - 1) {
      auto i = static_cast<std::uint32_t>(column * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
      if (holds((*words_)[i], word)) out.push_back(i);
    }
  }
  return out;
}

}  // namespace ungate::audit

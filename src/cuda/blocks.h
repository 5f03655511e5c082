// The blocks of a function body (what runs only under a condition), and where its names stand.
#pragma once

#include <algorithm>
#include <ranges>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "cuda/lexeme.h"

namespace ungate::cuda {

class Blocks {
 public:
  explicit Blocks(const Lexemes& body);

  std::uint32_t of(std::size_t lexeme) const { return of_[lexeme]; }
  // True if `outer` is `inner` or around it.
  bool encloses(std::uint32_t outer, std::uint32_t inner) const;
  // The conditions under which the block `inner` runs, for one who is in `from`: those of the
  // blocks around it that are not around `from`. Joined by &&; empty: no condition.
  std::string condition(std::uint32_t inner, std::uint32_t from) const;

 private:
  struct Block {
    std::uint32_t parent;
    std::string condition;
    bool until_semicolon;  // a statement without braces
  };

  std::vector<Block> blocks_;
  std::vector<std::uint32_t> of_;
  std::vector<std::uint32_t> stack_;
};

// Where each identifier occurs.
class NameIndex {
 public:
  explicit NameIndex(const Lexemes& body) {
    for (std::size_t i = 0; i < body.size(); ++i) {
      if (body[i].is_identifier()) places_[body[i].text].push_back(static_cast<std::uint32_t>(i));
    }
  }
  // The places of `name` below `end`, last one first.
  auto before(std::string_view name, std::size_t end) const {
    auto found = places_.find(name);
    std::span<const std::uint32_t> all;
    if (found != places_.end()) all = found->second;
    auto last = std::ranges::lower_bound(all, end);
    return std::views::reverse(all.first(static_cast<std::size_t>(last - all.begin())));
  }

 private:
  std::unordered_map<std::string_view, std::vector<std::uint32_t>> places_;
};

}  // namespace ungate::cuda

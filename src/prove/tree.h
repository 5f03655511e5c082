// The sources as a compiler is to see them: those of the environment, with some texts replaced.
//
// Nothing is written into the environment. Where texts are replaced, the folders around them are
// mirrored in a scratch folder: folders anew, files as links. A compiler that enters the mirror stays
// in it, since a file is looked for beside the name by which its includer was opened.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace ungate::prove {

// Path relative to an import root -> the bytes that stand for it.
using Texts = std::map<std::string, std::string>;

class Tree {
 public:
  // The environment as it is. `sites` are the import roots, absolute and in order.
  explicit Tree(std::vector<std::string> sites);

  // With `texts` in place of files that exist. `folders` (relative to the import roots) are those that
  // a compiler searches; what holds an edited file is mirrored in `scratch`, which must stay.
  static Result<Tree> edited(std::vector<std::string> sites, const Texts& texts, const std::vector<std::string>& folders,
                             const std::string& scratch);

  // Where a path relative to an import root lies; nothing if there is none.
  std::optional<std::string> find(const std::string& path) const;

  // Paths below the import roots as the same in every tree, other paths as they are:
  // "<site 0>/flashinfer/data/include/x.cuh".
  std::string name_of(std::string_view path) const;
  // The inverse.
  std::string path_of(std::string_view name) const;
  // (folder, name) pairs: what name_of() replaces.
  const std::vector<std::pair<std::string, std::string>>& roots() const { return roots_; }

  // True for the original of a file that this tree replaces: a compiler must not have read it.
  bool is_replaced(std::string_view path) const { return replaced_.contains(std::string(path)); }
  bool is_edited() const { return !replaced_.empty(); }

 private:
  std::vector<std::string> sites_;
  std::vector<std::pair<std::string, std::string>> roots_;  // mirrors first
  std::set<std::string> replaced_;                          // absolute
};

// Names of Tree::name_of() in a text, relative to their import roots: for people.
std::string without_roots(std::string text);

}  // namespace ungate::prove

// Results kept by content: below a folder, one file for each.
//
// m-KEY  a manifest: which files a result was made from, with their hashes, and under which key it
//        stands. Looked up by what was asked; more than one can be there (several contents in turn).
// r-KEY  the result, JSON.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "prove/tree.h"

namespace ungate::prove {

// A file that was read, as one of the trees has it.
struct Used {
  std::uint32_t tree = 0;
  std::string name;           // Tree::name_of()
  std::uint64_t hash = 0;
  bool operator==(const Used&) const = default;
};

// May be used by several threads.
class Store {
 public:
  // An empty folder: nothing is kept.
  explicit Store(std::string folder) : folder_(std::move(folder)) {}

  // The key of a result that was made from the files as the trees have them now.
  std::optional<std::string> find(std::uint64_t question, const std::vector<const Tree*>& trees);
  void remember(std::uint64_t question, const std::vector<Used>& files, const std::string& key);
  std::optional<std::string> load(const std::string& key);
  void save(const std::string& key, std::string_view json);

  // The hash of a file's bytes, read once; 0: it cannot be read.
  std::uint64_t hash_of(const std::string& path);
  // The files of a preprocessed text, hashed.
  std::vector<Used> used(const std::vector<std::string>& names, std::uint32_t tree_number, const Tree& tree);

  const std::string& folder() const { return folder_; }

 private:
  std::string folder_;
  std::mutex mutex_;
  std::map<std::string, std::uint64_t> hashes_;
};

}  // namespace ungate::prove

// Small texts as files of a tree, for tests of cuda/.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "cuda/preprocess.h"

namespace ungate::cuda {

// A tree in memory. Texts and directives stay where they are.
class Tree {
 public:
  void add(const std::string& path, std::string text) {
    auto entry = std::make_unique<Entry>();
    entry->text = std::move(text);
    entry->directives = read_directives(entry->text);
    files_[path] = std::move(entry);
  }
  Loader loader() const {
    return [this](const std::string& path) -> std::optional<FileText> {
      auto found = files_.find(path);
      if (found == files_.end()) return std::nullopt;
      return FileText{found->second->text, &found->second->directives};
    };
  }
  FileText file(const std::string& path) const { return *loader()(path); }

 private:
  struct Entry {
    std::string text;
    Directives directives;
  };
  std::map<std::string, std::unique_ptr<Entry>> files_;
};

// The arm whose text holds `word`, which must occur once.
inline std::uint32_t arm_holding(FileText file, std::string_view word) {
  return arm_at(*file.directives, static_cast<std::uint32_t>(file.text.find(word)));
}

}  // namespace ungate::cuda

// The texts of an environment's files, read when asked for and kept.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "audit/walk.h"
#include "package/environment.h"
#include "source/source_file.h"

namespace ungate::audit {

// Texts that stand for files without being written: a plan is checked on them.
using Overlay = std::unordered_map<std::string, std::string>;  // path relative to its import root -> bytes

class FileStore {
 public:
  FileStore(const package::Environment& environment, const Overlay* overlay)
      : environment_(environment), overlay_(overlay) {}

  // Registers a found file; of two with one relative path the first wins, as in import order.
  void add(const FoundFile& file);
  // Keeps a text that was read already. May be called from several threads.
  void keep(const FoundFile& file, std::string bytes);
  // The text of a file by its path relative to an import root; null when it cannot be read. A path that was
  // not found by the walk is looked for in every root.
  const source::SourceFile* load(const std::string& path);
  // Calls f(text) for a found file: with the kept text, else with one that is read and dropped again. Says
  // nothing of a file that cannot be read. May be called from several threads.
  template <class F>
  void look(const std::string& path, F&& f) const {
    std::string bytes;
    if (const source::SourceFile* known = kept(path)) f(known->text());
    else if (read(path, bytes)) f(std::string_view(bytes));
  }
  // Which import root a file belongs to.
  std::uint32_t root_of(const std::string& path) const;
  std::string absolute(const FoundFile& file) const;

 private:
  const source::SourceFile* kept(const std::string& path) const;
  bool read(const std::string& path, std::string& bytes) const;

  const package::Environment& environment_;
  const Overlay* overlay_;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::uint32_t> roots_;
  std::unordered_map<std::string, std::unique_ptr<source::SourceFile>> files_;  // null: unreadable
};

}  // namespace ungate::audit

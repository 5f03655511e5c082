#include "audit/store.h"

#include "base/file.h"

namespace ungate::audit {
namespace {

constexpr std::uint64_t kLargest = 64u << 20;  // a source file larger than this is data

}  // namespace

void FileStore::add(const FoundFile& file) { roots_.try_emplace(file.path, file.root); }

void FileStore::keep(const FoundFile& file, std::string bytes) {
  auto text = std::make_unique<source::SourceFile>(file.path, std::move(bytes));
  std::lock_guard lock(mutex_);
  files_.try_emplace(file.path, std::move(text));
}

std::string FileStore::absolute(const FoundFile& file) const {
  return environment_.sites[file.root].path + '/' + file.path;
}

std::uint32_t FileStore::root_of(const std::string& path) const {
  auto found = roots_.find(path);
  return found == roots_.end() ? 0 : found->second;
}

const source::SourceFile* FileStore::load(const std::string& path) {
  std::lock_guard lock(mutex_);
  auto [entry, fresh] = files_.try_emplace(path);
  if (!fresh) return entry->second.get();
  if (overlay_ != nullptr) {
    if (auto laid = overlay_->find(path); laid != overlay_->end()) {
      entry->second = std::make_unique<source::SourceFile>(path, laid->second);
      return entry->second.get();
    }
  }
  auto root = roots_.find(path);
  for (std::uint32_t i = 0; i < environment_.sites.size(); ++i) {
    if (root != roots_.end() && root->second != i) continue;
    if (auto text = read_file(environment_.sites[i].path + '/' + path, kLargest)) {
      roots_.try_emplace(path, i);
      entry->second = std::make_unique<source::SourceFile>(path, std::move(text->bytes));
      break;
    }
  }
  return entry->second.get();
}

}  // namespace ungate::audit

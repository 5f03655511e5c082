#include "audit/store.h"

#include <optional>

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

const source::SourceFile* FileStore::kept(const std::string& path) const {
  std::lock_guard lock(mutex_);
  auto found = files_.find(path);
  return found == files_.end() ? nullptr : found->second.get();
}

bool FileStore::read(const std::string& path, std::string& bytes) const {
  if (overlay_ != nullptr) {
    if (auto laid = overlay_->find(path); laid != overlay_->end()) {
      bytes = laid->second;
      return true;
    }
  }
  auto text = read_file(absolute({path, root_of(path)}), kLargest);
  if (text) bytes = std::move(text->bytes);
  return text.has_value();
}

std::uint32_t FileStore::root_of(const std::string& path) const {
  std::lock_guard lock(mutex_);
  auto found = roots_.find(path);
  return found == roots_.end() ? 0 : found->second;
}

const source::SourceFile* FileStore::load(const std::string& path) {
  std::optional<std::uint32_t> root;
  {
    std::lock_guard lock(mutex_);
    if (auto known = files_.find(path); known != files_.end()) return known->second.get();
    if (auto found = roots_.find(path); found != roots_.end()) root = found->second;
  }
  // Read without the lock: of two threads that read the same file one text is kept.
  std::unique_ptr<source::SourceFile> text;
  if (overlay_ != nullptr && overlay_->contains(path)) {
    text = std::make_unique<source::SourceFile>(path, overlay_->at(path));
  }
  for (std::uint32_t i = 0; i < environment_.sites.size() && text == nullptr; ++i) {
    if (root && *root != i) continue;
    if (auto bytes = read_file(environment_.sites[i].path + '/' + path, kLargest)) {
      root = i;
      text = std::make_unique<source::SourceFile>(path, std::move(bytes->bytes));
    }
  }
  std::lock_guard lock(mutex_);
  if (root) roots_.try_emplace(path, *root);
  return files_.try_emplace(path, std::move(text)).first->second.get();
}

}  // namespace ungate::audit

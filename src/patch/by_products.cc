#include "patch/by_products.h"

#include <fcntl.h>
#include <time.h>

#include <algorithm>

#include "base/text.h"
#include "package/folder.h"
#include "patch/disk.h"
#include "patch/tree_walk.h"

namespace ungate::patch {
namespace {

// "comm.cpython-311.pyc" and "comm.cpython-311.opt-1.pyc" for the stem "comm".
bool is_bytecode_of(std::string_view stem, std::string_view name) {
  if (!name.starts_with(stem) || !name.ends_with(".pyc")) return false;
  name.remove_prefix(stem.size());
  name.remove_suffix(4);
  if (!name.starts_with('.')) return false;
  std::vector<std::string_view> parts = text::split(name.substr(1), '.');
  return !parts[0].empty() &&
         (parts.size() == 1 || (parts.size() == 2 && parts[1].starts_with("opt-")));
}

Status remove_bytecode(const std::string& path) {
  Descriptor folder(
      open(package::parent_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder) return {};  // gone meanwhile
  return remove_below(folder.get(), package::name_of_path(path), path);
}

}  // namespace

std::int64_t now_ns() {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

std::vector<std::string> find_bytecode(const FileRef& file) {
  std::vector<std::string> out;
  if (!file.path.ends_with(".py")) return out;
  auto target = open_target(file.site, file.path);
  if (!target) return out;
  Descriptor cache = open_below(target->folder.get(), "__pycache__");
  if (!cache) return out;
  std::string_view stem = std::string_view(target->name).substr(0, target->name.size() - 3);
  for (const std::string& name : names_in(cache.get())) {
    if (is_bytecode_of(stem, name)) {
      out.push_back(package::parent_of(target->path) + "/__pycache__/" + name);
    }
  }
  return out;
}

ByProducts find_by_products(std::span<const FileRef> files, const std::vector<CacheRule>& rules,
                            const Variables& variables, std::int64_t edited_ns) {
  ByProducts found;
  for (const FileRef& file : files) {
    std::ranges::move(find_bytecode(file), std::back_inserter(found.bytecode));
  }
  found.caches = find_caches(rules, variables, edited_ns);
  for (const CacheFolder& folder : found.caches) {
    if (!folder.problem.empty()) found.problems.push_back(folder.path() + ' ' + folder.problem);
  }
  return found;
}

void clear_by_products(ByProducts& found, Progress& progress) {
  std::size_t number = 0, total = found.bytecode.size() + found.caches.size();
  auto record = [&](const Status& done) {
    if (!done) found.problems.push_back(done.error().where + ": " + done.error().what);
  };
  for (const std::string& path : found.bytecode) {
    progress.doing("clearing", path, ++number, total);
    record(remove_bytecode(path));
  }
  for (const CacheFolder& folder : found.caches) {
    progress.doing("clearing", folder.path(), ++number, total);
    if (folder.problem.empty()) record(remove_cache(folder));
  }
  found.cleared = true;
}

}  // namespace ungate::patch

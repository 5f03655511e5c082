#include "prove/store.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "base/file.h"
#include "base/hash.h"
#include "base/text.h"

namespace ungate::prove {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kManifests = 8;  // contents remembered for one question

// Beside it first, then renamed, so that nobody reads half a file. What cannot be written is not kept.
void write_whole(const std::string& path, std::string_view text) {
  std::error_code ec;
  fs::create_directories(fs::path(path).parent_path(), ec);
  auto thread = std::hash<std::thread::id>{}(std::this_thread::get_id());
  std::string beside = path + '.' + std::to_string(getpid()) + '.' + hex(thread, 8);
  {
    std::ofstream out(beside, std::ios::binary);
    out << text;
    if (!out.flush()) {
      fs::remove(beside, ec);
      return;
    }
  }
  fs::rename(beside, path, ec);
  if (ec) fs::remove(beside, ec);
}

// Blocks of lines: "= KEY", then "TREE HASH NAME" for each file.
struct Manifest {
  std::string key;
  std::vector<Used> files;
};

std::vector<Manifest> parse(std::string_view text) {
  std::vector<Manifest> out;
  for (std::string_view line : text::lines(text)) {
    if (line.starts_with("= ")) {
      out.push_back({std::string(line.substr(2)), {}});
    } else if (auto parts = text::split(line, ' '); parts.size() >= 3 && !out.empty()) {
      Used used;
      used.tree = parts[0] == "1" ? 1 : 0;
      used.hash = std::strtoull(std::string(parts[1]).c_str(), nullptr, 16);
      used.name = line.substr(parts[0].size() + parts[1].size() + 2);
      out.back().files.push_back(std::move(used));
    }
  }
  return out;
}

}  // namespace

std::uint64_t Store::hash_of(const std::string& path) {
  {
    std::lock_guard lock(mutex_);
    if (auto known = hashes_.find(path); known != hashes_.end()) return known->second;
  }
  auto text = read_file(path);
  std::uint64_t hash = text ? hash64(text->bytes) | 1 : 0;
  std::lock_guard lock(mutex_);
  hashes_[path] = hash;
  return hash;
}

std::vector<Used> Store::used(const std::vector<std::string>& names, std::uint32_t tree_number, const Tree& tree) {
  std::vector<Used> out;
  for (const std::string& name : names) out.push_back({tree_number, name, hash_of(tree.path_of(name))});
  return out;
}

std::optional<std::string> Store::find(std::uint64_t question, const std::vector<const Tree*>& trees) {
  if (folder_.empty()) return std::nullopt;
  auto text = read_file(folder_ + "/m-" + hex(question));
  if (!text) return std::nullopt;
  for (const Manifest& m : parse(text->bytes)) {
    bool same = !m.files.empty() && std::ranges::all_of(m.files, [&](const Used& u) {
      return u.tree < trees.size() && u.hash != 0 && hash_of(trees[u.tree]->path_of(u.name)) == u.hash;
    });
    if (same) return m.key;
  }
  return std::nullopt;
}

void Store::remember(std::uint64_t question, const std::vector<Used>& files, const std::string& key) {
  if (folder_.empty()) return;
  std::string path = folder_ + "/m-" + hex(question);
  std::vector<Manifest> all{{key, files}};
  if (auto old = read_file(path)) {
    for (Manifest& m : parse(old->bytes)) {
      if (m.files != files && all.size() < kManifests) all.push_back(std::move(m));
    }
  }
  std::ostringstream out;
  for (const Manifest& m : all) {
    out << "= " << m.key << '\n';
    for (const Used& u : m.files) out << u.tree << ' ' << hex(u.hash) << ' ' << u.name << '\n';
  }
  write_whole(path, out.str());
}

std::optional<std::string> Store::load(const std::string& key) {
  if (folder_.empty()) return std::nullopt;
  auto text = read_file(folder_ + "/r-" + key);
  if (!text) return std::nullopt;
  return std::move(text->bytes);
}

void Store::save(const std::string& key, std::string_view json) {
  if (!folder_.empty()) write_whole(folder_ + "/r-" + key, json);
}

}  // namespace ungate::prove

#include "cuda/include_path.h"

#include <algorithm>

namespace ungate::cuda {

std::string normal_path(std::string_view path) {
  std::vector<std::string_view> parts;
  bool absolute = path.starts_with('/');
  while (!path.empty()) {
    std::size_t end = std::min(path.find('/'), path.size());
    std::string_view part = path.substr(0, end);
    path.remove_prefix(std::min(end + 1, path.size()));
    if (part.empty() || part == ".") continue;
    if (part == ".." && !parts.empty() && parts.back() != "..") {
      parts.pop_back();
    } else if (part != ".." || !absolute) {
      parts.push_back(part);
    }
  }
  std::string out = absolute ? "/" : "";
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) out += '/';
    out += parts[i];
  }
  return out;
}

std::string_view directory_of(std::string_view path) {
  std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

std::string join_path(std::string_view directory, std::string_view name) {
  if (directory.empty() || name.starts_with('/')) return normal_path(name);
  std::string joined(directory);
  joined += '/';
  joined += name;
  return normal_path(joined);
}

std::vector<std::string> include_candidates(std::string_view name, bool angled, bool next,
                                            std::string_view includer,
                                            const std::vector<std::string>& include_paths) {
  std::vector<std::string> out;
  if (!angled) out.push_back(join_path(directory_of(includer), name));
  for (const std::string& folder : include_paths) out.push_back(join_path(folder, name));
  if (next) {
    auto self = std::ranges::find(out, includer);
    if (self != out.end()) out.erase(out.begin(), self + 1);
    std::erase(out, includer);
  }
  return out;
}

}  // namespace ungate::cuda

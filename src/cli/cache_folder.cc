#include "cli/cache_folder.h"

#include <cstdlib>

namespace ungate::cli {
namespace {

std::string variable(const char* name) {
  const char* value = getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

std::string top(const std::string& named) {
  if (!named.empty()) return named;
  if (std::string given = variable("UNGATE_CACHE_DIR"); !given.empty()) return given;
  // Relative paths are ignored, as the XDG specification wants it.
  if (std::string cache = variable("XDG_CACHE_HOME"); cache.starts_with('/')) return cache + "/ungate";
  std::string home = variable("HOME");
  return home.starts_with('/') ? home + "/.cache/ungate" : std::string();
}

}  // namespace

std::string cache_folder(const std::string& named, std::string_view what) {
  std::string folder = top(named);
  return folder.empty() ? folder : folder + '/' + std::string(what);
}

}  // namespace ungate::cli

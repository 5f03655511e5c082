// Where an #include leads.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ungate::cuda {

// "a/b/../c.h" -> "a/c.h", without touching a disk.
std::string normal_path(std::string_view path);
// "a/b.h" -> "a", "b.h" -> "".
std::string_view directory_of(std::string_view path);
std::string join_path(std::string_view directory, std::string_view name);

// The paths that a compiler would try for an include, in order: the includer's folder for "…", then
// the include path. With `next` (#include_next) only what comes after the includer itself.
std::vector<std::string> include_candidates(std::string_view name, bool angled, bool next,
                                            std::string_view includer,
                                            const std::vector<std::string>& include_paths);

}  // namespace ungate::cuda

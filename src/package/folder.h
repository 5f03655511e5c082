// Small questions to the file system, answered without exceptions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace ungate::package {

struct FolderEntry {
  std::string name;
  bool folder = false;   // a folder, or a symbolic link to one
  bool symlink = false;
};

// The entries of a folder, sorted by name; `no_such_path` or `unreadable`.
Result<std::vector<FolderEntry>> list_folder(const std::string& path);

// All follow symbolic links; false for loops and for what cannot be looked at.
bool is_folder(const std::string& path);
bool is_file(const std::string& path);
bool exists(const std::string& path);

// "/a/b" for "/a/b/c" and for "/a/b/c/"; "/" for "/".
std::string parent_of(std::string_view path);
std::string name_of_path(std::string_view path);
std::string join_path(std::string_view folder, std::string_view name);

// Absolute, without "." and doubled or final slashes. Symbolic links stay, so that a package that
// is a link in its site is still seen there; only a path with ".." is resolved, since a name and
// ".." cancel each other only without links.
std::string absolute(std::string_view path, std::string_view working_folder);

// All symbolic links resolved; `no_such_path`, or `unreadable` for a loop and for lack of
// permission.
Result<std::string> resolve(const std::string& path);

// True if `path` is `folder` or lies below it. Both absolute, compared as text.
bool is_within(std::string_view path, std::string_view folder);

}  // namespace ungate::package

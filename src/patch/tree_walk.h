// Walking and removing folders by descriptor, without following symbolic links.
#pragma once

#include <sys/stat.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "patch/descriptor.h"

namespace ungate::patch {

// A folder below another; an empty descriptor if it is none, or a link (errno says).
Descriptor open_below(int parent, const std::string& name);
// The same for a path of several names.
Descriptor open_path_below(int parent, std::string_view path);

// Names in a folder, sorted, without "." and "..".
std::vector<std::string> names_in(int folder);

// `*` and `?` within one name.
bool matches(std::string_view pattern, std::string_view name);

// Calls visit(path below, info) for all that is not a folder.
void visit_files(int folder, const std::string& below,
                 const std::function<void(const std::string&, const struct stat&)>& visit);

// Removes an entry of `parent`, whatever it is, and all that it holds; links themselves, not what
// they lead to. `path` is for messages.
Status remove_below(int parent, const std::string& name, const std::string& path);

}  // namespace ungate::patch

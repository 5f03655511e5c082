// Real releases, from PyPI, in a cache outside of the tree: UNGATE_TEST_CACHE, by default
// ${XDG_CACHE_HOME:-$HOME/.cache}/ungate-tests.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ungate::corpus {

// The folder of `pip install --target` for the requirements, which pin versions. Installed once; a
// second process waits for the first. Throws std::runtime_error with pip's words if that fails.
std::filesystem::path installed(const std::string& name,
                                const std::vector<std::string>& requirements);

// The lines of a file that are neither empty nor comments.
std::vector<std::string> lines_of(const std::filesystem::path& file);
// The same, cut at tabs.
std::vector<std::vector<std::string>> table(const std::filesystem::path& file);

// What a command prints on stdout; its stderr goes to ours. `status` is how it ended.
std::string output_of(const std::string& command, int& status);
// One word for a shell.
std::string quoted(const std::string& word);

}  // namespace ungate::corpus

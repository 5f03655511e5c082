#include "package/prefix.h"

#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>

#include "base/file.h"
#include "base/text.h"
#include "package/folder.h"
#include "package/version.h"

namespace ungate::package {
namespace {

constexpr std::string_view kPython = "python";

std::string variable(const char* name) {
  const char* value = getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

// "3.11" of "3.11.7", "3.11.7.final.0" or "python3.11"; empty if there are no two numbers.
std::string major_minor(std::string_view s) {
  if (s.starts_with(kPython)) s.remove_prefix(kPython.size());
  std::vector<std::string_view> parts = text::split(s, '.');
  std::int64_t major = 0, minor = 0;
  if (parts.size() < 2 || !text::parse_int(parts[0], major) || !text::parse_int(parts[1], minor)) {
    return {};
  }
  return std::to_string(major) + '.' + std::to_string(minor);
}

std::map<std::string, std::string> read_settings(const std::string& file) {
  std::map<std::string, std::string> settings;
  auto text = read_file(file, 1 << 20);
  if (!text) return settings;
  for (std::string_view line : text::lines(text->bytes)) {
    std::size_t equals = line.find('=');
    if (equals == line.npos) continue;
    settings[text::lower(text::trim(line.substr(0, equals)))] = text::trim(line.substr(equals + 1));
  }
  return settings;
}

bool has_site(const std::string& python_folder) {
  return is_folder(python_folder + "/site-packages") || is_folder(python_folder + "/dist-packages");
}

bool is_script(const std::string& file) {
  auto text = read_file(file, 256 << 10);  // interpreters are larger, or not scripts
  return text && text->bytes.starts_with("#!");
}

bool is_executable(const std::string& path) {
  return is_file(path) && access(path.c_str(), X_OK) == 0;
}

std::optional<std::string> find_on_path(std::string_view name, const Surroundings& around) {
  for (std::string_view folder : text::split(around.path, ':')) {
    std::string path =
        absolute(join_path(folder.empty() ? "." : folder, name), around.working_folder);
    if (is_executable(path)) return path;
  }
  return std::nullopt;
}

std::string first_word_of(const std::string& file) {
  auto text = read_file(file, 1 << 16);
  if (!text) return {};
  std::string_view s = text::trim(text->bytes);
  return std::string(s.substr(0, s.find_first_of(" \t\r\n")));
}

// The version that pyenv would run: PYENV_VERSION, then .python-version from the working folder up,
// then the file `version` of pyenv itself.
std::string pyenv_choice(const std::string& pyenv, const Surroundings& around) {
  if (!around.pyenv_version.empty()) return std::string(text::split(around.pyenv_version, ':')[0]);
  for (std::string folder = around.working_folder; !folder.empty(); folder = parent_of(folder)) {
    if (std::string v = first_word_of(join_path(folder, ".python-version")); !v.empty()) return v;
    if (folder == "/" || folder == ".") break;
  }
  return first_word_of(pyenv + "/version");
}

Result<std::string> behind_script(const std::string& script, const Surroundings& around) {
  std::string folder = parent_of(script), pyenv = parent_of(folder);
  if (name_of_path(folder) == "shims" && is_folder(pyenv + "/versions")) {
    std::string chosen =
        pyenv + "/versions/" + pyenv_choice(pyenv, around) + "/bin/" + name_of_path(script);
    if (is_executable(chosen)) return chosen;
  }
  return fail(ErrorCode::usage, "is a script, not a Python interpreter", script,
              "name the environment itself, for example --prefix .venv");
}

}  // namespace

Surroundings Surroundings::of_process() {
  std::error_code ignored;
  Surroundings s;
  s.working_folder = std::filesystem::current_path(ignored).string();
  s.path = variable("PATH");
  s.home = variable("HOME");
  s.virtual_env = variable("VIRTUAL_ENV");
  s.python_path = variable("PYTHONPATH");
  s.pyenv_version = variable("PYENV_VERSION");
  s.no_user_site = !variable("PYTHONNOUSERSITE").empty();
  return s;
}

bool is_environment(const std::string& folder) {
  return is_file(folder + "/pyvenv.cfg") || is_folder(folder + "/conda-meta");
}

Prefix read_prefix(const std::string& folder) {
  Prefix prefix;
  prefix.path = resolve(folder).value_or(folder);
  std::string file = folder + "/pyvenv.cfg";
  if (!is_file(file)) return prefix;
  auto settings = read_settings(file);
  prefix.virtual_environment = true;
  prefix.system_site = text::lower(settings["include-system-site-packages"]) == "true";
  // Written as `version` by venv, as `version_info` by virtualenv and uv.
  prefix.python_version = major_minor(settings["version"]);
  if (prefix.python_version.empty()) prefix.python_version = major_minor(settings["version_info"]);
  if (!settings["home"].empty()) prefix.base = parent_of(settings["home"]);
  return prefix;
}

Result<Prefix> prefix_of_interpreter(const std::string& executable, const Surroundings& around) {
  std::string path = executable;
  if (path.find('/') == path.npos && !is_folder(absolute(path, around.working_folder))) {
    auto found = find_on_path(path, around);
    if (!found) return fail(ErrorCode::no_such_path, "no such program on PATH", path);
    path = *found;
  }
  path = absolute(path, around.working_folder);
  if (auto there = resolve(path); !there) return std::unexpected(there.error());
  if (is_folder(path)) return read_prefix(path);
  if (is_script(path)) {
    auto real = behind_script(path, around);
    if (!real) return std::unexpected(real.error());
    path = *real;
  }
  std::string bin = parent_of(path);
  for (const std::string& folder : {bin, parent_of(bin)}) {
    if (is_file(folder + "/pyvenv.cfg")) return read_prefix(folder);
  }
  auto real = resolve(path);
  if (!real) return std::unexpected(real.error());
  Prefix prefix = read_prefix(parent_of(parent_of(*real)));
  prefix.python_version = major_minor(name_of_path(*real));
  return prefix;
}

std::vector<std::string> python_versions(const std::string& prefix) {
  std::vector<std::string> versions;
  for (const char* lib : {"/lib", "/lib64", "/local/lib"}) {
    auto entries = list_folder(prefix + lib);
    if (!entries) continue;
    for (const FolderEntry& entry : *entries) {
      if (!entry.folder || !entry.name.starts_with(kPython)) continue;
      std::string version = major_minor(entry.name);
      if (version.empty() || !has_site(prefix + lib + '/' + entry.name)) continue;
      if (std::ranges::find(versions, version) == versions.end()) versions.push_back(version);
    }
  }
  std::ranges::sort(versions, [](const std::string& a, const std::string& b) {
    return Version::parse(a) > Version::parse(b);
  });
  return versions;
}

std::vector<std::string> site_folders(const std::string& prefix, std::string_view python_version) {
  std::vector<std::string> out;
  auto add = [&](std::string_view lib, std::string_view version, std::string_view leaf) {
    std::string path =
        prefix + std::string(lib) + "/python" + std::string(version) + '/' + std::string(leaf);
    if (!is_folder(path)) return;
    std::string real = resolve(path).value_or(path);
    if (std::ranges::find(out, real) == out.end()) out.push_back(real);
  };
  if (!python_version.empty()) {
    add("/local/lib", python_version, "dist-packages");  // Debian's /usr/local/lib, seen from /usr
    add("/lib64", python_version, "site-packages");
    add("/lib", python_version, "site-packages");
  }
  add("/lib", "3", "dist-packages");
  if (!python_version.empty()) add("/lib", python_version, "dist-packages");
  return out;
}

}  // namespace ungate::package

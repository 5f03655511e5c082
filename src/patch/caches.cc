#include "patch/caches.h"

#include <fcntl.h>
#include <stdlib.h>

#include <algorithm>

#include "base/file.h"
#include "base/text.h"
#include "package/folder.h"
#include "patch/tree_walk.h"

namespace ungate::patch {
namespace {

using text::is_identifier_part;

// A single name that stays below the folder it is put in.
bool is_plain_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == name.npos;
}

// Replaces a leading `~`, `$NAME` and `${NAME}`; nullopt if a variable is not set.
std::optional<std::string> expand(std::string_view text, const Variables& variables) {
  std::string out;
  if (text == "~" || text.starts_with("~/")) {
    auto home = variables("HOME");
    if (!home || home->empty()) return std::nullopt;
    out = *home;
    text.remove_prefix(1);
  }
  while (!text.empty()) {
    std::size_t dollar = text.find('$');
    out += text.substr(0, dollar);
    if (dollar == text.npos) break;
    text.remove_prefix(dollar + 1);
    bool braces = text.starts_with('{');
    if (braces) text.remove_prefix(1);
    std::size_t n = 0;
    while (n < text.size() && is_identifier_part(text[n])) ++n;
    auto value = variables(text.substr(0, n));
    if (!value || value->empty()) return std::nullopt;
    out += *value;
    text.remove_prefix(std::min(text.size(), n + (braces ? 1 : 0)));
  }
  return out;
}

// One search: a pattern for one module below one base.
class Search {
 public:
  Search(const CacheRule& rule, const std::string& module, const std::string& base,
         std::vector<CacheFolder>& out)
      : module_(module), out_(out) {
    found_.rule = rule.name;
    found_.module = module;
    found_.base = base;
  }

  void run(int base, std::string_view pattern) {
    names_ = text::split(pattern, '/');
    bool inside = std::ranges::all_of(names_, is_plain_name);
    // Without the module's name in it a pattern would take what belongs to others.
    if (inside && pattern.find("{module}") != pattern.npos) descend(base, 0);
  }

 private:
  void descend(int folder, std::size_t depth) {
    if (depth == names_.size()) {
      measure(folder);
      return;
    }
    std::string_view wanted = names_[depth];
    std::string name = text::replace_all(std::string(wanted), "{module}", module_);
    bool capture = wanted == "{version}" || wanted == "{arch}";
    if (!capture && name.find_first_of("*?") == name.npos) {
      enter(folder, name, depth);
      return;
    }
    for (const std::string& entry : names_in(folder)) {
      if (wanted == "{version}") found_.version = entry;
      if (wanted == "{arch}") found_.arch = entry;
      if (capture || matches(name, entry)) enter(folder, entry, depth);
    }
  }

  void enter(int folder, const std::string& name, std::size_t depth) {
    std::string above = found_.relative;
    found_.relative += (above.empty() ? "" : "/") + name;
    if (Descriptor inner = open_below(folder, name)) {
      descend(inner.get(), depth + 1);
    } else if (depth + 1 == names_.size()) {
      report_link(folder, name);
    }
    found_.relative = above;
  }

  void report_link(int folder, const std::string& name) {
    struct stat info;
    if (fstatat(folder, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISLNK(info.st_mode)) {
      return;
    }
    CacheFolder link = found_;
    link.problem = "is a symbolic link; left alone";
    out_.push_back(link);
  }

  void measure(int folder) {
    CacheFolder one = found_;
    visit_files(folder, "", [&](const std::string&, const struct stat& info) {
      ++one.files;
      one.bytes += static_cast<std::uint64_t>(info.st_size);
      std::int64_t time = info.st_mtim.tv_sec * 1'000'000'000 + info.st_mtim.tv_nsec;
      one.newest_ns = std::max(one.newest_ns, time);
    });
    out_.push_back(one);
  }

  const std::string& module_;
  std::vector<CacheFolder>& out_;
  std::vector<std::string_view> names_;
  CacheFolder found_;
};

}  // namespace

Variables process_variables() {
  return [](std::string_view name) -> std::optional<std::string> {
    const char* value = getenv(std::string(name).c_str());
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  };
}

std::vector<std::string> expanded_bases(const CacheRule& rule, const Variables& variables) {
  std::vector<std::string> out;
  for (const std::string& base : rule.bases) {
    auto path = expand(base, variables);
    if (!path || !path->starts_with('/') || !package::is_folder(*path)) continue;
    std::string real = package::resolve(*path).value_or(*path);
    if (std::ranges::find(out, real) == out.end()) out.push_back(real);
  }
  return out;
}

std::vector<CacheFolder> find_caches(const std::vector<CacheRule>& rules,
                                     const Variables& variables, std::int64_t edited_ns) {
  std::vector<CacheFolder> out;
  for (const CacheRule& rule : rules) {
    for (const std::string& base : expanded_bases(rule, variables)) {
      Descriptor folder(open(base.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
      if (!folder) continue;
      for (const std::string& module : rule.modules) {
        if (!is_plain_name(module) || module.find_first_of("*?{}") != module.npos) continue;
        for (const std::string& pattern : rule.folders) {
          Search(rule, module, base, out).run(folder.get(), pattern);
        }
      }
    }
  }
  for (CacheFolder& folder : out) folder.stale = folder.newest_ns <= edited_ns;
  std::ranges::stable_sort(out, {}, &CacheFolder::path);
  auto again = std::ranges::unique(out, {}, &CacheFolder::path);
  out.erase(again.begin(), again.end());
  return out;
}

Status remove_cache(const CacheFolder& folder) {
  if (!folder.problem.empty()) return fail(ErrorCode::refused, folder.problem, folder.path());
  Descriptor base(open(folder.base.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  std::size_t slash = folder.relative.rfind('/');
  std::string name = folder.relative.substr(slash == folder.relative.npos ? 0 : slash + 1);
  Descriptor parent;
  if (base && slash != folder.relative.npos) {
    parent = open_path_below(base.get(), std::string_view(folder.relative).substr(0, slash));
  } else {
    parent = std::move(base);
  }
  if (!parent) return std::unexpected(os_error("removing", folder.path(), errno));
  return remove_below(parent.get(), name, folder.path());
}

}  // namespace ungate::patch

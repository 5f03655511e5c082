#include "patch/condition.h"

#include <algorithm>

#include <fmt/core.h>

#include "patch/disk.h"

namespace ungate::patch {
namespace {

constexpr std::string_view kNames[] = {"ours", "pristine", "superseded", "foreign", "missing"};

}  // namespace

std::string_view name_of(FileState state) { return kNames[static_cast<std::size_t>(state)]; }

Result<std::string> Conditions::hash_now(const RunFile& file) {
  if (auto at = pretended_.find({file.site, file.path}); at != pretended_.end()) return at->second;
  auto target = open_target(file.site, file.path);
  if (!target && target.error().code == ErrorCode::no_such_path) return std::string();
  if (!target) return std::unexpected(target.error());
  auto current = read_target(*target);
  if (!current) return std::unexpected(current.error());
  return *current ? (*current)->sha256 : std::string();
}

// The run after this one that made the bytes from what this one wrote.
const Run* Conditions::later_writer(const Run& run, const RunFile& file,
                                    const std::string& sha256) const {
  bool later = false;
  std::string bytes = file.after_sha256;
  for (const Run& other : journal_.runs()) {
    if (later && other.stands()) {
      for (const RunFile& f : other.files) {
        if (f.site != file.site || f.path != file.path || f.before_sha256 != bytes) continue;
        bytes = f.after_sha256;
        if (bytes == sha256) return &other;
      }
    }
    later |= other.id == run.id;
  }
  return nullptr;
}

Result<FileCondition> Conditions::of(const Run& run, const RunFile& file) {
  FileCondition out{file.site, file.path, FileState::ours, {}, {}};
  auto sha256 = hash_now(file);
  if (!sha256) return std::unexpected(sha256.error());
  out.sha256 = *sha256;
  if (*sha256 == file.after_sha256) return out;
  InstalledFile now = installed_.file(file.site, file.path);
  if (const Run* writer = later_writer(run, file, *sha256)) {
    out.why = fmt::format("edited further by run {}", writer->id);
  } else if (now.version != file.version || now.package != file.package) {
    out.state = FileState::superseded;
    out.why =
        now.package.empty()
            ? fmt::format("{} {} is not installed any more", file.package, file.version)
            : fmt::format("{} {} was installed over {}", now.package, now.version, file.version);
  } else if (sha256->empty()) {
    out.state = FileState::missing;
    out.why = "is not there any more";
  } else if (*sha256 == file.before_sha256) {
    out.state = FileState::pristine;
    out.why = "has the bytes from before the run again";
  } else if (*sha256 == now.record_sha256) {
    out.state = FileState::pristine;
    out.why = fmt::format("is as {} {} ships it; it was installed again", now.package, now.version);
  } else {
    out.state = FileState::foreign;
    out.why = "was edited since";
  }
  return out;
}

Result<std::vector<FileCondition>> Conditions::of(const Run& run) {
  std::vector<FileCondition> out;
  for (const RunFile& file : run.files) {
    auto one = of(run, file);
    if (!one) return std::unexpected(one.error());
    out.push_back(std::move(*one));
  }
  return out;
}

void Conditions::pretend(const RunFile& file, const std::string& sha256) {
  pretended_[{file.site, file.path}] = sha256;
}

}  // namespace ungate::patch

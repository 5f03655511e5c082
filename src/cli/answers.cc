#include "cli/answers.h"

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "audit/walk.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/text.h"
#include "cli/version.h"

namespace ungate::cli {
namespace {

constexpr std::size_t kKept = 64;  // answers; the oldest go

// Which program: another build may answer otherwise under the same version.
std::string program() {
  struct stat info {};
  if (stat("/proc/self/exe", &info) != 0) return kVersion;
  return fmt::format("{} {} {} {}.{}", kVersion, info.st_ino, info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
}

std::string text_of(const value::World::Entry& entry) {
  std::string value = std::visit(
      [](const auto& v) -> std::string {
        using T = std::decay_t<decltype(v)>;
        if constexpr (fmt::is_formattable<T>::value) return fmt::format("{}", v);
        else return "None";
      },
      entry.value);
  return fmt::format("{} {} {}={} {}", static_cast<int>(entry.free.kind), entry.value.index(), entry.free.name.text(), value, entry.origin);
}

std::string describe(const Subject& subject) {
  std::vector<std::string> lines;
  for (const rules::RuleFile& f : subject.rules.files) lines.push_back(f.path + ' ' + hex(hash64(f.text)));
  for (arch::Device d : subject.targets) lines.push_back(d.name());
  if (subject.options.kernels) lines.push_back("kernels");
  for (const std::string& p : subject.options.packages) lines.push_back("package " + p);
  for (const std::string& e : subject.options.excludes) lines.push_back("exclude " + e);
  for (const value::World::Entry& e : subject.options.assume) lines.push_back("assume " + text_of(e));
  for (const package::Environment& e : subject.environments) {
    lines.push_back("environment " + e.prefix + ' ' + e.python_version);
    for (const package::Site& s : e.sites) lines.push_back(fmt::format("site {} {} {} {}", s.path, s.root, name_of(s.kind), s.from));
    for (const std::string& s : e.selected) lines.push_back("selected " + s);
  }
  return text::join(lines, "\n");
}

void forget_oldest(const std::string& folder) {
  std::error_code ec;
  std::vector<std::pair<std::filesystem::file_time_type, std::filesystem::path>> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ec)) files.emplace_back(entry.last_write_time(ec), entry.path());
  if (files.size() <= kKept) return;
  std::ranges::sort(files);
  for (std::size_t i = 0; i + kKept < files.size(); ++i) std::filesystem::remove(files[i].second, ec);
}

}  // namespace

void Answers::ask(const Subject& subject, std::string_view question, const std::atomic<bool>& cancelled,
                  const std::vector<std::string>& folders) {
  // An archive is read before it is known what is in it; nothing is saved by then.
  if (folder_.empty() || !subject.archives.empty()) return;
  std::vector<std::string> roots = folders;
  for (const package::Environment& e : subject.environments) {
    for (const package::Site& s : e.sites) roots.push_back(s.path);
  }
  std::uint64_t files = audit::fingerprint(roots, subject.options.threads, cancelled);
  if (cancelled) return;
  key_ = hash64(fmt::format("{}\n{}\n{}\n{}\n{}", program(), geteuid(), question, describe(subject), files));
}

std::string Answers::path_of(const Look& look) const {
  return fmt::format("{}/{}-{}-{}{}", folder_, hex(*key_), name_of(look.format), look.width, look.colour ? "-colour" : "");
}

// The first line is the exit status.
Result<std::optional<Exit>> Answers::show_kept(Console& console) const {
  if (!key_) return std::nullopt;
  std::vector<std::string> texts;
  std::int64_t status = 0;
  for (const Look& look : console.looks()) {
    auto kept = read_file(path_of(look));
    if (!kept) return std::nullopt;
    std::size_t line = kept->bytes.find('\n');
    if (line == kept->bytes.npos || !text::parse_int(std::string_view(kept->bytes).substr(0, line), status)) return std::nullopt;
    texts.push_back(kept->bytes.substr(line + 1));
  }
  std::size_t next = 0;
  if (auto shown = console.show([&](const Look&) { return texts[next++]; }); !shown) return std::unexpected(shown.error());
  return static_cast<Exit>(status);
}

void Answers::keep(const Console& console, Exit exit, const Render& render) const {
  if (!key_) return;
  std::error_code ec;
  std::filesystem::create_directories(folder_, ec);
  if (ec) return;
  for (const Look& look : console.looks()) {
    if (!write_new_file(path_of(look), fmt::format("{}\n{}", static_cast<int>(exit), render(look)))) return;
  }
  forget_oldest(folder_);
}

}  // namespace ungate::cli

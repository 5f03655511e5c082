#include "cli/ignoring.h"

#include <CLI/Option.hpp>

#include "base/text.h"
#include "package/folder.h"

namespace ungate::cli {
namespace {

constexpr const char* kDefault = "ungate.ignore.yaml";

}  // namespace

void declare(CLI::App& app, IgnoreFlags& flags, bool baseline) {
  constexpr const char* kGroup = "What to report";
  app.add_option("--ignore", flags.file,
                 "A file of findings to leave out, each with a reason and a date on which that ends; "
                 "ungate.ignore.yaml of the working folder without it.")
      ->type_name("FILE")
      ->group(kGroup);
  if (!baseline) return;
  app.add_option("--baseline", flags.baseline,
                 "Leave out what this report of an earlier audit (.json, .jsonl) has already.")
      ->type_name("FILE")
      ->group(kGroup);
}

Result<Ignored> load_ignored(const IgnoreFlags& flags, Console& console) {
  Ignored out;
  std::string file = flags.file.empty() && package::is_file(kDefault) ? kDefault : flags.file;
  if (!file.empty()) {
    auto loaded = audit::load_suppressions(file, audit::today());
    if (!loaded) return std::unexpected(loaded.error());
    out.suppressions = std::move(*loaded);
    out.any = true;
    for (const audit::Suppression& s : out.suppressions.expired)
      console.note(s.where + ": expired on " + s.expires + ", counts no more: " + s.reason);
  }
  if (!flags.baseline.empty()) {
    auto records = audit::load_records(flags.baseline);
    if (!records) return std::unexpected(records.error());
    out.baseline = std::move(*records);
    out.any = true;
  }
  return out;
}

void leave_out(audit::Report& report, const Ignored& ignored) {
  auto say = [&](std::size_t n, const char* why) {
    if (n != 0) report.not_checked.push_back(text::count(n, "gate") + " left out: " + why);
  };
  say(audit::suppress(report, ignored.suppressions), "the ignore file covers them");
  if (ignored.baseline) say(audit::leave_out_baseline(report, *ignored.baseline), "the baseline has them");
}

}  // namespace ungate::cli

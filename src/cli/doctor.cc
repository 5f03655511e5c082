// ungate doctor
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "base/json.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/doctor_facts.h"
#include "cli/version.h"
#include "report/words.h"

namespace ungate::cli {
namespace {

std::string describe(const Toolchain& t, const std::vector<arch::Device>& targets) {
  std::string out = t.program + ' ' + (t.version.empty() ? "(version not known)" : t.version) +
                    "  " + t.path + "  by " + t.found_by;
  if (t.targets.empty()) return out;
  for (arch::Device d : targets) out += (knows(t, d) ? ", knows " : ", does not know ") + d.name();
  return out;
}

class Text {
 public:
  Text(const Facts& facts, const Look& look)
      : f_(facts), paint_(look.colour), width_(static_cast<std::size_t>(look.width)) {}

  std::string text() {
    needs();
    for (const package::Environment& e : f_.environments) environment(e);
    section("Known packages", f_.known);
    std::vector<std::string> lines;
    for (const Shadowed& s : f_.shadowed) {
      lines.push_back(s.name + ": " + s.places.front() + " is what Python takes");
      for (std::size_t i = 1; i < s.places.size(); ++i) lines.push_back("  hides " + s.places[i]);
    }
    section("In several places", std::exchange(lines, {}));
    std::map<std::string, std::size_t> prebuilt;
    for (const patch::Prebuilt& p : f_.prebuilt)
      ++prebuilt[p.package + (p.version.empty() ? "" : ' ' + p.version)];
    for (const auto& [package, n] : prebuilt)
      lines.push_back(text::count(n, "module") + " of " + package +
                      ", loaded instead of what sources would be built into");
    section("Prebuilt modules", std::exchange(lines, {}));
    for (const CacheUse& c : f_.caches)
      lines.push_back(
          fmt::format("{}: {}, {}", c.path, text::count(c.files, "file"), size_text(c.bytes)));
    section("JIT caches", std::exchange(lines, {}));
    for (const Toolchain& t : f_.toolchains) lines.push_back(describe(t, f_.targets));
    section("Compilers", std::exchange(lines, {}));
    section("Triton", triton_assembler(f_.toolchains, f_.targets));
    for (const LibraryCopy& l : f_.libraries)
      lines.push_back(fmt::format("{} {}  {}  by {}", l.name,
                                  l.version.empty() ? "(version not known)" : l.version, l.path,
                                  l.found_by));
    section("Libraries", std::exchange(lines, {}));
    for (const Gpu& g : f_.gpus)
      lines.push_back(fmt::format("{}, compute capability {}.{}", g.name, g.major, g.minor));
    if (f_.driver > 0)
      lines.push_back(
          fmt::format("the driver supports CUDA {}.{}", f_.driver / 1000, f_.driver % 1000 / 10));
    section("GPUs", std::exchange(lines, {}));
    processes();
    return std::move(out_);
  }

 private:
  void section(std::string_view title, const std::vector<std::string>& lines) {
    if (lines.empty()) return;
    out_ += '\n' + paint_.bold(title) + '\n';
    for (const std::string& line : lines) out_ += "  " + text::escape(line) + '\n';
  }

  void needs() {
    for (const Need& n : needs_of(f_)) {
      bool missing = n.found.empty();
      std::string word = missing ? paint_.yellow("missing") : paint_.green("found  ");
      std::string body = report::wrapped(text::escape(missing ? n.without : n.found), 24, width_);
      out_ += report::padded(n.name, 14) + word + "   " + body.substr(24);
    }
  }

  void environment(const package::Environment& e) {
    std::vector<std::string> lines;
    for (const package::Site& s : e.sites) {
      std::string from = s.from.empty() ? "" : " by " + s.from;
      lines.push_back(fmt::format("{}  ({}{})", s.path, package::name_of(s.kind), from));
    }
    for (const package::Note& n : e.notes) lines.push_back("note: " + n.where + ": " + n.what);
    std::string title = e.prefix.empty() ? "Folders" : "Environment " + text::escape(e.prefix);
    if (!e.python_version.empty()) title += " (Python " + e.python_version + ")";
    section(title + ", " + text::count(e.distributions.size(), "package") + ", in import order",
            lines);
  }

  void processes() {
    std::vector<std::string> lines;
    constexpr std::string_view kHow[] = {"has mapped", "works in", "has open"};
    for (const patch::ProcessUse& p : f_.processes.uses) {
      lines.push_back(fmt::format("{} ({}) {} {}", p.pid, p.command,
                                  kHow[static_cast<std::size_t>(p.how)], p.path));
    }
    if (f_.processes.unreadable > 0)
      lines.push_back(text::count(f_.processes.unreadable, "process", "processes") +
                      " of others could not be looked into");
    section("Running processes that use them", lines);
  }

  const Facts& f_;
  report::Paint paint_;
  std::size_t width_;
  std::string out_;
};

std::string document(const Facts& f) {
  JsonWriter w(2);
  w.begin_object().field("schema", "ungate-doctor").field("version", 1).field("tool", kVersion);
  w.key("needs").begin_array();
  for (const Need& n : needs_of(f)) {
    w.begin_object()
        .field("name", n.name)
        .string_or_null("found", n.found)
        .field("without", n.without)
        .end_object();
  }
  w.end_array().key("environments").begin_array();
  for (const package::Environment& e : f.environments) {
    w.begin_object()
        .string_or_null("prefix", e.prefix)
        .string_or_null("python", e.python_version)
        .key("sites")
        .begin_array();
    for (const package::Site& s : e.sites) {
      w.begin_object()
          .field("path", s.path)
          .field("kind", package::name_of(s.kind))
          .string_or_null("from", s.from)
          .end_object();
    }
    w.end_array().field("packages", e.distributions.size()).end_object();
  }
  w.end_array().key("shadowed").begin_array();
  for (const Shadowed& s : f.shadowed) {
    w.begin_object().field("name", s.name).key("places").begin_array();
    for (const std::string& p : s.places) w.string(p);
    w.end_array().end_object();
  }
  w.end_array().key("prebuilt").begin_array();
  for (const patch::Prebuilt& p : f.prebuilt) {
    w.begin_object()
        .field("package", p.package)
        .string_or_null("version", p.version)
        .field("path", p.path)
        .end_object();
  }
  w.end_array().key("caches").begin_array();
  for (const CacheUse& c : f.caches) {
    w.begin_object()
        .field("rule", c.rule)
        .field("path", c.path)
        .field("files", c.files)
        .field("bytes", c.bytes)
        .end_object();
  }
  w.end_array().key("toolchains").begin_array();
  for (const Toolchain& t : f.toolchains) {
    w.begin_object()
        .field("program", t.program)
        .field("path", t.path)
        .field("found_by", t.found_by)
        .string_or_null("version", t.version);
    w.key("targets").begin_array();
    for (const std::string& name : t.targets) w.string(name);
    w.end_array().end_object();
  }
  w.end_array().key("libraries").begin_array();
  for (const LibraryCopy& l : f.libraries) {
    w.begin_object()
        .field("name", l.name)
        .field("path", l.path)
        .field("found_by", l.found_by)
        .string_or_null("version", l.version)
        .end_object();
  }
  w.end_array().texts("triton", triton_assembler(f.toolchains, f.targets));
  w.key("gpus").begin_array();
  for (const Gpu& g : f.gpus)
    w.begin_object()
        .field("name", g.name)
        .field("capability", fmt::format("{}.{}", g.major, g.minor))
        .end_object();
  w.end_array().key("processes").begin_array();
  for (const patch::ProcessUse& p : f.processes.uses) {
    w.begin_object()
        .field("pid", p.pid)
        .field("command", p.command)
        .field("path", p.path)
        .end_object();
  }
  w.end_array().key("errors").begin_array().end_array().end_object();
  return w.take() + '\n';
}

Result<Exit> run(const DoctorFlags& flags, Console& console) {
  auto facts = gather(flags);
  if (!facts) return std::unexpected(facts.error());
  auto status = console.show([&](const Look& look) {
    return look.format == Format::json ? document(*facts) : Text(*facts, look).text();
  });
  if (!status) return std::unexpected(status.error());
  return Exit::ok;
}

}  // namespace

Command doctor_command(CLI::App& top) {
  CLI::App* app = top.add_subcommand("doctor",
                                     "What is on this machine: environments and what Python takes "
                                     "from where, JIT caches, compilers, libraries, GPUs.");
  app->group(kAbout);
  auto output = std::make_shared<OutputFlags>();
  auto flags = std::make_shared<DoctorFlags>();
  declare(*app, flags->environment);
  declare(*app, flags->target);
  declare_rules(*app, flags->rules);
  declare(*app, *output, {Format::human, Format::json});
  return {app, output, [flags](Console& console) { return run(*flags, console); }};
}

}  // namespace ungate::cli

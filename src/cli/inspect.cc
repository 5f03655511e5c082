#include "cli/inspect.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "base/file.h"
#include "base/text.h"
#include "cuda/libclang.h"
#include "source/edit.h"

namespace ungate::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kAround = 3;  // lines of context
constexpr std::uint64_t kLargest = 64u << 20;

std::vector<report::SourceLine> context_of(const source::SourceFile& file, std::uint32_t first,
                                           std::uint32_t last) {
  std::vector<report::SourceLine> out;
  std::uint32_t from = first > kAround ? first - kAround : 1,
                to = std::min(last + kAround, file.line_count());
  for (std::uint32_t n = from; n <= to; ++n) {
    out.push_back({n, std::string(file.text(file.line(n))), first <= n && n <= last});
  }
  return out;
}

// The edit for a target where policy alone is in the way, else for the first one that has any.
const gate::Lift* lift_of(const gate::Gate& gate) {
  const gate::Lift* best = nullptr;
  for (const gate::Standing& s : gate.standings) {
    if (!s.lift || s.lift->edits.empty()) continue;
    if (s.verdict == gate::Verdict::policy) return &*s.lift;
    if (best == nullptr) best = &*s.lift;
  }
  return best;
}

// A diff of all files that the lift touches.
std::string diff_of(const gate::Gate& gate, audit::FileStore& files) {
  const gate::Lift* lift = lift_of(gate);
  if (lift == nullptr) return {};
  std::map<std::string, std::vector<source::Edit>> by_file;
  for (const gate::LiftEdit& e : lift->edits) by_file[e.path].push_back(e.edit);
  std::string out;
  for (auto& [path, edits] : by_file) {
    const source::SourceFile* file = files.load(path);
    if (file == nullptr) continue;
    if (auto edited = source::apply_edits(file->text(), edits, path))
      out += source::unified_diff(file->text(), *edited, path);
  }
  return out;
}

std::string sentence(const cuda::Confirmation& c) {
  using Is = cuda::Confirmation::Is;
  switch (c.is) {
    case Is::confirmed:
      return fmt::format("{} agrees on all {} that it can be asked about in this file", c.version,
                         text::count(c.compared, "conditional"));
    case Is::disagrees:
      return fmt::format("{} disagrees: {} of this file", c.version,
                         text::count(c.disagreements.size(), "conditional"));
    case Is::not_comparable:
      return "no conditional of this file can be compared: macros of other files decide";
    case Is::unavailable:
      return "not confirmed: " + c.reason;
  }
  return {};
}

std::string confirmation_of(const gate::Gate& gate, const audit::Inside& inside) {
  if (!gate.form.starts_with("pp-")) return {};
  cuda::ConfirmRequest request{*inside.cuda.text(gate.path), &inside.cuda.alone(gate.path)};
  return sentence(cuda::confirm({request}, inside.cuda_world, {}).front());
}

report::GateDetail detail_of(const gate::Gate& gate, const audit::Inside& inside) {
  report::GateDetail detail;
  detail.gate = &gate;
  bool text = !gate.form.starts_with("binary-");
  if (const source::SourceFile* file = text ? inside.files.load(gate.path) : nullptr) {
    detail.context = context_of(*file, gate.begin.line, gate.end.line);
  }
  detail.diff = diff_of(gate, inside.files);
  detail.confirmed = confirmation_of(gate, inside);
  return detail;
}

// Runs the audit; `look` sees its end. Reports must not move afterwards: it is kept on the heap.
Result<Inspection> audit_and(const Subject& subject, const package::Environment& environment,
                             audit::Options options, report::Explanation& into) {
  auto report = audit::audit(environment, subject.rules, options);
  if (!report) return std::unexpected(report.error());
  Inspection out{std::make_unique<audit::Report>(std::move(*report)), std::move(into)};
  out.explanation.report = out.report.get();
  return out;
}

Result<std::string> text_of(const Subject& subject, const package::Environment& environment,
                            const FoundFile& found) {
  if (const auto* archive = subject.archive_of(environment)) return archive->texts.at(found.path);
  auto text = read_file(environment.sites[found.site].path + '/' + found.path, kLargest);
  if (!text) return std::unexpected(text.error());
  return std::move(text->bytes);
}

audit::Options options_for(const Subject& subject, const package::Environment& environment) {
  audit::Options options = subject.options;
  options.archive = subject.archive_of(environment);
  return options;
}

std::string real_path(const std::string& path) {
  char resolved[PATH_MAX];
  return realpath(path.c_str(), resolved) == nullptr ? std::string() : std::string(resolved);
}

}  // namespace

std::optional<PlaceName> parse_place(const std::string& text) {
  auto parts = text::split(text, ':');
  std::int64_t line = 0, column = 0;
  if (parts.size() < 2 || !text::parse_int(parts.back(), line)) return std::nullopt;
  std::size_t taken = 1;
  if (parts.size() > 2 && text::parse_int(parts[parts.size() - 2], column))
    line = column, taken = 2;
  std::string path;
  for (std::size_t i = 0; i + taken < parts.size(); ++i)
    path += (i > 0 ? ":" : "") + std::string(parts[i]);
  if (path.empty() || line < 1 || line > INT_MAX) return std::nullopt;
  return PlaceName{path, static_cast<std::uint32_t>(line)};
}

bool looks_like_id(const std::string& text) {
  return text.size() >= 4 && text.size() <= 8 &&
         text.find_first_not_of("0123456789abcdef") == text.npos;
}

std::optional<FoundFile> find_file(const package::Environment& environment,
                                   const audit::ArchiveTree* archive, const PlaceName& place) {
  if (archive != nullptr) {
    for (const audit::FoundFile& file : archive->files) {
      if (file.path == place.path && archive->texts.contains(file.path))
        return FoundFile{file.root, file.path};
    }
    return std::nullopt;
  }
  auto is_file = [](const std::string& path) {
    std::error_code ec;
    return fs::is_regular_file(path, ec);
  };
  if (std::string full = real_path(place.path); !full.empty() && is_file(full)) {
    if (auto site = environment.site_of(full)) {
      return FoundFile{*site, full.substr(environment.sites[*site].path.size() + 1)};
    }
  }
  std::string path = fs::path(place.path).lexically_normal().string();
  for (std::uint32_t i = 0; i < environment.sites.size(); ++i) {
    if (path.front() != '/' && is_file(environment.sites[i].path + '/' + path))
      return FoundFile{i, path};
  }
  return std::nullopt;
}

Result<std::unique_ptr<Subject>> find_subject_of(const AnalysisFlags& flags, const PlaceName& place,
                                                 Console& console) {
  AnalysisFlags where = flags;
  bool named = !where.environment.prefix.empty() || !where.environment.python.empty();
  std::string full = real_path(place.path);
  if (!named && !full.empty()) where.environment.paths.push_back(full);
  auto subject = find_subject(where, console);
  if (!subject) return subject;
  // The question is about one file; what decides about it can be anywhere.
  for (package::Environment& e : (*subject)->environments) e.selected.clear();
  return subject;
}

std::string name_of(const std::vector<package::Environment>& environments) {
  return environments.front().title();
}

Result<Inspection> inspect_gate(const Subject& subject, const package::Environment& environment,
                                const std::string& id) {
  report::Explanation explanation;
  std::vector<std::string> several;
  audit::Options options = options_for(subject, environment);
  options.inspect = [&](const audit::Inside& inside) {
    std::vector<const gate::Gate*> found;
    for (const gate::Gate& g : inside.report.gates) {
      if (g.id.starts_with(id)) found.push_back(&g);
    }
    for (const gate::Gate* g : found) {
      if (g->id != found.front()->id) several.push_back(g->id);
    }
    if (!several.empty()) several.push_back(found.front()->id);
    if (!found.empty()) explanation.gates.push_back(detail_of(*found.front(), inside));
  };
  auto out = audit_and(subject, environment, std::move(options), explanation);
  if (out && !several.empty()) {
    return fail(ErrorCode::not_found,
                "'" + id + "' is the beginning of several ids: " + text::join(several, ", "));
  }
  return out;
}

Result<Inspection> inspect_line(const Subject& subject, const package::Environment& environment,
                                const FoundFile& found, std::uint32_t line) {
  auto bytes = text_of(subject, environment, found);
  if (!bytes) return std::unexpected(bytes.error());
  source::SourceFile file(found.path, std::move(*bytes));
  if (line > file.line_count()) {
    return fail(ErrorCode::not_found,
                fmt::format("the file has {} only", text::count(file.line_count(), "line")),
                fmt::format("{}:{}", found.path, line));
  }
  report::Explanation explanation;
  explanation.context = context_of(file, line, line);
  audit::Options options = options_for(subject, environment);
  options.watch = audit::Line{found.path, audit::offset_of(file, audit::code_line(file, line))};
  options.inspect = [&](const audit::Inside& inside) {
    explanation.line = audit::line_facts(inside, file, line);
    for (const gate::Gate* g : explanation.line->gates)
      explanation.gates.push_back(detail_of(*g, inside));
  };
  return audit_and(subject, environment, std::move(options), explanation);
}

}  // namespace ungate::cli

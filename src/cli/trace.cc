// ungate trace
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "base/file.h"
#include "base/text.h"
#include "cli/analysis.h"
#include "cli/command.h"
#include "cli/machine.h"
#include "cli/version.h"
#include "patch/closure.h"
#include "report/trace_view.h"
#include "trace/lead.h"

namespace ungate::cli {
namespace {

constexpr std::uint64_t kLargest = 256u << 20;

struct Flags : AnalysisFlags {
  std::string log = "-";
};

Result<std::string> read_input(const std::string& path) {
  if (path != "-") {
    auto file = read_file(path, kLargest);
    if (file) return std::move(file->bytes);
    Error error = file.error();
    if (error.code == ErrorCode::no_such_path) error.next = "give the path of a log, or pipe one in";
    return std::unexpected(std::move(error));
  }
  std::string out;
  char buffer[1 << 16];
  for (;;) {
    ssize_t n = read(STDIN_FILENO, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return std::unexpected(os_error("reading", "standard input", errno));
    if (n == 0) return out;
    out.append(buffer, static_cast<std::size_t>(n));
    if (out.size() > kLargest) return fail(ErrorCode::unreadable, "the log is longer than 256 MB", "standard input", "give its end");
  }
}

// The environment that the traceback went through, if it is on this machine: ".../site-packages".
std::string environment_in(const trace::Log& log) {
  std::error_code ec;
  for (const trace::Traceback& t : log.tracebacks) {
    for (const trace::Frame& f : t.frames) {
      std::size_t at = f.path.find("-packages/");
      if (at == f.path.npos) continue;
      std::string site = f.path.substr(0, at + 9);
      if (std::filesystem::is_directory(site, ec)) return site;
    }
  }
  return {};
}

class Tracing {
 public:
  Tracing(Flags flags, Console& console) : flags_(std::move(flags)), console_(console) {}

  Result<Exit> run() {
    auto text = read_input(flags_.log);
    if (!text) return std::unexpected(text.error());
    if (text::trim(*text).empty()) return fail(ErrorCode::usage, "the log is empty", flags_.log == "-" ? "standard input" : flags_.log, "give a file, or pipe the output of the program that failed");
    log_ = trace::read_log(*text);
    view_.from = flags_.log == "-" ? "standard input" : flags_.log;
    if (auto status = find_target(); !status) return std::unexpected(status.error());
    if (auto status = audit(); !status) return std::unexpected(status.error());
    auto leads = find();
    if (!leads) return std::unexpected(leads.error());
    leads_ = std::move(*leads);
    for (const trace::Lead& lead : leads_) view_.leads.push_back(describe(lead));
    auto show = [&](const Look& look) {
      report::Style style;
      style.colour = look.colour, style.width = look.width, style.tool = kVersion;
      return look.format == Format::json ? report::trace_json(view_, style) : report::trace_human(view_, style);
    };
    if (auto status = console_.show(show); !status) return std::unexpected(status.error());
    return leads_.empty() ? Exit::findings : Exit::ok;
  }

 private:
  // --target, else the device that the log names, else that of this machine.
  Status find_target() {
    if (flags_.target.targets.empty()) {
      auto rules = rules::load_rules(flags_.rules);
      if (!rules) return std::unexpected(rules.error());
      if (auto device = trace::device_of(log_, rules->symptoms)) {
        flags_.target.targets = {device->name()};
        view_.named = false;
      }
    }
    return {};
  }

  Status audit() {
    EnvironmentFlags& where = flags_.environment;
    if (where.prefix.empty() && where.python.empty()) where.prefix = environment_in(log_);
    auto subject = find_subject(flags_, console_);
    if (!subject) return std::unexpected(subject.error());
    subject_ = std::move(*subject);
    view_.target = subject_->targets.front();
    subject_->options.targets = {view_.target};
    const package::Environment& environment = subject_->environments.front();
    auto report = run_audit(*subject_, environment, flags_);
    if (!report) return std::unexpected(report.error());
    report_ = std::make_unique<audit::Report>(std::move(*report));
    view_.report = report_.get();
    return {};
  }

  Result<std::vector<trace::Lead>> find() const {
    trace::Question question;
    question.log = &log_;
    question.symptoms = &subject_->rules.symptoms;
    question.gates = &report_->gates;
    question.device = view_.target;
    question.source = [&](const gate::Gate& g, std::uint32_t first, std::uint32_t last) {
      auto file = read_file(report_->environment->sites[g.site].path + '/' + g.path, kLargest);
      if (!file) return std::string();
      std::vector<std::string_view> lines = text::lines(file->bytes);
      std::string out;
      for (std::size_t i = first - 1; i < std::min<std::size_t>(last, lines.size()); ++i) out += std::string(lines[i]) + '\n';
      return out;
    };
    return trace::find_leads(question);
  }

  report::TraceLead describe(const trace::Lead& lead) const {
    report::TraceLead out{&lead, {}, {}};
    trace::Fault fault = lead.sign.symptom == nullptr ? trace::Fault::gate : lead.sign.symptom->fault;
    if (lead.sign.symptom != nullptr && !lead.sign.symptom->next.empty()) out.next.push_back(lead.sign.symptom->next);
    if (fault == trace::Fault::toolchain) toolchain(lead, out);
    if (fault == trace::Fault::instruction) instruction(lead, out);
    if (fault == trace::Fault::resource) resource(lead, out);
    if (!lead.gates.empty()) gates(lead, out);
    if (fault == trace::Fault::gate && lead.gates.empty())
      out.next.push_back(fmt::format("no gate of this environment fits; `ungate audit --target {} --all` lists what it has", view_.target.name()));
    if (fault == trace::Fault::no_code && lead.gates.empty())
      out.next.push_back(fmt::format("every shared object here has code for {}; the program may have used another environment", view_.target.name()));
    return out;
  }

  void gates(const trace::Lead& lead, report::TraceLead& out) const {
    const gate::Gate& first = *lead.gates.front().gate;
    out.next.push_back(fmt::format("`ungate explain {} --target {}` says what is behind it", first.id, view_.target.name()));
    const patch::PatchSet* set = patch::set_for(subject_->rules.patch_sets, first);
    if (set != nullptr) out.next.push_back(fmt::format("`ungate plan --set {} --target {}` shows the patch set that is for it", set->id, view_.target.name()));
    auto s = std::ranges::find(first.standings, view_.target, &gate::Standing::device);
    if (s != first.standings.end() && s->verdict == gate::Verdict::capability)
      out.next.push_back("it is a limit: opening it would run what the device cannot; use another backend");
  }

  // Which compilers the environment would use, and which of them know the device.
  void toolchain(const trace::Lead& lead, report::TraceLead& out) const {
    arch::Device wanted = lead.sign.device.value_or(view_.target);
    std::vector<Toolchain> toolchains = find_toolchains(subject_->environments);
    for (const Toolchain& t : toolchains) {
      bool asked = !t.targets.empty(), known = knows(t, wanted);
      out.facts.push_back({fmt::format("{} {} ({}, by {}): {} {}", t.program, t.version.empty() ? "?" : t.version, t.path, t.found_by,
                                       !asked ? "could not be asked about" : known ? "knows" : "does not know", wanted.name()),
                           asked && !known});
    }
    if (lead.sign.symptom->next.empty()) out.next.push_back(ptxas_advice(toolchains, wanted));
  }

  void instruction(const trace::Lead& lead, report::TraceLead& out) const {
    std::string mnemonic = lead.sign.instruction;
    for (const gate::Feature& f : subject_->rules.gate.features) {
      bool fits = std::ranges::any_of(f.instructions, [&](const std::string& i) { return !mnemonic.empty() && (mnemonic.starts_with(i) || i.starts_with(mnemonic)); });
      if (!fits) continue;
      arch::CodeTargetSet has = f.targets;
      out.facts.push_back({fmt::format("{} is there for {}", f.name, arch::to_text(has)), true});
      break;
    }
    out.next.push_back("a gate that kept this code from being built was opened, or another architecture's code was named: it is a limit, close it again (`ungate status`, `ungate revert`)");
  }

  void resource(const trace::Lead& lead, report::TraceLead& out) const {
    const arch::DeviceFacts& facts = view_.target.facts();
    if (facts.smem_block_kb > 0)
      out.facts.push_back({fmt::format("a block of {} can have {} bytes of shared memory{}", view_.target.name(), facts.smem_block_kb * 1024,
                                       lead.sign.bytes.empty() ? "" : ", the kernel asks for " + lead.sign.bytes), true});
    out.next.push_back("the kernel is written for a larger device: smaller tiles, fewer stages, or another backend");
  }

  Flags flags_;
  Console& console_;
  trace::Log log_;
  std::unique_ptr<Subject> subject_;
  std::unique_ptr<audit::Report> report_;
  std::vector<trace::Lead> leads_;
  report::TraceView view_;
};

}  // namespace

Command trace_command(CLI::App& top) {
  CLI::App* app = top.add_subcommand("trace", "From a crash log or a traceback to the gate, or the compiler, behind it.");
  app->group(kLook);
  app->footer(
      "Examples:\n"
      "  ungate trace server.log --target sm_120\n"
      "  python -m sglang.launch_server … 2>&1 | ungate trace --prefix .venv\n"
      "\n"
      "Without --target the device that the log names is meant. Exit status 0: something was\n"
      "named. 1: nothing in the log is known.");
  auto output = std::make_shared<OutputFlags>();
  auto flags = std::make_shared<Flags>();
  app->add_option("LOG", flags->log, "The log; without it, standard input.");
  declare(*app, *flags, false);
  declare(*app, *output, {Format::human, Format::json});
  return {app, output, [flags](Console& console) { return Tracing(*flags, console).run(); }};
}

}  // namespace ungate::cli

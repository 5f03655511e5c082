// ungate prove
#include <fmt/core.h>
#include <sys/stat.h>
#include <CLI/Option.hpp>

#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <optional>
#include <utility>

#include "base/file.h"
#include "base/hash.h"
#include "base/text.h"
#include "cli/answers.h"
#include "cli/cache_folder.h"
#include "cli/command.h"
#include "cli/proof_edits.h"
#include "cli/proof_job.h"
#include "cli/unpacked_wheels.h"
#include "cli/version.h"
#include "package/archive.h"
#include "package/folder.h"
#include "patch/state_folder.h"
#include "prove/record.h"
#include "prove/recorded_proof.h"
#include "report/proof_view.h"

namespace ungate::cli {
namespace {

struct Flags : PlanFlags {
  std::string what;  // a plan file or a patch set
  std::string run, diff, record;
  std::vector<std::string> modules, wheels;
  bool quick = false, cache = true;
  std::string cache_folder;
};

std::vector<std::string> site_paths(const package::Environment& environment) {
  std::vector<std::string> out;
  for (const package::Site& site : environment.sites) out.push_back(site.path);
  return out;
}

std::vector<prove::FeatureWords> feature_words(const rules::RuleSet& rules) {
  std::vector<prove::FeatureWords> out;
  for (const gate::Feature& f : rules.gate.features) out.push_back({f.name, f.instructions});
  return out;
}

// The nvcc that the packages with rules would call themselves, or one that is at hand.
Result<prove::Compiler> compiler_for(const Subject& subject, const package::Environment& environment) {
  std::vector<std::string> own;
  for (const gate::PackageRules& p : subject.rules.gate.packages) {
    if (p.jit && environment.find(p.package) != nullptr)
      own.insert(own.end(), p.jit->compiler_variables.begin(), p.jit->compiler_variables.end());
  }
  return prove::find_compiler(own, site_paths(environment), prove::process_variable());
}

audit::Overlay overlay_of(const prove::Texts& texts) {
  return {texts.begin(), texts.end()};
}

std::string rendered(const report::ProofView& view, const Look& look) {
  report::Style style;
  style.colour = look.colour;
  style.width = look.width;
  style.tool = kVersion;
  if (look.format == Format::concise) return report::proof_concise(view, style);
  return look.format == Format::json ? report::proof_json(view, style) : report::proof_human(view, style);
}

// What the next one to ask is shown: nothing was compiled for that.
report::ProofView as_kept(report::ProofView view) {
  view.proof.seconds = view.proof.cpu_seconds = 0;
  for (prove::UnitProof& unit : view.proof.units) {
    for (prove::TargetProof& t : unit.targets) {
      if (t.before) t.before->kept = true;
      if (t.after) t.after->kept = true;
    }
    for (prove::OtherProof& o : unit.others) o.unchanged.kept = true;
  }
  return view;
}

// Where `apply` keeps its journal.
std::vector<std::string> state_folders(const package::Environment& environment) {
  std::vector<std::string> out;
  for (const std::string& root : roots_of(environment)) out.push_back(patch::state_folder(root));
  return out;
}

// What nvcc itself takes from its environment.
constexpr const char* kCompilerVariables[] = {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "NVCC_CCBIN", "CPATH",
                                              "CPLUS_INCLUDE_PATH", "CUDA_HOME", "CUDA_PATH", "PATH"};

class Proving {
 public:
  Proving(Flags flags, Console& console) : flags_(std::move(flags)), console_(console) {}

  Result<Exit> run() {
    if (auto status = unpack(); !status) return std::unexpected(status.error());
    auto subject = find_subject(flags_, console_);
    if (!subject) return std::unexpected(subject.error());
    subject_ = std::move(*subject);
    if (subject_->environments.size() != 1)
      return fail(ErrorCode::usage, "a proof is about one environment", {}, "name it with --prefix");
    package::Environment& environment = subject_->environments.front();
    environment.selected.clear();
    compiler_ = compiler_for(*subject_, environment);
    // A record is of kernels, not of the text that was shown.
    Answers answers(flags_.cache && compiler_ && flags_.record.empty() && !unpacked_ ? cache_folder(flags_.cache_folder, "answers") : "");
    answers.ask(*subject_, question(), console_.cancelled(), state_folders(environment));
    auto kept = answers.show_kept(console_);
    if (!kept) return std::unexpected(kept.error());
    if (*kept) return **kept;
    auto view = flags_.modules.empty() ? prove_edits(environment) : prove_modules(environment);
    if (!view) return std::unexpected(view.error());
    auto show = [&](const Look& look) { return rendered(*view, look); };
    if (auto status = console_.show(show); !status) return std::unexpected(status.error());
    // A module that was named and of which nothing could be compiled is not proved.
    bool nothing = !flags_.modules.empty() && view->proof.units.empty() && !view->proof.not_proved.empty();
    Exit exit = view->proof.ok() && !nothing ? Exit::ok : Exit::proof;
    report::ProofView later = as_kept(*view);
    answers.keep(console_, exit, [&](const Look& look) { return rendered(later, look); });
    return exit;
  }

 private:
  // Wheels become a folder; what is shown names the wheels.
  Status unpack() {
    std::vector<std::string> wheels = flags_.wheels;
    std::string& prefix = flags_.environment.prefix;
    if (package::is_archive_name(prefix) && package::is_file(prefix)) wheels.insert(wheels.begin(), std::exchange(prefix, {}));
    if (wheels.empty()) return {};
    if (!prefix.empty() || !flags_.environment.python.empty())
      return fail(ErrorCode::usage, "wheels and an environment exclude each other", "--wheel", "install the wheels there, or name all that are needed with --wheel");
    auto folder = prove::ScratchFolder::make();
    if (!folder) return std::unexpected(folder.error());
    unpacked_.emplace(std::move(*folder));
    console_.progress("unpacking wheels", 0, 0);
    prefix = unpacked_->path() + "/wheels";
    wheel_names_ = text::join(wheels, ", ");
    return unpack_wheels(wheels, prefix, console_.cancelled());
  }

  Result<ProofEdits> edits(const package::Environment& environment) {
    if (!flags_.run.empty()) return edits_of_run(environment, flags_.run);
    if (!flags_.diff.empty()) return edits_of_diff(environment, flags_.diff);
    std::error_code ec;
    if (std::filesystem::is_regular_file(flags_.what, ec)) return edits_of_plan(environment, flags_.what);
    PlanFlags plan = flags_;
    if (!flags_.what.empty()) plan.request.sets.push_back(flags_.what);
    auto views = make_plans(*subject_, plan, console_);
    if (!views) return std::unexpected(views.error());
    auto out = edits_of_view(views->front());
    if (out && out->after.empty() && !views->front().applied_by.empty())
      out->notes.push_back("everything is written already, by run " + views->front().applied_by.begin()->second + "; `--run` proves it");
    return out;
  }

  // What the answer depends on besides the environment: the compiler, the flags, the files that were named.
  std::string question() const {
    const patch::Request& r = flags_.request;
    auto bytes_of = [](const std::string& path) {
      auto file = read_file_or_empty(path);
      return file ? hash64(file->bytes) : 0;
    };
    struct stat info {};
    if (compiler_) stat(compiler_->nvcc.c_str(), &info);
    std::string out = fmt::format("prove {} {} {} {} {} {} {} {} {} {} {} {} {}", flags_.what, bytes_of(flags_.what), flags_.run, flags_.diff,
                                  bytes_of(flags_.diff), text::join(flags_.modules, ","), flags_.quick, r.no_sets, r.lift_unknown,
                                  text::join(r.sets, ","), text::join(r.members, ","), text::join(r.without, ","), text::join(r.lifts, ","));
    if (compiler_) out += fmt::format(" {} {} {} {}", compiler_->nvcc, compiler_->version, info.st_ino, info.st_mtim.tv_sec);
    for (const char* name : kCompilerVariables) {
      const char* value = getenv(name);
      out += fmt::format("\n{}={}", name, value == nullptr ? "" : value);
    }
    return out;
  }

  report::ProofView new_view(const package::Environment& environment) const {
    report::ProofView view;
    view.where = unpacked_ ? wheel_names_ : environment.title();
    view.targets = subject_->targets;
    view.quick = flags_.quick;
    return view;
  }

  Result<report::ProofView> prove_edits(const package::Environment& environment) {
    // Planning judges for what the sets are made for, too; what is asked here stays.
    std::vector<arch::Device> targets = subject_->targets;
    auto edits = this->edits(environment);
    if (!edits) return std::unexpected(edits.error());
    subject_->options.targets = targets;
    report::ProofView view = new_view(environment);
    view.subject = edits->subject;
    view.files = edits->files;
    view.notes = edits->notes;
    audit::Overlay before = overlay_of(edits->before), after = overlay_of(edits->after);
    auto known = know_modules(*subject_, environment, &before);
    if (!known) return std::unexpected(known.error());
    TouchRequest request{edits->files, targets, flags_.quick};
    auto touched = touched_units(*subject_, environment, after, *known, request);
    if (!touched) return std::unexpected(touched.error());
    if (auto status = compile(environment, edits->before, edits->after, std::move(*touched), !flags_.quick, view); !status)
      return std::unexpected(status.error());
    std::vector<prove::EditedFile> files = edited_files(environment, *edits);
    for (arch::Device d : subject_->targets)
      prove::save_record(cache(), prove::record_key(files, d.name()), prove::record_of(view.proof, flags_.quick));
    if (!flags_.record.empty()) {
      if (auto status = record(environment, *edits, files, view.proof); !status) return std::unexpected(status.error());
    }
    return view;
  }

  // So that `plan` and `apply` know of it. What a run has written is proved as what it was planned from.
  static std::vector<prove::EditedFile> edited_files(const package::Environment& environment, const ProofEdits& edits) {
    std::vector<prove::EditedFile> files;
    for (const std::string& path : edits.files) {
      auto sha = [&](const prove::Texts& texts) {
        auto known = texts.find(path);
        if (known != texts.end()) return sha256_hex(known->second);
        auto text = text_of(environment, path);
        return text ? sha256_hex(*text) : std::string();
      };
      files.push_back({path, sha(edits.before), sha(edits.after)});
    }
    return files;
  }

  // --record: of one patch set, whole, and proved.
  Status record(const package::Environment& environment, const ProofEdits& edits, const std::vector<prove::EditedFile>& files,
                const prove::Proof& proof) const {
    const auto& sets = subject_->rules.patch_sets;
    auto set = std::ranges::find_if(sets, [&](const patch::PatchSet& s) { return edits.subject == "patch set " + s.id; });
    if (set == sets.end() || flags_.quick || !proof.ok())
      return fail(ErrorCode::usage, "only a whole proof of one patch set that succeeds is recorded", "--record");
    std::string folder = proof.units.empty() ? "" : proof.units.front().unit.source;
    folder.resize(folder.find('/') == folder.npos ? 0 : folder.find('/') + 1);
    prove::RecordedProof out = prove::recorded_proof_of(proof, files, folder);
    out.set = set->id;
    out.package = set->package;
    if (const package::Distribution* d = environment.find(set->package)) out.release = d->version_text;
    return write_new_file(flags_.record, prove::to_json(out));
  }

  std::string cache() const {
    if (!flags_.cache) return {};
    return cache_folder(flags_.cache_folder, "proofs");
  }

  Result<report::ProofView> prove_modules(const package::Environment& environment) {
    report::ProofView view = new_view(environment);
    view.subject = (flags_.modules.size() == 1 ? "module " : "modules ") + text::join(flags_.modules, ", ");
    view.edits = false;
    auto units = module_units(*subject_, environment, flags_.modules, subject_->targets);
    if (!units) return std::unexpected(units.error());
    view.judged = units->judged;
    if (auto status = compile(environment, {}, {}, std::move(*units), false, view); !status) return std::unexpected(status.error());
    return view;
  }

  Status compile(const package::Environment& environment, const prove::Texts& before, const prove::Texts& after,
                 TouchedUnits units, bool originals, report::ProofView& view) {
    if (units.work.empty()) {
      view.proof.not_proved = std::move(units.not_proved);
      return {};
    }
    if (!compiler_) return std::unexpected(compiler_.error());
    auto scratch = prove::ScratchFolder::make();
    if (!scratch) return std::unexpected(scratch.error());
    std::vector<std::string> sites = site_paths(environment);
    auto first = before.empty() ? Result<prove::Tree>(prove::Tree(sites)) : prove::Tree::edited(sites, before, units.folders, scratch->path() + "/a");
    if (!first) return std::unexpected(first.error());
    auto second = after.empty() ? Result<prove::Tree>(prove::Tree(sites)) : prove::Tree::edited(sites, after, units.folders, scratch->path() + "/b");
    if (!second) return std::unexpected(second.error());
    prove::Workshop workshop(*compiler_, cache(), feature_words(subject_->rules), scratch->path(), &console_.cancelled());
    prove::Job job;
    job.before = &*first, job.after = &*second;
    job.work = std::move(units.work), job.kernels = std::move(units.kernels), job.guards = std::move(units.guards);
    job.wheels = subject_->rules.header_wheels;
    job.originals = originals;
    job.along = arch::known_devices();
    for (arch::Device d : subject_->targets) job.along -= arch::DeviceSet::of(d.index());
    job.threads = flags_.threads;
    std::mutex mutex;
    job.progress = [&](const std::string& what, std::size_t done, std::size_t of) {
      std::lock_guard lock(mutex);
      console_.progress(what, done, of);
      console_.detail(what);
    };
    auto proof = prove::prove(workshop, job);
    if (!proof) return std::unexpected(proof.error());
    view.proof = std::move(*proof);
    std::ranges::move(units.not_proved, std::back_inserter(view.proof.not_proved));
    return {};
  }

  Flags flags_;
  Console& console_;
  std::optional<prove::ScratchFolder> unpacked_;
  std::string wheel_names_;
  std::unique_ptr<Subject> subject_;
  Result<prove::Compiler> compiler_ = prove::Compiler();
};

Result<Exit> run(const Flags& flags, Console& console) {
  int given = !flags.what.empty() + !flags.run.empty() + !flags.diff.empty() + !flags.modules.empty();
  if (given > 1) return fail(ErrorCode::usage, "a plan or patch set, --run, --diff and --module exclude each other");
  return Proving(flags, console).run();
}

}  // namespace

Command prove_command(CLI::App& top) {
  CLI::App* app = top.add_subcommand(
      "prove", "Let the compiler judge: edited code compiles for the target and is whole, other devices' code is what it was. Needs no GPU.");
  app->group(kChange);
  app->footer(
      "Examples:\n"
      "  ungate prove --target sm_120\n"
      "  ungate prove flashinfer-python/allreduce-sm12x --target sm_120 --prefix .venv\n"
      "  ungate prove plan.json --target sm_120\n"
      "  ungate prove --lift flashinfer/jit/comm.py:61 --target sm_120\n"
      "  ungate prove --module trtllm_comm --target sm_120\n"
      "\n"
      "Nothing is written into the environment. Results are kept by content: the next proof of the same\n"
      "texts takes a second. Exit status 0: proved. 2: no nvcc. 4: the proof failed, or "
      "nothing of a module could be compiled.");
  auto output = std::make_shared<OutputFlags>();
  auto flags = std::make_shared<Flags>();
  constexpr const char* kProve = "What to prove";
  app->add_option("WHAT", flags->what, "A plan that `ungate plan` saved, or a patch set. Without it: what `plan` would write.");
  declare(*app, static_cast<AnalysisFlags&>(*flags), false);
  declare_taking(*app, *flags);
  app->add_option("--run", flags->run, "A run that was applied: its files before and after.")->type_name("RUN")->group(kProve);
  app->add_option("--diff", flags->diff, "A unified diff of files in the environment.")->type_name("FILE")->group(kProve);
  app->add_option("--module", flags->modules, "A JIT module as it is, also one that the package does not build for the target; `all` for every one.")
      ->type_name("NAME")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->group(kProve);
  app->add_option("--wheel", flags->wheels, "A wheel that is not installed, in place of an environment; may be given again, for what it needs.")
      ->type_name("FILE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->group(kWhere);
  declare_switch(*app, "--quick", flags->quick, "The fewest units that hold the edits, for the target and one other device; no originals.")->group(kProve);
  app->add_option("--record", flags->record, "Write the proof of a patch set to this file, to be carried beside the set.")->type_name("FILE")->group(kProve);
  declare_cache(*app, flags->cache, flags->cache_folder);
  declare(*app, *output, {Format::human, Format::json, Format::concise});
  return {app, output, [flags](Console& console) { return run(*flags, console); }};
}

}  // namespace ungate::cli

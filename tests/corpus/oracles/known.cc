// What the evaluators claim to know of an environment, for oracles that ask somebody else.
//
//   known choices ENV           one JSON object a line: a Python expression whose outcome depends on the
//                               device, with its place as CPython's ast counts and its outcomes
//   known conditions ENV OUT [wide]
//                               mirrors the CUDA files of every JIT module into OUT/tree with a mark in each
//                               arm of each conditional (OUT/places.txt: a line a mark); OUT/units.jsonl has one
//                               JSON object a unit: the compiler's arguments, and for each mark the code targets on
//                               which the text there is certainly compiled, and certainly not. `wide`: macros that
//                               no text defines are absent, but for those that headers out of reach may define;
//                               without it only those with the prefixes of the package's rules
//   known skipped ENV           asks libclang itself which ranges of each CUDA file with conditions on the device it
//                               skips, the file read alone, for each class of code targets that look alike; prints
//                               what was compared and each disagreement. Exit status 1 if there is one or nothing
//                               was compared, 77 without libclang
//
// Sets are numbers: bit i is row i of the list that the first line names.
#include <fmt/core.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <set>

#include "arch/load.h"
#include "audit/audit.h"
#include "base/json.h"
#include "base/text.h"
#include "cuda/libclang.h"
#include "package/environment.h"
#include "prove/units.h"

namespace ungate {
namespace {

namespace fs = std::filesystem;

template <class Set>
std::uint64_t bits(Set set) {
  std::uint64_t out = 0;
  for (unsigned i : set) out |= std::uint64_t{1} << i;
  return out;
}

std::string json_text(std::string_view text) { return JsonWriter().string(text).take(); }

std::string list(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& t : texts) out += (out.empty() ? "" : ", ") + json_text(t);
  return '[' + out + ']';
}

// --- Python ----------------------------------------------------------------------------------------

// What an oracle has to assume as well.
void print_facts(const rules::RuleSet& rules) {
  JsonWriter w;
  w.begin_object().key("devices").begin_array();
  for (unsigned d : arch::known_devices()) w.string(arch::Device(d).dotted());
  w.end_array().key("smem").begin_object();
  for (unsigned d : arch::known_devices()) {
    arch::Device device(d);
    w.key(device.dotted()).begin_array().number(device.facts().smem_block_kb * 1024);
    w.number(device.facts().smem_sm_kb * 1024).end_array();
  }
  w.end_object().key("world").begin_array();
  for (const auto& [name, value] : rules.python.constants) {
    w.begin_object().field("name", name.text()).field("call", rules.python.constant_calls.contains(name)).key("value");
    if (const auto* text = std::get_if<std::string>(&value)) w.string(*text);
    else if (const auto* number = std::get_if<std::int64_t>(&value)) w.number(*number);
    else if (const auto* truth = std::get_if<bool>(&value)) w.boolean(*truth);
    else w.null();
    w.end_object();
  }
  w.end_array().key("missing").begin_array();
  for (Symbol name : rules.python.missing) w.string(name.text());
  w.end_array().key("objects").begin_object();
  for (const auto& [name, klass] : rules.python.objects) w.field(name.text(), klass.text());
  w.end_object().end_object();
  fmt::print("{}\n", w.text());
}

// The devices on which what is open is decided by a setting, an argument or a version, and by nothing else: a report
// names it, and who knows it has the answer.
arch::DeviceSet by_settings(const python::Choice& c) {
  using Free = value::Free::Kind;
  arch::DeviceSet settings, others;
  for (const python::Choice::Decider& d : c.deciders) {
    bool setting = d.free.kind == Free::env || d.free.kind == Free::config || d.free.kind == Free::argument ||
                   d.free.kind == Free::toolkit || d.free.kind == Free::package_version;
    (setting ? settings : others) |= d.where;
  }
  return settings - others;
}

void print_choices(const audit::Inside& in, const rules::RuleSet& rules) {
  print_facts(rules);
  using Kind = python::Choice::Kind;
  for (const python::Choice& c : in.evaluation.choices()) {
    // Of these the outcome is not the truth of the value: a list that admits, a key that is there, a call that returns.
    if (c.kind == Kind::sink || c.kind == Kind::subscript || c.kind == Kind::lookup || c.kind == Kind::refusing_call) continue;
    const python::Module& module = in.program[c.place.module];
    auto begin = module.file->position(c.place.range.begin), end = module.file->position(c.place.range.end);
    fmt::print("{{\"path\": {}, \"module\": {}, \"begin\": [{}, {}], \"end\": [{}, {}], \"function\": {}, "
               "\"true\": {}, \"false\": {}, \"unknown\": {}, \"settings\": {}, \"alive\": {}}}\n",
               json_text(module.path), json_text(module.name.text()), begin.line, begin.column, end.line, end.column,
               json_text(c.function.text()), bits(c.outcome.may_true), bits(c.outcome.may_false),
               bits(c.outcome.may_unknown), bits(by_settings(c)), bits(c.alive));
  }
}

// --- CUDA ------------------------------------------------------------------------------------------

class Conditions {
 public:
  Conditions(const audit::Inside& in, const rules::RuleSet& rules, fs::path out, bool wide)
      : in_(in), rules_(rules), out_(std::move(out)), wide_(wide),
        all_(in.cuda_world, cuda::Pass::device, [this](const std::string& path) { return in_.cuda.text(path); }, is_ours) {}

  void run() {
    fs::create_directories(out_ / "tree");
    units_.open(out_ / "units.jsonl");
    places_.open(out_ / "places.txt");
    std::vector<std::string> targets;
    for (unsigned t : arch::all_code_targets()) targets.push_back(arch::CodeTarget(t).name());
    units_ << fmt::format("{{\"targets\": {}}}\n", list(targets));
    std::set<std::pair<std::string, std::vector<std::string>>> seen;
    for (const gate::JitModule& m : gate::jit_modules(in_.evaluation, in_.program, rules_.gate.packages, in_.cuda)) {
      auto built = gate::built_targets(in_.evaluation, in_.program, *m.rules);
      prove::ModulePlan plan = prove::plan_module(m, built, in_.cuda, false);
      if (plan.builds.empty()) continue;
      for (const prove::Unit& u : plan.builds.back().units) {
        std::vector<std::string> key = u.flags;
        key.insert(key.end(), u.folders.begin(), u.folders.end());
        if (seen.emplace(u.source, key).second) unit(m, u);
      }
    }
  }

 private:
  // Not a name that the toolkit, the standard library or the system can define.
  static bool is_ours(std::string_view macro) {
    for (std::string_view p : {"_", "CUDA", "CU_", "NV", "CUB_", "THRUST_", "DLPACK_", "INT", "UINT", "SIZE_", "PTR", "FLT_",
                               "DBL_", "CHAR_", "SCHAR", "LONG", "LLONG", "ULLONG", "LC_", "CLOCK", "RAND_", "EOF", "NULL"}) {
      if (macro.starts_with(p)) return false;
    }
    // A macro of the system is not written in lower case, a macro of a package seldom.
    return std::ranges::any_of(macro, [](char c) { return c == '_'; }) &&
           std::ranges::none_of(macro, [](char c) { return c >= 'a' && c <= 'z'; });
  }

  void unit(const gate::JitModule& m, const prove::Unit& u) {
    // The macros of this build, as the compiler gets them.
    cuda::Unit walked{u.source, u.folders, {}};
    for (const std::string& flag : u.flags) {
      if (flag.starts_with("-D")) walked.macros.push_back(flag.substr(2));
      if (flag.starts_with("-std=c++")) walked.macros.push_back("__cplusplus=" + std::string(flag.ends_with("20") ? "202002L" : "201703L"));
    }
    cuda::Preprocessor& preprocessor = wide_ ? all_ : in_.cuda.preprocessor(m.rules->absent_macros);
    auto result = preprocessor.walk(walked);
    if (!result) return;
    std::string marks;
    for (const std::string& path : result->files) {
      std::uint64_t base = instrument(path);
      const cuda::FileResult* r = preprocessor.result(path, result->visits);
      if (r == nullptr) continue;
      for (std::size_t a = 0; a < r->arms.size(); ++a) {
        std::uint64_t yes = 0, no = 0;
        std::map<std::string, int> why;
        for (unsigned t : arch::all_code_targets()) {
          const cuda::Outcome& o = r->arms[a].live.at(t);
          if (o.bits & value::kUnknown) {
            for (const value::Free& f : o.why.items()) ++why[value::to_text(f)];
          } else if (o.bits & value::kTrue) {
            yes |= std::uint64_t{1} << t;
          } else {
            no |= std::uint64_t{1} << t;
          }
        }
        marks += fmt::format("{}[{},{},{},{}]", marks.empty() ? "" : ",", base + a, yes, no, json_text(most_frequent(why)));
      }
    }
    units_ << fmt::format("{{\"module\": {}, \"source\": {}, \"folders\": {}, \"flags\": {}, \"marks\": [{}]}}\n",
                          json_text(u.module), json_text(u.source), list(u.folders), list(u.flags), marks);
  }

  static std::string most_frequent(const std::map<std::string, int>& counts) {
    auto most = std::ranges::max_element(counts, {}, [](const auto& c) { return c.second; });
    return most == counts.end() ? std::string() : most->first;
  }

  std::string place(const std::string& path, std::size_t arm) {
    const cuda::Directives& d = in_.cuda.directives(path);
    source::Range range = d.list[d.arms[arm].directive].range;
    const source::SourceFile& file = *in_.cuda.file(path);
    return fmt::format("{}: {}", file.at(range.begin), text::one_line(file.text(range), 120));
  }

  // Writes the file with a mark in each arm; gives the number of its first mark.
  std::uint64_t instrument(const std::string& path) {
    auto [entry, fresh] = base_.try_emplace(path, next_);
    if (!fresh) return entry->second;
    std::string_view text = in_.cuda.file(path)->text();
    const cuda::Directives& d = in_.cuda.directives(path);
    next_ += d.arms.size();
    for (std::size_t a = 0; a < d.arms.size(); ++a) places_ << place(path, a) << '\n';
    std::string out;
    std::size_t at = 0;
    for (const cuda::Directive& directive : d.list) {
      if (!cuda::opens_arm(directive.kind) || directive.index == cuda::kNone) continue;
      // After the line end of the directive.
      std::size_t end = std::min(directive.range.end, static_cast<std::uint32_t>(text.size()));
      while (end < text.size() && text[end] != '\n') ++end;
      end = std::min(end + 1, text.size());
      out += text.substr(at, end - at);
      out += fmt::format("ungate_mark_{}_\n", entry->second + directive.index);
      at = end;
    }
    out += text.substr(at);
    fs::path to = out_ / "tree" / path;
    fs::create_directories(to.parent_path());
    std::ofstream(to, std::ios::binary) << out;
    return entry->second;
  }

  const audit::Inside& in_;
  const rules::RuleSet& rules_;
  fs::path out_;
  bool wide_;
  cuda::Preprocessor all_;
  std::ofstream units_, places_;
  std::map<std::string, std::uint64_t> base_;
  std::uint64_t next_ = 0;
};

int compare_skipped(const audit::Inside& in) {
  std::set<std::string> paths;
  for (const gate::Gate& g : in.report.gates) {
    if (g.form.starts_with("pp-")) paths.insert(g.path);
  }
  using Is = cuda::Confirmation::Is;
  std::map<std::string, unsigned> failed;
  unsigned compared_files = 0, nothing = 0, compared = 0, disagreements = 0;
  std::string version;
  for (const std::string& path : paths) {
    cuda::ConfirmRequest request{*in.cuda.text(path), &in.cuda.alone(path)};
    cuda::Confirmation c = cuda::confirm({request}, in.cuda_world, {}).front();
    if (c.is == Is::not_comparable) {
      ++nothing;
      continue;
    }
    if (c.is == Is::unavailable) {
      ++failed[c.reason];
      continue;
    }
    version = c.version;
    ++compared_files;
    compared += c.compared;
    disagreements += c.disagreements.size();
    for (const cuda::Disagreement& d : c.disagreements) {
      const cuda::Directives& all = *request.file.directives;
      source::Range range = all.list[all.arms[d.arm].directive].range;
      const source::SourceFile& file = *in.cuda.file(path);
      fmt::print("DISAGREE {}: {}: {} for {}\n", file.at(range.begin), text::one_line(file.text(range), 120),
                 d.clang ? "compiled" : "not compiled", d.target.name());
    }
  }
  for (const auto& [why, n] : failed) fmt::print("not compared {}: {}\n", text::count(n, "file"), why);
  fmt::print("{}: {} compared, {} where other files decide everything; arms compared {}, disagree {}\n",
             version.empty() ? "libclang" : version, text::count(compared_files, "file"), nothing, compared, disagreements);
  // Nobody was there to ask; that nothing was compared for another reason is a failure.
  bool missing = !failed.empty() && std::ranges::all_of(failed, [](const auto& f) { return f.first.starts_with("no libclang"); });
  if (compared_files == 0) return missing ? 77 : 1;
  return disagreements > 0 ? 1 : 0;
}

int run(int argc, char** argv) {
  std::string what = argc > 2 ? argv[1] : "";
  if (what != "choices" && what != "skipped" && !(what == "conditions" && argc > 3)) {
    fmt::print(stderr, "usage: known choices ENV | known conditions ENV OUT [wide] | known skipped ENV\n");
    return 2;
  }
  auto rules = rules::load_rules({});
  package::Query query;
  query.paths = {argv[2]};
  auto environments = package::discover(query, package::Surroundings::of_process());
  if (!rules || !environments) {
    fmt::print(stderr, "{}\n", rules ? environments.error().what : rules.error().what);
    return 2;
  }
  audit::Options options;
  options.targets = {*arch::find_device(12, 0)};
  options.binaries = false;
  options.open_too = what == "skipped";
  int status = 0;
  options.inspect = [&](const audit::Inside& in) {
    if (what == "choices") print_choices(in, *rules);
    else if (what == "skipped") status = compare_skipped(in);
    else Conditions(in, *rules, argv[3], argc > 4).run();
  };
  for (const package::Environment& e : *environments) {
    if (auto report = audit::audit(e, *rules, options); !report) {
      fmt::print(stderr, "{}\n", report.error().what);
      return 2;
    }
  }
  return status;
}

}  // namespace
}  // namespace ungate

int main(int argc, char** argv) { return ungate::run(argc, argv); }

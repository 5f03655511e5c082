#include "cuda/libclang.h"

#include <map>
#include <variant>

#include <fmt/core.h>

#include "cuda/libclang_child.h"
#include "cuda/predefined.h"

namespace ungate::cuda {
namespace {

using arch::CodeTarget;
using arch::CodeTargetSet;

bool is_decided(Outcome o) { return (o.bits & value::kUnknown) == 0; }
bool is_known(Outcome o) { return o.is(value::kTrue) || o.is(value::kFalse); }

// Code targets for which every arm has the same outcome; one of each class is parsed.
std::vector<CodeTargetSet> classes(const FileResult& result, CodeTargetSet among) {
  std::map<std::string, CodeTargetSet> by_outcome;
  for (unsigned t : among) {
    std::string key;
    for (const ArmResult& arm : result.arms) key += static_cast<char>(arm.live.at(t).bits);
    by_outcome[key] |= CodeTargetSet::of(t);
  }
  std::vector<CodeTargetSet> out;
  for (const auto& entry : by_outcome) out.push_back(entry.second);
  return out;
}

void add_macro(std::vector<std::string>& args, std::string_view name,
               const std::optional<Predefined>& p) {
  if (!p) return;
  if (!p->defined) {
    args.push_back(fmt::format("-U{}", name));
  } else {
    args.push_back(fmt::format("-D{}{}={}", name, p->takes_n ? "(N)" : "", p->body));
  }
}

std::vector<std::string> arguments(CodeTarget target, const value::World& world) {
  // libclang knows no sm_120, so the text is C++ with nvcc's macros. -w: nobody reads its warnings.
  std::vector<std::string> args = {"-x",          "c++", "-std=c++17",     "-nostdinc",
                                   "-nostdinc++", "-w",  "-ferror-limit=0"};
  for (std::string_view name : {"__CUDACC__", "__NVCC__", "__CUDA_ARCH__", "__CUDA_ARCH_SPECIFIC__",
                                "__CUDA_ARCH_FAMILY_SPECIFIC__", "__CUDA_HAS_ARCH_SPECIFIC",
                                "__CUDA_HAS_ARCH_FAMILY_SPECIFIC"}) {
    add_macro(args, name, predefined(name, target, Pass::device));
  }
  if (target.suffix() == arch::Suffix::exact) {
    args.push_back(fmt::format("-D__CUDA_ARCH_FEAT_SM{}_ALL=1", target.device().cc()));
  }
  for (const value::World::Entry& e : world.entries()) {
    if (e.free.kind != value::Free::Kind::macro) continue;
    std::string_view name = e.free.name.text();
    if (std::holds_alternative<std::monostate>(e.value)) {
      args.push_back(fmt::format("-U{}", name));
    } else if (auto s = std::get_if<std::string>(&e.value)) {
      args.push_back(fmt::format("-D{}={}", name, *s));
    } else if (auto n = std::get_if<std::int64_t>(&e.value)) {
      args.push_back(fmt::format("-D{}={}", name, *n));
    } else {
      args.push_back(fmt::format("-D{}={}", name, std::get<bool>(e.value) ? 1 : 0));
    }
  }
  return args;
}

struct Planned {
  std::size_t request;
  CodeTarget target;
};

// The file as libclang sees it: what nothing defines is not defined. A condition that calls such a
// macro is an error then, and no answer can be compared.
FileResult closed(const ConfirmRequest& request, const value::World& world) {
  const std::string name = "file";
  Loader loader = [&](const std::string& path) -> std::optional<FileText> {
    if (path != name) return std::nullopt;
    return request.file;
  };
  Preprocessor alone(world, Pass::device, loader, [](std::string_view) { return true; });
  alone.walk({name, {}, {}});
  return *alone.result(name);
}

void compare(const ConfirmRequest& request, const FileResult& closed, CodeTarget target,
             const std::vector<source::Range>& skipped, Confirmation& out) {
  for (std::uint32_t a = 0; a < request.result->arms.size(); ++a) {
    Outcome live = request.result->arms[a].live.at(target.index());
    source::Range text = request.file.directives->arms[a].text;
    if (!is_known(live) || text.empty() || !is_decided(closed.arms[a].live.at(target.index())))
      continue;
    bool clang = true;
    for (source::Range r : skipped) clang &= !r.contains(text);
    ++out.compared;
    if (clang != live.is(value::kTrue))
      out.disagreements.push_back({a, target, live.is(value::kTrue), clang});
  }
}

bool comparable(const ConfirmRequest& request) {
  const std::vector<Arm>& arms = request.file.directives->arms;
  for (std::size_t a = 0; a < arms.size(); ++a) {
    if (arms[a].text.empty()) continue;
    if (!targets_with(request.result->arms[a].live, value::kTrue | value::kFalse).empty())
      return true;
  }
  return false;
}

}  // namespace

std::vector<Confirmation> confirm(const std::vector<ConfirmRequest>& requests,
                                  const value::World& world, const LibclangOptions& options) {
  std::vector<Confirmation> out(requests.size());
  std::vector<ClangJob> jobs;
  std::vector<Planned> planned;
  std::vector<FileResult> closed_results(requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (!comparable(requests[i])) {
      out[i].is = Confirmation::Is::not_comparable;
      continue;
    }
    closed_results[i] = closed(requests[i], world);
    for (CodeTargetSet set : classes(*requests[i].result, options.targets)) {
      CodeTarget target(set.front());
      jobs.push_back({fmt::format("/ungate/{}.cc", jobs.size()), requests[i].file.text,
                      arguments(target, world)});
      planned.push_back({i, target});
    }
  }
  ClangRun run = run_libclang(jobs, options.candidates, options.timeout_seconds);
  for (std::size_t j = 0; j < planned.size(); ++j) {
    Confirmation& c = out[planned[j].request];
    c.version = run.version;
    if (run.jobs[j].done) {
      compare(requests[planned[j].request], closed_results[planned[j].request], planned[j].target,
              run.jobs[j].ranges, c);
    } else if (c.reason.empty()) {
      c.reason = run.jobs[j].reason;
    }
  }
  for (Confirmation& c : out) {
    if (c.is == Confirmation::Is::not_comparable) continue;
    if (!c.disagreements.empty()) {
      c.is = Confirmation::Is::disagrees;
    } else if (!c.reason.empty()) {
      c.is = Confirmation::Is::unavailable;
    } else {
      c.is = c.compared > 0 ? Confirmation::Is::confirmed : Confirmation::Is::not_comparable;
    }
  }
  return out;
}

}  // namespace ungate::cuda

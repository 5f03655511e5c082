#include "prove/examine.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "base/text.h"

namespace ungate::prove {
namespace {

const KernelSource* source_of(const std::vector<KernelSource>& kernels, const std::string& name) {
  auto at = std::ranges::find(kernels, name, &KernelSource::name);
  return at == kernels.end() ? nullptr : &*at;
}


// One problem for all instances of a kernel.
class Problems {
 public:
  Problems(TargetProof& proof, const Job& job) : proof_(proof), job_(job) {}

  void add(const std::string& kind, const KernelFacts& k, const std::string& what, std::string where = {}) {
    std::string name = short_name(k.name);
    for (Problem& p : proof_.problems) {
      if (p.kind == kind && p.kernel == name) {
        ++p.count;
        return;
      }
    }
    if (where.empty()) where = guard(name);
    proof_.problems.push_back({kind, what, std::move(where), name, 1});
  }

 private:
  // The condition that is in the way, where the audit knows one.
  std::string guard(const std::string& kernel) const {
    for (const Guard& g : job_.guards) {
      if (g.kernel == kernel) return g.where + " (" + g.expression + ')';
    }
    return {};
  }

  TargetProof& proof_;
  const Job& job_;
};

// The same kernel in a build for another target. Some libraries put the target into a namespace.
const KernelFacts* same_kernel(const Build* build, const KernelFacts& k) {
  if (build == nullptr) return nullptr;
  if (const KernelFacts* exact = build->find(k.name)) return exact;
  std::string name = short_name(k.name), arguments = template_arguments(k.name);
  const KernelFacts* found = nullptr;
  for (const KernelFacts& other : build->kernels) {
    if (short_name(other.name) != name || template_arguments(other.name) != arguments) continue;
    if (found != nullptr) return nullptr;
    found = &other;
  }
  return found;
}

std::string bytes(std::uint64_t n) {
  return n % 1024 == 0 ? fmt::format("{} KB", n / 1024) : fmt::format("{} bytes", n);
}

void examine_kernel(const KernelFacts& k, const KernelFacts* whole, const KernelSource* source, const TargetProof& proof, Problems& problems,
                    std::map<std::string, std::string>& notes, std::set<std::string>& dynamic) {
  std::string name = short_name(k.name);
  std::string target = proof.target.name();
  std::string other = proof.reference ? proof.reference->name() : "";
  if (k.does_nothing()) {
    if (whole != nullptr && !whole->does_nothing())
      problems.add("empty-kernel", k, fmt::format("does nothing on {}; on {} it has {} instructions", target, other, whole->instructions));
    else
      notes[name] = whole == nullptr ? "does nothing" : "does nothing, on " + other + " neither";
  } else if (k.only_traps()) {
    if (whole != nullptr && !whole->only_traps())
      problems.add("traps", k, fmt::format("only traps on {}; on {} it has {} instructions", target, other, whole->instructions));
    else
      notes[name] = whole == nullptr ? "only traps" : "only traps, on " + other + " as well";
  } else if (k.traps && whole != nullptr && !whole->traps) {
    // What a library puts where an instruction is missing: a message and a trap, in the middle of a kernel.
    std::vector<std::string> lost;
    std::ranges::set_difference(whole->features, k.features, std::back_inserter(lost));
    std::string without = lost.empty() ? "" : "; it is without " + text::join(lost, ", ");
    problems.add("traps", k, fmt::format("traps on {} where it does not on {}{}", target, other, without));
  }
  const arch::DeviceFacts& device = proof.target.device().facts();
  if (source != nullptr && device.smem_block_kb > 0) {
    std::uint64_t limit = static_cast<std::uint64_t>(device.smem_block_kb) * 1024;
    std::vector<std::string> open;
    for (const KernelSource::Dynamic& d : source->dynamic) {
      if (!d.bytes) open.push_back('`' + d.text + "` (" + d.where + ')');
      else if (*d.bytes + k.shared_bytes > limit)
        problems.add("shared-memory", k, fmt::format("is launched with {} of dynamic shared memory beside {}; a block of {} can have {} KB", bytes(*d.bytes),
                                                     bytes(k.shared_bytes), proof.target.device().name(), device.smem_block_kb), d.where);
    }
    // How much that is, only the host knows when it runs.
    if (!open.empty() && k.effects) dynamic.insert(name + " of " + text::join(open, ", "));
  }
  std::uint64_t cluster = std::uint64_t{k.cluster[0]} * k.cluster[1] * k.cluster[2];
  if (device.max_cluster > 0 && cluster > static_cast<std::uint64_t>(device.max_cluster))
    problems.add("cluster", k, fmt::format("has clusters of {} blocks; {} can place {}", cluster, proof.target.device().name(), device.max_cluster));
  if (device.smem_block_kb > 0 && k.shared_bytes > static_cast<std::uint64_t>(device.smem_block_kb) * 1024)
    problems.add("shared-memory", k, fmt::format("takes {} of shared memory; a block of {} can have {} KB", bytes(k.shared_bytes),
                                                 proof.target.device().name(), device.smem_block_kb));
}

// Waits: of every kernel that is launched programmatically, in every instance.
void examine_waits(TargetProof& proof, const Build* reference, const Job& job, Problems& problems,
                   std::map<std::string, std::string>& notes) {
  std::set<std::string> with, wanted;
  for (const KernelFacts& k : proof.after->kernels) {
    std::string name = short_name(k.name);
    if (k.wait) with.insert(name);
    const KernelFacts* whole = same_kernel(reference, k);
    const KernelSource* source = source_of(job.kernels, name);
    bool launched = source != nullptr && !source->programmatic.empty();
    bool waits_elsewhere = whole != nullptr && whole->wait;
    if (launched) wanted.insert(name);
    if (k.wait || k.does_nothing() || k.only_traps()) continue;
    if (launched && (source->waits || waits_elsewhere)) {
      problems.add("missing-wait", k, fmt::format("has no griddepcontrol.wait on {}, and its launch ({}) lets it start before the kernel "
                                                  "ahead of it has ended", proof.target.name(), source->programmatic));
    } else if (launched) {
      notes[name] = "is launched with the programmatic attribute (" + source->programmatic + ") and waits on no device";
    } else if (waits_elsewhere) {
      problems.add("missing-wait", k, fmt::format("has no griddepcontrol.wait on {}; on {} it has one", proof.target.name(), proof.reference->name()));
    }
  }
  proof.waits = with.size();
  proof.launched_programmatic = wanted.size();
}

void examine_failure(TargetProof& proof, const Job& job) {
  const Failure& f = proof.after->failure;
  std::string what = f.program + ": " + f.message;
  if (!f.instruction.empty()) what += "; the instruction is `" + f.instruction + '`';
  if (!f.feature.empty()) what += "; " + proof.target.name() + " lacks " + f.feature;
  constexpr std::string_view kMissing = ": No such file or directory";
  bool header = f.message.ends_with(kMissing);
  if (header) {
    auto wheel = std::ranges::find_if(job.wheels, [&](const auto& w) { return f.message.starts_with(w.first); });
    if (wheel != job.wheels.end()) what += fmt::format("; `pip install {}` brings it", wheel->second);
  }
  bool memory = f.message.find("too much shared") != f.message.npos;
  proof.problems.push_back({memory ? "shared-memory" : header ? "missing-header" : "fails-build", without_roots(what), without_roots(f.where), f.kernel.empty() ? "" : short_name(f.kernel), 1});
  if (proof.before && !proof.before->compiled)
    proof.notes.push_back("the original does not compile for " + proof.target.name() + " either: " + proof.before->failure.message);
}

}  // namespace

bool needs_reference(const Build& build, const std::vector<KernelSource>& kernels) {
  return std::ranges::any_of(build.kernels, [&](const KernelFacts& k) {
    if (!k.effects || k.traps || k.code_empty) return true;
    if (k.wait) return false;
    const KernelSource* source = source_of(kernels, short_name(k.name));
    return source != nullptr && !source->programmatic.empty() && !source->waits;
  });
}

void examine(TargetProof& proof, const Build* reference, const Job& job) {
  if (!proof.after) {
    proof.problems.push_back({"unknown-target", "the compiler does not know " + proof.target.name(), {}, {}, 1});
    return;
  }
  if (!proof.after->compiled) return examine_failure(proof, job);
  Problems problems(proof, job);
  std::map<std::string, std::string> notes;
  std::set<std::string> dynamic;
  for (const KernelFacts& k : proof.after->kernels)
    examine_kernel(k, same_kernel(reference, k), source_of(job.kernels, short_name(k.name)), proof, problems, notes, dynamic);
  examine_waits(proof, reference, job, problems, notes);
  if (!dynamic.empty())
    proof.notes.push_back(fmt::format("dynamic shared memory is decided when it runs and was not compared with the {} KB of a block: {}",
                                      proof.target.device().facts().smem_block_kb, text::join({dynamic.begin(), dynamic.end()}, "; ")));
  for (const auto& [name, note] : notes) proof.notes.push_back(name + ' ' + note);
}

void examine(OtherProof& proof) {
  const Unchanged& u = proof.unchanged;
  std::string where = without_roots(u.where);
  std::string target = proof.target.name();
  if (!proof.known || u.same != Same::no) return;
  if (!u.failure.empty()) {
    proof.problems.push_back({"fails-build", "no longer compiles for " + target + ": " + without_roots(u.failure), where, {}, 1});
    return;
  }
  std::map<std::string, std::pair<std::string, std::size_t>> kernels;
  auto add = [&](const std::vector<std::string>& names, const char* what) {
    for (const std::string& name : names) {
      auto& entry = kernels[short_name(name)];
      entry.first = what;
      ++entry.second;
    }
  };
  add(u.removed, "is gone");
  add(u.added, "is new");
  add(u.changed, "has other machine code");
  for (const auto& [name, entry] : kernels)
    proof.problems.push_back({"changed-code", entry.first + " on " + target, where, name, entry.second});
  if (kernels.empty()) proof.problems.push_back({"changed-code", "its code for " + target + " changed", where, {}, 1});
}

}  // namespace ungate::prove

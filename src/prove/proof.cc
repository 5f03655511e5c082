#include "prove/proof.h"

#include <algorithm>
#include <chrono>
#include <mutex>

#include "base/parallel.h"
#include "prove/examine.h"

namespace ungate::prove {
namespace {

// Runs tasks on a few threads; the first error ends it.
class Tasks {
 public:
  explicit Tasks(const Job& job) : job_(job) {}

  void add(std::string what, std::function<Status()> run) { tasks_.push_back({std::move(what), std::move(run)}); }

  Status run() {
    std::atomic<std::size_t> done{0};
    std::atomic<bool> failed{false};
    std::mutex mutex;
    Status status;
    parallel_for(tasks_.size(), job_.threads, [&](std::size_t i) {
      if (failed) return;
      if (job_.progress) job_.progress(tasks_[i].what, done, tasks_.size());
      if (auto one = tasks_[i].run(); !one) {
        std::lock_guard lock(mutex);
        if (status) status = one;
        failed = true;
      }
      ++done;
    });
    tasks_.clear();
    return status;
  }

 private:
  struct Task {
    std::string what;
    std::function<Status()> run;
  };
  const Job& job_;
  std::vector<Task> tasks_;
};

std::string file_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

class Prover {
 public:
  Prover(Workshop& workshop, const Job& job) : workshop_(workshop), job_(job) {}

  Result<Proof> run() {
    auto began = std::chrono::steady_clock::now();
    lay_out();
    if (auto status = compile(); !status) return std::unexpected(status.error());
    if (auto status = compile_references(); !status) return std::unexpected(status.error());
    for (std::size_t i = 0; i < proof_.units.size(); ++i) judge(i);
    proof_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    proof_.cpu_seconds = cpu_;
    return std::move(proof_);
  }

 private:
  void lay_out() {
    const Compiler& compiler = workshop_.compiler();
    proof_.compiler = compiler.name();
    proof_.compiler_path = compiler.nvcc, proof_.compiler_found_by = compiler.found_by;
    for (const Work& work : job_.work) {
      UnitProof unit{work.unit, {}, {}};
      for (arch::CodeTarget t : work.targets) {
        unit.targets.emplace_back();
        unit.targets.back().target = t;
      }
      for (arch::CodeTarget t : work.others) {
        unit.others.emplace_back();
        unit.others.back().target = t;
        unit.others.back().known = compiler.knows(t);
      }
      proof_.units.push_back(std::move(unit));
    }
    references_.resize(proof_.units.size());
  }

  template <class T>
  Status keep(Result<T> result, T& into) {
    if (!result) return std::unexpected(result.error());
    into = std::move(*result);
    std::lock_guard lock(mutex_);
    if (!into.kept) cpu_ += into.cpu_seconds;
    return {};
  }

  // The edited texts for the targets come first: they fail most often. Originals come after them, since
  // where nothing was edited the result is kept by then; what is slow and least asked for comes last.
  Status compile() {
    Tasks tasks(job_);
    add_edited(tasks, false);
    for (UnitProof& unit : proof_.units) {
      for (OtherProof& o : unit.others) {
        if (!o.known) continue;
        tasks.add(file_name(unit.unit.source) + " for " + o.target.name() + ", before and after",
                  [&] { return keep(workshop_.compare(unit.unit, *job_.before, *job_.after, o.target), o.unchanged); });
      }
    }
    if (auto status = tasks.run(); !status) return status;
    add_originals(tasks);
    add_edited(tasks, true);
    return tasks.run();
  }

  // For the target that was asked for, or for those that come along with it.
  void add_edited(Tasks& tasks, bool along) {
    for (UnitProof& unit : proof_.units) {
      for (TargetProof& t : unit.targets) {
        if (!workshop_.compiler().knows(t.target) || comes_along(t) != along) continue;
        t.after.emplace();
        tasks.add(file_name(unit.unit.source) + " for " + t.target.name(),
                  [&] { return keep(workshop_.build(unit.unit, *job_.after, t.target, true), *t.after); });
      }
    }
  }

  void add_originals(Tasks& tasks) {
    for (UnitProof& unit : proof_.units) {
      for (TargetProof& t : unit.targets) {
        if (!job_.originals || !t.after || comes_along(t)) continue;
        t.before.emplace();
        tasks.add(file_name(unit.unit.source) + " for " + t.target.name() + ", original",
                  [&] { return keep(workshop_.build(unit.unit, *job_.before, t.target, true), *t.before); });
      }
    }
  }

  bool comes_along(const TargetProof& t) const { return (job_.along & arch::DeviceSet::of(t.target.device().index())) != arch::DeviceSet(); }

  Status compile_references() {
    Tasks tasks(job_);
    for (std::size_t i = 0; i < proof_.units.size(); ++i) {
      UnitProof& unit = proof_.units[i];
      auto reference = job_.work[i].reference;
      bool needed = std::ranges::any_of(unit.targets, [&](const TargetProof& t) {
        // What fails as it is may fail for every device; of an edit, the original tells.
        return t.after && (t.after->compiled ? needs_reference(*t.after, job_.kernels) : !job_.work[i].changed);
      });
      if (!needed || !reference || !workshop_.compiler().knows(*reference)) continue;
      references_[i].emplace();
      for (TargetProof& t : unit.targets) t.reference = reference;
      tasks.add(file_name(unit.unit.source) + " for " + reference->name() + ", to compare",
                [this, i, &unit, reference] { return keep(workshop_.build(unit.unit, *job_.before, *reference, false), *references_[i]); });
    }
    return tasks.run();
  }

  void judge(std::size_t i) {
    UnitProof& unit = proof_.units[i];
    const Build* reference = references_[i] && references_[i]->compiled ? &*references_[i] : nullptr;
    for (TargetProof& t : unit.targets) {
      if (reference == nullptr && references_[i] && t.reference && t.after && !t.after->compiled)
        t.notes.push_back("it does not compile for " + t.reference->name() + " either: " + without_roots(references_[i]->failure.message));
      if (reference == nullptr) t.reference.reset();
      examine(t, reference, job_);
    }
    for (OtherProof& o : unit.others) {
      examine(o);
      if (!o.known)
        proof_.not_proved.push_back(unit.unit.source + " for " + o.target.name() + ": " + proof_.compiler + " does not know it");
    }
  }

  Workshop& workshop_;
  const Job& job_;
  Proof proof_;
  std::vector<std::optional<Build>> references_;
  std::mutex mutex_;
  double cpu_ = 0;
};

}  // namespace

bool UnitProof::ok() const {
  return std::ranges::all_of(targets, [](const TargetProof& t) { return t.problems.empty(); }) &&
         std::ranges::all_of(others, [](const OtherProof& o) { return o.problems.empty(); });
}

bool Proof::ok() const {
  return std::ranges::all_of(units, &UnitProof::ok);
}

std::size_t Proof::problem_count() const {
  std::size_t n = 0;
  for (const UnitProof& u : units) {
    for (const TargetProof& t : u.targets) n += t.problems.size();
    for (const OtherProof& o : u.others) n += o.problems.size();
  }
  return n;
}

Result<Proof> prove(Workshop& workshop, const Job& job) {
  return Prover(workshop, job).run();
}

}  // namespace ungate::prove

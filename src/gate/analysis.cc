#include "gate/analysis.h"

#include <algorithm>
#include <future>
#include <unordered_map>

#include <fmt/core.h>

#include "base/hash.h"
#include "gate/cuda_items.h"
#include "gate/foreign_code.h"
#include "gate/host_items.h"
#include "gate/judge.h"
#include "gate/lift.h"
#include "gate/links.h"
#include "gate/python_items.h"

namespace ungate::gate {
namespace {

// Eight hex digits of what identifies a gate when lines move: form, expression, path, function, and its
// number among equals there. It is the same whether or not open gates are described.
void give_ids(std::vector<Item>& items) {
  std::map<std::string, int> equal;
  for (Item& item : items) {
    Gate& g = item.gate;
    std::string key = g.form + '\0' + g.expression + '\0' + g.path + '\0' + g.enclosing;
    key += '\0' + std::to_string(item.is_guard() ? item.ordinal : equal[key]++);
    g.id = hex(hash64(key), 8);
  }
}

bool shuts_out(const Item& item, std::size_t targets) {
  for (std::size_t t = 0; t < targets; ++t) {
    if (item.admissions[t].admits == Admits::no) return true;
  }
  return false;
}

bool differs(const cuda::FileResult& result) {
  return std::ranges::any_of(result.arms, [](const cuda::ArmResult& arm) { return !arm.leaves.empty(); });
}

class Analysis {
 public:
  Analysis(const Inputs& inputs, CudaReading reading)
      : in_(inputs), reading_(std::move(reading)),
        callers_(in_.program, in_.evaluation, in_.texts), foreign_(in_.knowledge, in_.cuda) {}

  Findings run() {
    items_ = python_items(in_.evaluation, in_.program);
    std::vector<JitModule> modules = jit_modules(in_.evaluation, in_.program, in_.knowledge.packages, in_.cuda);
    for (Item& item : items_) admit_python(item);
    find_shut_modules(modules);
    // Who calls the builders is asked on the Python side, what they build on the other.
    auto policy = in_.threads == 1 ? std::launch::deferred : std::launch::async;
    auto routes = std::async(policy, [&] {
      std::map<std::size_t, Route> out;
      for (std::size_t m : shut_) out.emplace(m, route_to(modules[m], in_.program, callers_));
      return out;
    });
    walk_shut_modules(modules);
    add_guards();
    add_host(modules);
    order();
    const std::map<std::size_t, Route> to_builders = routes.get();
    give_ids(items_);
    Links(in_, items_, modules, to_builders, callers_).draw();
    std::vector<NativeUse> native = tie_to_libraries(in_, items_, callers_);
    Judge(in_, items_, modules, walked_).judge();
    form_groups(items_);
    tell_guards(modules);
    make_lifts(in_, items_, modules, walked_);
    Findings out;
    for (Item& item : items_) out.gates.push_back(std::move(item.gate));
    out.modules = std::move(modules);
    out.native = std::move(native);
    return out;
  }

 private:
  void admit_python(Item& item) {
    for (arch::Device target : in_.targets) {
      const auto& c = item.choice;
      const python::Chain* chain = c.chain == python::kNoIndex ? nullptr : &in_.evaluation.chains()[c.chain];
      item.admissions.push_back(admission(c, condition_of(in_.evaluation, c), chain, target));
    }
  }

  // Modules that a list of devices shuts a target out of: only there can a lift be possible.
  void find_shut_modules(const std::vector<JitModule>& modules) {
    for (std::size_t m = 0; m < modules.size(); ++m) {
      bool shut = std::ranges::any_of(items_, [&](const Item& item) {
        return item.choice.sink != nullptr && item.choice.place.module == modules[m].builder.module &&
               modules[m].builder.range.contains(item.choice.place.range) && shuts_out(item, in_.targets.size());
      });
      if (!shut) continue;
      shut_.insert(m);
      built_[m] = built_targets(in_.evaluation, in_.program, *modules[m].rules);
    }
  }

  // Only of those the units have to be read.
  void walk_shut_modules(const std::vector<JitModule>& modules) {
    for (std::size_t m : shut_) {
      if (!modules[m].sources.empty()) walked_.emplace(m, walk_module(modules[m], in_.cuda));
    }
  }

  void add_guards() {
    std::unordered_map<std::string_view, std::vector<std::size_t>> reached_by;
    for (auto& [m, walked] : walked_) {
      for (const std::string& file : walked.files) reached_by[file].push_back(m);
    }
    for (const std::string& path : in_.cuda_files) {
      if (in_.cuda.file(path) == nullptr) continue;
      const cuda::FileResult* result = nullptr;
      std::set<std::size_t> holds;
      arch::CodeTargetSet built;
      for (std::size_t m : reached_by[path]) {
        if (result == nullptr) result = walked_.at(m).result(path);
        holds.insert(m);
        built |= built_.at(m);
      }
      if (result == nullptr) result = &in_.cuda.with_headers(path);
      if (!differs(*result)) continue;
      std::vector<bool> chains;
      if (!in_.open_too) {
        chains = chains_that_shut_out(path, *result, in_.cuda, built, in_.targets);
        add_chains_that_let_in(path, *result, chains);
        if (std::ranges::find(chains, true) == chains.end()) continue;
      }
      std::vector<std::string> launchers = launch_files(path, holds);
      in_.cuda.link(launchers);
      for (Item& item : cuda_items(path, *result, in_.cuda, launchers, in_.open_too ? nullptr : &chains)) {
        item.holds = holds;
        for (arch::Device target : in_.targets) item.admissions.push_back(admission(item, built, target));
        items_.push_back(std::move(item));
      }
    }
  }

  // Chains with an arm that is compiled for a target, not for all, and names what the target lacks.
  void add_chains_that_let_in(const std::string& path, const cuda::FileResult& result, std::vector<bool>& chains) {
    const cuda::Directives& d = in_.cuda.directives(path);
    for (std::size_t a = 0; a < d.arms.size(); ++a) {
      if (chains[d.arms[a].chain] || result.arms[a].leaves.empty()) continue;
      for (arch::Device target : in_.targets) {
        // A quick look only: what is guarded exactly is told when it is judged.
        std::string_view text = in_.cuda.file(path)->text();
        std::string_view arm = in_.cuda.file(path)->text(d.arms[a].text);
        bool let = lets_in(result.arms[a].condition, target) && foreign_.may_hold(arm, target);
        bool error = arm.find("#error") != arm.npos && spares(result.arms[a].condition, target);
        if (let || (error && foreign_.may_hold(text.substr(d.arms[a].text.end), target))) chains[d.arms[a].chain] = true;
      }
    }
  }

  void add_host(const std::vector<JitModule>& modules) {
    for (Item& item : reading_.host) {
      for (std::size_t m = 0; m < modules.size(); ++m) {
        auto walked = walked_.find(m);
        bool holds = std::ranges::find(modules[m].sources, item.gate.path) != modules[m].sources.end() ||
                     (walked != walked_.end() && std::ranges::find(walked->second.files, item.gate.path) != walked->second.files.end());
        if (holds) item.holds.insert(m);
      }
      items_.push_back(std::move(item));
    }
  }

  // The files of a guarded file's modules, itself included, that name one of its kernels: where these can
  // be launched.
  std::vector<std::string> launch_files(const std::string& path, const std::set<std::size_t>& modules) {
    std::vector<std::string> kernels, out{path};
    for (const cuda::Function& f : in_.cuda.structure(path).functions) {
      if (f.is_kernel) kernels.emplace_back(f.name.text());
    }
    std::set<std::string> seen{path};
    for (std::size_t m : modules) {
      for (const std::string& file : walked_.at(m).files) {
        bool source = std::ranges::find(in_.cuda_files, file) != in_.cuda_files.end();
        if (!source || !seen.insert(file).second) continue;
        std::string_view text = in_.cuda.file(file)->text();
        if (std::ranges::any_of(kernels, [&](const std::string& k) { return text.find(k) != std::string_view::npos; })) out.push_back(file);
      }
    }
    return out;
  }

  void order() {
    std::ranges::sort(items_, {}, [](const Item& i) { return std::tie(i.gate.path, i.gate.range.begin, i.gate.range.end, i.gate.form); });
  }

  // Guards in functions that are worth lifting: for them it matters who comes there.
  static bool is_told(const Item& item) {
    return item.is_guard() && item.guard.function != cuda::kNone && std::ranges::any_of(item.gate.standings, [](const Standing& s) {
      return s.admits == Admits::no && s.verdict != Verdict::capability;
    });
  }

  // Which exported operators reach a guarded kernel, and who calls them.
  void tell_guards(const std::vector<JitModule>& modules) {
    for (auto& [m, walked] : walked_) {
      std::vector<std::string> files;
      bool any = std::ranges::any_of(items_, [&, m = m](const Item& item) {
        return item.holds.contains(m) && is_told(item);
      });
      if (!any) continue;
      for (const std::string& f : walked.files) {
        bool source = std::ranges::find(modules[m].sources, f) != modules[m].sources.end();
        if (source || std::ranges::find(in_.cuda_files, f) != in_.cuda_files.end()) files.push_back(f);
      }
      read_ops(walked, files, in_.cuda);
      std::string package = std::string(in_.program[modules[m].builder.module].name.text());
      package = package.substr(0, package.find('.'));
      for (Item& item : items_) {
        if (!item.holds.contains(m) || !is_told(item)) continue;
        std::string function(in_.cuda.structure(item.gate.path).functions[item.guard.function].name.text());
        for (const WalkedModule::Op& op : walked.ops) {
          if (std::ranges::find(op.reaches, function) == op.reaches.end()) continue;
          item.gate.guards += fmt::format("; reached by op {}", op.name);
          auto uses = callers_.uses_of_attribute(Symbol(op.name), package);
          item.gate.guards += uses.empty() ? ", which no other installed package calls"
                                           : ", called at " + in_.program[uses[0].in.module].file->at(uses[0].range.begin);
        }
      }
    }
    for (Item& item : items_) {
      if (!item.is_python()) continue;
      std::string leads;
      std::set<std::size_t> all = item.reaches;
      if (item.choice.sink != nullptr) all.insert(item.holds.begin(), item.holds.end());
      for (std::size_t m : all) leads += (leads.empty() ? "" : ", ") + modules[m].shown();
      if (!leads.empty()) item.gate.guards = (item.choice.sink != nullptr ? "builds module " : "leads to module ") + leads;
      item.gate.path_to.insert(item.gate.path_to.end(), item.path.begin(), item.path.end());
    }
  }

  const Inputs& in_;
  CudaReading reading_;
  python::Callers callers_;
  ForeignCode foreign_;
  std::vector<Item> items_;
  std::set<std::size_t> shut_;
  std::map<std::size_t, arch::CodeTargetSet> built_;  // what is built now of each of them
  std::map<std::size_t, WalkedModule> walked_;
};

}  // namespace

CudaReading read_cuda(const Inputs& inputs) {
  // CudaFiles keeps what it read.
  for (const std::string& path : inputs.cuda_files) {
    if (inputs.cuda.file(path) == nullptr) continue;
    if (differs(inputs.cuda.alone(path))) inputs.cuda.structure(path);
  }
  CudaReading out{host_items(inputs)};
  // Modules are known only once the Python side is; files that none can hold need not wait for it.
  for (const std::string& path : inputs.cuda_files) {
    bool of_modules = std::ranges::any_of(inputs.knowledge.packages, [&](const PackageRules& package) {
      return package.jit && path.starts_with(package.folder + '/');
    });
    if (!of_modules && inputs.cuda.file(path) != nullptr) inputs.cuda.with_headers(path);
  }
  return out;
}

Findings analyse(const Inputs& inputs, CudaReading reading) { return Analysis(inputs, std::move(reading)).run(); }

}  // namespace ungate::gate

#include "gate/analysis.h"

#include <algorithm>

#include <fmt/core.h>

#include "base/hash.h"
#include "gate/cuda_items.h"
#include "gate/judge.h"
#include "gate/lift.h"
#include "gate/links.h"
#include "gate/python_items.h"

namespace ungate::gate {
namespace {

// Eight hex digits of what identifies a gate when lines move: form, expression, path, function, and its
// number among equals there.
void give_ids(std::vector<Item>& items) {
  std::map<std::string, int> equal;
  for (Item& item : items) {
    Gate& g = item.gate;
    std::string key = g.form + '\0' + g.expression + '\0' + g.path + '\0' + g.enclosing;
    key += '\0' + std::to_string(equal[key]++);
    g.id = hex(hash64(key), 8);
  }
}

bool shuts_out(const Item& item, std::size_t targets) {
  for (std::size_t t = 0; t < targets; ++t) {
    if (item.admissions[t].admits == Admits::no) return true;
  }
  return false;
}

class Analysis {
 public:
  explicit Analysis(const Inputs& inputs) : in_(inputs) {}

  Findings run() {
    items_ = python_items(in_.evaluation, in_.program);
    std::vector<JitModule> modules = jit_modules(in_.evaluation, in_.knowledge.packages);
    for (Item& item : items_) admit_python(item);
    walk_shut_modules(modules);
    add_guards(modules);
    order();
    give_ids(items_);
    Links(in_, items_, modules, shut_).draw();
    Judge(in_, items_, modules, walked_).judge();
    form_groups(items_);
    tell_guards(modules);
    make_lifts(in_, items_, modules, walked_);
    Findings out;
    for (Item& item : items_) out.gates.push_back(std::move(item.gate));
    out.modules = std::move(modules);
    return out;
  }

 private:
  void admit_python(Item& item) {
    for (arch::Device target : in_.targets) {
      const auto& c = item.choice;
      const python::Condition* condition = c.condition == python::kNoIndex ? nullptr : &in_.evaluation.conditions()[c.condition];
      const python::Chain* chain = c.chain == python::kNoIndex ? nullptr : &in_.evaluation.chains()[c.chain];
      item.admissions.push_back(admission(c, condition, chain, target));
    }
  }

  // The units of every module that a list of devices shuts a target out of: only there can a lift be
  // possible, and only there the units have to be read.
  void walk_shut_modules(const std::vector<JitModule>& modules) {
    for (std::size_t m = 0; m < modules.size(); ++m) {
      bool shut = std::ranges::any_of(items_, [&](const Item& item) {
        return item.choice.sink != nullptr && item.choice.place.module == modules[m].builder.module &&
               modules[m].builder.range.contains(item.choice.place.range) && shuts_out(item, in_.targets.size());
      });
      if (!shut) continue;
      shut_.insert(m);
      if (!modules[m].sources.empty()) walked_.emplace(m, walk_module(modules[m], in_.cuda));
    }
  }

  void add_guards(const std::vector<JitModule>& modules) {
    for (const std::string& path : in_.cuda_files) {
      const cuda::FileResult* result = nullptr;
      std::set<std::size_t> holds;
      std::vector<std::string> launch_files;
      arch::CodeTargetSet built;
      for (auto& [m, walked] : walked_) {
        if (std::ranges::find(walked.files, path) == walked.files.end()) continue;
        if (result == nullptr) result = walked.result(path);
        holds.insert(m);
        built |= built_targets(in_.evaluation, in_.program, *modules[m].rules);
        for (const std::string& f : walked.files) {
          if (std::ranges::find(in_.cuda_files, f) != in_.cuda_files.end()) launch_files.push_back(f);
        }
      }
      if (in_.cuda.file(path) == nullptr) continue;
      if (result == nullptr) result = &in_.cuda.alone(path);
      if (!differs(*result)) continue;
      in_.cuda.link(launch_files.empty() ? std::vector{path} : launch_files);
      for (Item& item : cuda_items(path, *result, in_.cuda, launch_files)) {
        item.holds = holds;
        for (arch::Device target : in_.targets) item.admissions.push_back(admission(item, built, target));
        items_.push_back(std::move(item));
      }
    }
  }

  static bool differs(const cuda::FileResult& result) {
    return std::ranges::any_of(result.arms, [](const cuda::ArmResult& arm) { return !arm.leaves.empty(); });
  }

  void order() {
    std::ranges::sort(items_, {}, [](const Item& i) { return std::tie(i.gate.path, i.gate.range.begin, i.gate.range.end, i.gate.form); });
  }

  // Which exported operators reach a guarded kernel, and who calls them.
  void tell_guards(const std::vector<JitModule>& modules) {
    python::Callers callers(in_.program, in_.evaluation, in_.holders);
    for (auto& [m, walked] : walked_) {
      std::vector<std::string> files;
      bool any = std::ranges::any_of(items_, [&, m = m](const Item& item) {
        return !item.is_python() && item.holds.contains(m) && shuts_out(item, in_.targets.size());
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
        bool told = !item.is_python() && item.holds.contains(m) && shuts_out(item, in_.targets.size());
        if (!told || item.guard.function == cuda::kNone) continue;
        std::string function(in_.cuda.structure(item.gate.path).functions[item.guard.function].name.text());
        for (const WalkedModule::Op& op : walked.ops) {
          if (std::ranges::find(op.reaches, function) == op.reaches.end()) continue;
          item.gate.guards += fmt::format("; reached by op {}", op.name);
          auto uses = callers.uses_of_attribute(Symbol(op.name), package);
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
      for (std::size_t m : all) leads += (leads.empty() ? "" : ", ") + (modules[m].name.empty() ? "a module" : modules[m].name);
      if (!leads.empty()) item.gate.guards = (item.choice.sink != nullptr ? "builds module " : "leads to module ") + leads;
      item.gate.path_to.insert(item.gate.path_to.end(), item.path.begin(), item.path.end());
    }
  }

  const Inputs& in_;
  std::vector<Item> items_;
  std::set<std::size_t> shut_;
  std::map<std::size_t, WalkedModule> walked_;
};

}  // namespace

Findings analyse(const Inputs& inputs) { return Analysis(inputs).run(); }

}  // namespace ungate::gate

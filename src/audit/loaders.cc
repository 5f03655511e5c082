#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "audit/binary_gates.h"
#include "base/text.h"

namespace ungate::audit {
namespace {

using Names = std::set<std::string, std::less<>>;

// "a/sm90/x.so": what stands before the folder, the folder, the file.
struct Parts {
  std::string before, folder, file;
};
std::optional<Parts> parts_of(const std::string& path) {
  std::size_t file = path.rfind('/');
  if (file == path.npos) return std::nullopt;
  std::size_t folder = path.rfind('/', file - 1);
  if (folder == path.npos) return std::nullopt;
  return Parts{path.substr(0, folder), path.substr(folder + 1, file - folder - 1),
               path.substr(file + 1)};
}

Names names_in(std::string_view text, const Names& folders) {
  Names out;
  for (const std::string& f : folders) {
    for (char quote : {'"', '\''}) {
      if (text.find(quote + f + quote) != text.npos) out.insert(f);
    }
  }
  return out;
}

// The folders that each arm of a chain names; the last one is that of `else`.
std::vector<Names> names_of_arms(const python::Chain& chain, std::string_view text,
                                 const Names& folders) {
  std::vector<Names> out;
  std::uint32_t end = chain.place.range.end;
  for (std::size_t i = 0; i < chain.arms.size(); ++i) {
    std::uint32_t from = chain.arms[i].test.end;
    std::uint32_t to = i + 1 < chain.arms.size() ? chain.arms[i + 1].test.begin : end;
    std::string_view body = text.substr(from, to - from);
    std::string_view rest;
    if (i + 1 == chain.arms.size() && chain.has_else) {
      // `else` stands at the beginning of a line, as deep as the statement.
      std::size_t line = text.rfind('\n', chain.place.range.begin);
      std::size_t begin = line == text.npos ? 0 : line + 1;
      std::string mark =
          '\n' + std::string(text.substr(begin, chain.place.range.begin - begin)) + "else";
      std::size_t at = body.find(mark);
      if (at != body.npos) rest = body.substr(at), body = body.substr(0, at);
    }
    out.push_back(names_in(body, folders));
    if (i + 1 == chain.arms.size()) out.push_back(names_in(rest, folders));
  }
  return out;
}

// What the chain may take on a device.
Names taken(const python::Chain& chain, const std::vector<Names>& arms, arch::Device device) {
  Names out;
  for (std::size_t i = 0; i < chain.arms.size(); ++i) {
    const value::Outcome& o = chain.arms[i].outcome;
    bool may = o.may_pass().has(device.index());
    if (may) out.insert(arms[i].begin(), arms[i].end());
    if (may && !o.may_fail().has(device.index())) return out;
  }
  out.insert(arms.back().begin(), arms.back().end());
  return out;
}

struct Loader {
  const python::Chain* chain;
  std::vector<Names> arms;
  std::string path, where;
};

class Explanation {
 public:
  Explanation(std::vector<gate::Gate>& gates, const python::Evaluation& evaluation,
              const python::Program& program)
      : gates_(gates), evaluation_(evaluation), program_(program) {}

  void run() {
    std::map<std::string, std::vector<gate::Gate*>> alike;  // by all but the folder
    for (gate::Gate& g : gates_) {
      if (auto p = parts_of(g.path)) alike[p->before + '\n' + p->file].push_back(&g);
    }
    for (auto& [key, group] : alike) {
      Names folders;
      for (const gate::Gate* g : group) folders.insert(parts_of(g->path)->folder);
      if (folders.size() < 2) continue;
      std::string package = key.substr(0, std::min(key.find('/'), key.find('\n')));
      if (auto loader = find(package, folders)) explain(*loader, group);
    }
  }

 private:
  std::optional<Loader> find(const std::string& package, const Names& folders) const {
    for (const python::Chain& chain : evaluation_.chains()) {
      const python::Module& module = program_[chain.place.module];
      if (module.file == nullptr || !module.path.starts_with(package + '/')) continue;
      auto arms = names_of_arms(chain, module.file->text(), folders);
      Names all;
      for (const Names& arm : arms) all.insert(arm.begin(), arm.end());
      if (all.size() < 2) continue;
      return Loader{&chain, std::move(arms), module.path, module.file->at(chain.place.range.begin)};
    }
    return std::nullopt;
  }

  static void explain(const Loader& loader, const std::vector<gate::Gate*>& group) {
    for (gate::Gate* g : group) {
      std::string folder = parts_of(g->path)->folder;
      for (gate::Standing& s : g->standings) {
        Names names = taken(*loader.chain, loader.arms, s.device);
        if (names.empty()) continue;
        std::vector<std::string> list(names.begin(), names.end());
        s.evidence.push_back(
            {fmt::format("on {} the loader takes {}/", s.device.name(), text::join(list, "/ or ")),
             loader.where});
        if (names.contains(folder)) continue;
        s.effect = gate::Effect::unreachable;
        s.verdict = gate::Verdict::none;
        s.unknown_because.clear();
      }
    }
  }

  std::vector<gate::Gate>& gates_;
  const python::Evaluation& evaluation_;
  const python::Program& program_;
};

}  // namespace

void explain_loaders(std::vector<gate::Gate>& gates, const python::Evaluation& evaluation,
                     const python::Program& program) {
  Explanation(gates, evaluation, program).run();
}

}  // namespace ungate::audit

#include "gate/native.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "gate/analysis.h"

namespace ungate::gate {
namespace {

using python::ModuleId;
using python::Routine;

constexpr int kFarthest = 2;  // calls from a function that asks for a flag, or holds a call of an op

std::string_view last_part(std::string_view dotted) {
  return dotted.substr(dotted.rfind('.') + 1);
}

std::string_view identifier_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && text::is_identifier_part(text[end])) ++end;
  return text.substr(at, end - at);
}

// Calls f(offset) wherever a word stands by itself.
template <class F>
void each_word(std::string_view text, std::string_view word, F&& f) {
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + word.size())) {
    std::size_t end = at + word.size();
    if (at > 0 && text::is_identifier_part(text[at - 1])) continue;
    if (end < text.size() && text::is_identifier_part(text[end])) continue;
    f(static_cast<std::uint32_t>(at));
  }
}

class Ties {
 public:
  Ties(const Inputs& inputs, std::vector<Item>& items, python::Callers& callers)
      : in_(inputs), items_(items), callers_(callers), uses_(inputs.libraries.all.size()) {}

  std::vector<NativeUse> run() {
    if (in_.libraries.all.empty()) return std::move(uses_);
    for (ItemId i = 0; i < items_.size(); ++i) {
      if (items_[i].is_python()) by_module_[items_[i].choice.place.module].push_back(i);
    }
    for (std::size_t l = 0; l < in_.libraries.all.size(); ++l) follow_imports(l);
    follow_ops();
    return std::move(uses_);
  }

 private:
  using Libraries = std::set<std::size_t>;

  std::string_view text_of(ModuleId id) {
    const auto* file = in_.program.load(id).file;
    return file == nullptr ? std::string_view() : file->text();
  }
  std::string at(ModuleId id, std::uint32_t offset) { return in_.program[id].file->at(offset); }

  // --- Imports and the flags beside them --------------------------------------------------------

  void follow_imports(std::size_t library) {
    const std::string& module = in_.libraries.all[library].module;
    for (ModuleId id : in_.texts.holders(Symbol(last_part(module)))) {
      if (text_of(id).empty()) continue;
      const auto& lines = in_.program[id].outline->lines();
      for (std::size_t i = 0; i < lines.size(); ++i) {
        if (lines[i].kind != python::LineKind::import || !imports(id, lines[i], module)) continue;
        uses_[library].imports.push_back(at(id, lines[i].begin));
        for (std::string_view flag : flags_beside(id, i)) {
          ask_for(id, flag, library, at(id, lines[i].begin));
        }
      }
    }
  }

  // "import a.b._C as c", "from a.b import _C, _D", "from . import _C".
  bool imports(ModuleId id, const python::LogicalLine& line, std::string_view module) {
    std::string_view text = text_of(id).substr(line.begin, line.end - line.begin);
    text = text.substr(0, text.find('#'));
    if (text.starts_with("import ")) {
      for (std::string_view part : text::split(text.substr(7), ',')) {
        part = text::trim(part);
        if (part.substr(0, part.find(' ')) == module) return true;
      }
      return false;
    }
    std::size_t split = text.find(" import ");
    if (!text.starts_with("from ") || split == text.npos) return false;
    Symbol from = in_.program.absolute(id, text::trim(text.substr(5, split - 5)));
    if (std::string(from.text()) + '.' + std::string(last_part(module)) != module) return false;
    bool found = false;
    each_word(text.substr(split + 8), last_part(module), [&](std::uint32_t) { found = true; });
    return found;
  }

  // Names that simple lines of the same block set to True.
  std::vector<std::string_view> flags_beside(ModuleId id, std::size_t import) {
    std::vector<std::string_view> out;
    const auto& lines = in_.program[id].outline->lines();
    if (lines[import].indent == 0) return out;
    auto look = [&](std::size_t i) {
      if (lines[i].indent < lines[import].indent) return false;
      if (lines[i].indent > lines[import].indent) return true;
      std::string_view text = text_of(id).substr(lines[i].begin, lines[i].end - lines[i].begin);
      std::string_view name = identifier_at(text, 0);
      std::string_view rest = text::trim(text.substr(name.size()));
      if (!name.empty() && rest.starts_with('=') && text::trim(rest.substr(1)).starts_with("True"))
        out.push_back(name);
      return true;
    };
    for (std::size_t i = import + 1; i < lines.size() && look(i);) ++i;
    for (std::size_t i = import; i-- > 0 && look(i);) continue;
    return out;
  }

  // Gates in functions that read the flag, and calls of such functions that are gates, in the same file.
  void ask_for(ModuleId id, std::string_view flag, std::size_t library, const std::string& where) {
    std::set<Routine> seen;
    std::vector<std::pair<Routine, int>> steps;
    auto add = [&](const Routine& r, int depth) {
      if (!r.name.empty() && r.module == id && seen.insert(r).second) steps.emplace_back(r, depth);
    };
    each_word(text_of(id), flag, [&](std::uint32_t offset) { add(callers_.around(id, offset), 0); });
    for (std::size_t i = 0; i < steps.size(); ++i) {
      auto [routine, depth] = steps[i];
      Evidence edge{fmt::format("{} asks for {}, which says that {} was imported",
                                routine.qualname.text(), flag, in_.libraries.all[library].module),
                    where};
      if (depth == 0) tie_within(id, routine.range, library, edge);
      for (const python::CallSite& site : callers_.of(routine)) {
        if (site.confidence != python::Confidence::exact || site.in.module != id) continue;
        tie_around(id, site.range, library, edge);
        if (depth < kFarthest) add(site.in, depth + 1);
      }
    }
  }

  void tie_within(ModuleId id, source::Range range, std::size_t library, const Evidence& edge) {
    for (ItemId item : by_module_[id]) {
      if (range.contains(items_[item].choice.place.range)) tie(item, library, edge);
    }
  }
  void tie_around(ModuleId id, source::Range range, std::size_t library, const Evidence& edge) {
    for (ItemId item : by_module_[id]) {
      if (items_[item].choice.place.range.contains(range)) tie(item, library, edge);
    }
  }

  // --- Operators --------------------------------------------------------------------------------

  void follow_ops() {
    find_arms();
    constexpr std::string_view kOps = "torch.ops.";
    for (ModuleId id : holders(Symbol("torch"), kOps)) {
      if (in_.program[id].name.text().starts_with("torch.")) continue;
      std::string_view text = text_of(id);
      for (std::size_t at = text.find(kOps); at != text.npos; at = text.find(kOps, at + 1)) {
        std::string_view space = identifier_at(text, at + kOps.size());
        std::size_t end = at + kOps.size() + space.size();
        if (space.empty()) continue;
        if (end < text.size() && text[end] == '.') {
          call(id, space, identifier_at(text, end + 1), static_cast<std::uint32_t>(at));
        } else if (std::string_view alias = alias_before(text, at); !alias.empty()) {
          each_word(text, alias, [&](std::uint32_t use) {
            std::size_t dot = use + alias.size();
            if (dot < text.size() && text[dot] == '.')
              call(id, space, identifier_at(text, dot + 1), use);
          });
        }
      }
    }
  }

  // The modules that hold a word, and this text somewhere.
  std::vector<ModuleId> holders(Symbol word, std::string_view wanted) {
    std::vector<ModuleId> modules = in_.texts.holders(word), out;
    std::vector<char> holds(modules.size(), 0);
    in_.texts.each(modules, [&](std::size_t i, std::string_view text) { holds[i] = text.find(wanted) != text.npos; });
    for (std::size_t i = 0; i < modules.size(); ++i) {
      if (holds[i]) out.push_back(modules[i]);
    }
    return out;
  }

  // The name of a line "NAME = torch.ops.SPACE".
  static std::string_view alias_before(std::string_view text, std::size_t at) {
    std::size_t line = text.rfind('\n', at);
    line = line == text.npos ? 0 : line + 1;
    std::string_view name = identifier_at(text, line);
    return text::trim(text.substr(line + name.size(), at - line - name.size())) == "="
               ? name
               : std::string_view();
  }

  void call(ModuleId id, std::string_view space, std::string_view op, std::uint32_t offset) {
    if (op.empty()) return;
    std::string key = std::string(space) + '.' + std::string(op);
    auto known = ops_.find(key);
    if (known == ops_.end()) known = ops_.emplace(key, in_.libraries.with_op(space, op)).first;
    if (known->second.empty()) return;
    for (std::size_t l : known->second) uses_[l].calls.push_back(at(id, offset));
    Evidence edge{fmt::format("calls torch.ops.{}", key), at(id, offset)};
    each_arm(id, offset, [&](ItemId item) { tie_all(item, known->second, {edge}); });
    reach(callers_.around(id, offset), known->second, {edge});
  }

  // Gates whose arms call a function that calls an operator.
  void reach(const Routine& routine, const std::vector<std::size_t>& libraries,
             const std::vector<Evidence>& path, int depth = 1) {
    if (routine.name.empty() || path.size() > kFarthest) return;
    if (!reached_.insert({routine, libraries}).second) return;
    for (const python::CallSite& site : callers_.of(routine)) {
      if (site.confidence != python::Confidence::exact) continue;
      std::vector<Evidence> longer{{fmt::format("{} calls {}",
                                                site.in.name.empty() ? "the module"
                                                                     : site.in.qualname.text(),
                                                routine.qualname.text()),
                                    at(site.in.module, site.range.begin)}};
      longer.insert(longer.end(), path.begin(), path.end());
      each_arm(site.in.module, site.range.begin,
               [&](ItemId item) { tie_all(item, libraries, longer); });
      if (depth < kFarthest) reach(site.in, libraries, longer, depth + 1);
    }
  }

  // The text that the outcome which serves leads into.
  void find_arms() {
    for (const auto& [module, items] : by_module_) {
      for (ItemId i : items) {
        const python::Choice& c = items_[i].choice;
        if (c.position == python::Choice::Position::condition && c.serves != 0)
          arms_[module].emplace_back((*c.tree)[c.serves].range, i);
      }
    }
  }
  template <class F>
  void each_arm(ModuleId module, std::uint32_t offset, F&& f) {
    auto found = arms_.find(module);
    if (found == arms_.end()) return;
    for (const auto& [range, item] : found->second) {
      if (range.contains(offset)) f(item);
    }
  }

  void tie(ItemId item, std::size_t library, Evidence edge) {
    if (items_[item].native.insert(library).second) items_[item].native_path.push_back(std::move(edge));
  }
  void tie_all(ItemId item, const std::vector<std::size_t>& libraries,
               const std::vector<Evidence>& path) {
    bool fresh = false;
    for (std::size_t l : libraries) fresh = items_[item].native.insert(l).second || fresh;
    if (!fresh) return;
    auto& into = items_[item].native_path;
    into.insert(into.end(), path.begin(), path.end());
  }

  const Inputs& in_;
  std::vector<Item>& items_;
  python::Callers& callers_;
  std::vector<NativeUse> uses_;
  std::map<ModuleId, std::vector<ItemId>> by_module_;
  std::map<ModuleId, std::vector<std::pair<source::Range, ItemId>>> arms_;
  std::map<std::string, std::vector<std::size_t>, std::less<>> ops_;
  std::set<std::pair<Routine, std::vector<std::size_t>>> reached_;
};

}  // namespace

std::vector<NativeUse> tie_to_libraries(const Inputs& inputs, std::vector<Item>& items,
                                        python::Callers& callers) {
  return Ties(inputs, items, callers).run();
}

void judge_by_libraries(const NativeLibraries& libraries, const Item& item, Standing& s) {
  if (item.native.empty() || s.admits != Admits::no) return;
  bool all = true;
  for (std::size_t l : item.native) {
    const NativeLibrary& library = libraries.all[l];
    bool without = library.without.has(s.device.index());
    all = all && without;
    s.evidence.push_back(
        {without ? fmt::format("it leads to {}, where no code object loads on {}: it holds {}; only another "
                               "build of it could help",
                               library.module, s.device.name(), library.holds)
                 : fmt::format("it leads to {}, which has code that loads on {}, though perhaps not for "
                               "every kernel",
                               library.module, s.device.name()),
         library.path});
  }
  s.evidence.insert(s.evidence.end(), item.native_path.begin(), item.native_path.end());
  if (!all) return;
  s.verdict = Verdict::capability;
  s.unknown_because.clear();
}

}  // namespace ungate::gate

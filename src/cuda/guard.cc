#include "cuda/guard.h"

#include <algorithm>
#include <ranges>
#include <unordered_map>

#include "cuda/lexeme.h"

namespace ungate::cuda {
namespace {

using source::Range;

template <class T>
void add_once(std::vector<T>& list, T item) {
  if (std::ranges::find(list, item) == list.end()) list.push_back(item);
}

// The part of a list, sorted by where its items begin, that begins in `in`.
template <class List, class Begin>
auto beginning_in(const List& list, Range in, Begin begin) {
  auto from = std::ranges::lower_bound(list, in.begin, {}, begin);
  auto to = std::ranges::lower_bound(from, list.end(), in.end, {}, begin);
  return std::ranges::subrange(from, to);
}
std::uint32_t begin_of_call(const Call& c) { return c.range.begin; }
std::uint32_t begin_of_assembly(const Assembly& a) { return a.range.begin; }

bool names(const std::vector<std::string>& list, Symbol s) {
  return std::ranges::find(list, s.text()) != list.end();
}

// The form of a comparison that begins with "griddepcontrol.wait" is the instruction without
// modifiers.
bool names_instruction(const std::vector<std::string>& list, Symbol mnemonic) {
  return std::ranges::any_of(list, [&](const std::string& name) {
    std::string_view m = mnemonic.text();
    return m.starts_with(name) && (m.size() == name.size() || m[name.size()] == '.');
  });
}

class Finder {
 public:
  Finder(FileText file, const FileResult& result, const Structure& structure,
         const Vocabulary& vocabulary, const std::vector<const Structure*>& all)
      : file_(file),
        d_(*file.directives),
        result_(result),
        s_(structure),
        vocabulary_(vocabulary),
        all_(all) {
    for (const Structure* each : all_) {
      for (const Launch& l : each->launches) {
        for (Symbol kernel : l.kernels) launches_[kernel].push_back(&l);
      }
    }
  }

  std::vector<Guard> run(const std::vector<bool>* chains) {
    std::vector<Guard> out;
    for (std::uint32_t a = 0; a < d_.arms.size(); ++a) {
      if (chains != nullptr && !(*chains)[d_.arms[a].chain]) continue;
      if (depends_on_device(d_.arms[a].chain)) out.push_back(guard(a));
    }
    return out;
  }

 private:
  bool depends_on_device(std::uint32_t chain) const {
    for (std::uint32_t a = d_.chains[chain].first; a != kNone; a = d_.arms[a].next) {
      const ArmResult& r = result_.arms[a];
      if (!r.reached.empty() && differs(r.condition, r.reached)) return true;
    }
    return false;
  }

  Guard guard(std::uint32_t a) const {
    Guard g;
    g.arm = a;
    g.form = form(a);
    place(d_.arms[a], g);
    contents(d_.arms[a].text, g);
    g.does = describe(a);
    std::uint32_t last = d_.chains[d_.arms[a].chain].last;
    if (d_.arms[last].kind == DirectiveKind::else_) g.otherwise = describe(last);
    launches(g);
    return g;
  }

  // Of an #else, and of an arm that does not differ itself: the form of the chain's first arm that
  // does.
  Form form(std::uint32_t a) const {
    std::uint32_t decides = a;
    if (result_.arms[a].leaves.empty()) {
      for (std::uint32_t b = d_.chains[d_.arms[a].chain].first; b != kNone; b = d_.arms[b].next) {
        if (result_.arms[b].leaves.empty()) continue;
        decides = b;
        break;
      }
    }
    Tokens tokens = tokenize(file_.text, d_.arms[decides].condition);
    return form_of(tokens, parse_condition(tokens), result_.arms[decides]);
  }

  Range chain_range(const Arm& arm) const {
    const Chain& c = d_.chains[arm.chain];
    auto end = static_cast<std::uint32_t>(file_.text.size());
    if (c.endif != kNone) end = d_.list[c.endif].range.end;
    return {d_.list[d_.arms[c.first].directive].range.begin, end};
  }

  // True if a lexeme of `in` stands outside of `except`.
  bool code_outside(Range in, Range except) const {
    auto counts = [&](Range part) {
      return part.begin < part.end &&
             std::ranges::any_of(lex_code(file_.text, d_, part),
                                 [](const Lexeme& l) { return l.kind != Lexeme::Kind::marker; });
    };
    return counts({in.begin, std::min(in.end, except.begin)}) ||
           counts({std::max(in.begin, except.end), in.end});
  }

  void place(const Arm& arm, Guard& g) const {
    std::uint32_t at = d_.list[arm.directive].range.begin;
    g.function = function_at(s_, at);
    if (g.function == kNone) {
      for (std::uint32_t f = 0; f < s_.functions.size(); ++f) {
        const Function& fn = s_.functions[f];
        if (arm.text.contains(Range{fn.declaration.begin, fn.body.end})) g.functions.push_back(f);
      }
      return;
    }
    Range body = s_.functions[g.function].body;
    if (!body.contains(at)) {
      g.coverage = Coverage::declaration;
      if (std::uint32_t f = body_in(arm.text); f != kNone) g.function = f;
      return;
    }
    bool whole =
        body.size() >= 2 && !code_outside({body.begin + 1, body.end - 1}, chain_range(arm));
    g.coverage = whole ? Coverage::whole_body : Coverage::part;
  }

  // A function whose declaration begins before the arm and whose body stands in it.
  std::uint32_t body_in(Range text) const {
    for (std::uint32_t f = 0; f < s_.functions.size(); ++f) {
      const Function& fn = s_.functions[f];
      if (fn.declaration.begin < text.begin && text.contains(fn.body)) return f;
    }
    return kNone;
  }

  void contents(Range text, Guard& g) const {
    for (const Call& c : beginning_in(s_.calls, text, begin_of_call)) {
      if (!text.contains(c.range)) continue;
      if (names(vocabulary_.waits, c.name)) g.waits.push_back(c.range);
      if (names(vocabulary_.triggers, c.name)) g.triggers.push_back(c.range);
      if (names(vocabulary_.intrinsics, c.name)) add_once(g.intrinsics, c.name);
    }
    for (const Assembly& a : beginning_in(s_.assembly, text, begin_of_assembly)) {
      if (!text.contains(a.range)) continue;
      for (Symbol m : a.mnemonics) {
        add_once(g.instructions, m);
        if (names_instruction(vocabulary_.waits, m)) g.waits.push_back(a.range);
        if (names_instruction(vocabulary_.triggers, m)) g.triggers.push_back(a.range);
      }
    }
    std::ranges::sort(g.waits);
    std::ranges::sort(g.triggers);
  }

  ArmText describe(std::uint32_t a) const {
    for (const Directive& d : d_.list) {
      if (d.kind == DirectiveKind::error && d.arm == a) return ArmText::error;
    }
    Range text = d_.arms[a].text;
    if (std::uint32_t f = body_in(text); f != kNone && s_.functions[f].body.size() >= 2) {
      text = {s_.functions[f].body.begin + 1, s_.functions[f].body.end - 1};
    }
    bool code = false, only_asserts = true;
    Lexemes inside = lex_code(file_.text, d_, text);
    for (std::size_t i = 0; i < inside.size(); ++i) {
      const Lexeme& l = inside[i];
      if (l.kind == Lexeme::Kind::marker) continue;
      if (l.is("__trap") || l.is("__builtin_trap")) return ArmText::trap;
      code |= !l.is(";");
      if (l.is("assert") || l.is("static_assert")) {
        i = after_brackets(inside, i + 1, inside.size()) - 1;
      } else {
        only_asserts &= l.is(";");
      }
    }
    for (const Assembly& asm_ : beginning_in(s_.assembly, text, begin_of_assembly)) {
      bool traps = std::ranges::any_of(
          asm_.mnemonics, [](Symbol m) { return m.text() == "trap" || m.text() == "brkpt"; });
      if (traps && text.contains(asm_.range)) return ArmText::trap;
    }
    return !code ? ArmText::nothing : only_asserts ? ArmText::assertion : ArmText::code;
  }

  void launches(Guard& g) const {
    std::vector<Symbol> kernels;
    auto add = [&](std::uint32_t f) {
      if (s_.functions[f].is_kernel) add_once(kernels, s_.functions[f].name);
    };
    if (g.function != kNone) add(g.function);
    for (std::uint32_t f : g.functions) add(f);
    g.programmatic.is = Setting::Is::unknown;
    std::vector<const Launch*> mine;
    for (Symbol kernel : kernels) {
      auto found = launches_.find(kernel);
      if (found == launches_.end()) continue;
      for (const Launch* l : found->second) add_once(mine, l);
    }
    for (const Launch* l : mine) {
      g.programmatic = g.launches == 0 ? l->programmatic : either(g.programmatic, l->programmatic);
      ++g.launches;
    }
  }

  FileText file_;
  const Directives& d_;
  const FileResult& result_;
  const Structure& s_;
  const Vocabulary& vocabulary_;
  const std::vector<const Structure*>& all_;
  std::unordered_map<Symbol, std::vector<const Launch*>> launches_;  // by kernel
};

}  // namespace

std::vector<Guard> find_guards(FileText file, const FileResult& result, const Structure& structure,
                               const Vocabulary& vocabulary,
                               const std::vector<const Structure*>& all,
                               const std::vector<bool>* chains) {
  return Finder(file, result, structure, vocabulary, all).run(chains);
}

}  // namespace ungate::cuda

#include <algorithm>

#include "cuda/launches.h"

namespace ungate::cuda {
namespace {

constexpr std::string_view kSetUpWords[] = {
    "<<<", "cudaLaunchAttributeProgrammaticStreamSerialization",
    "programmaticStreamSerializationAllowed", "cudaLaunchAttributeClusterDimension"};

// Expansion stops here; the rest of the text is read as it stands.
constexpr std::size_t kMostLexemes = 100'000;
constexpr int kDeepest = 12;

// a ## b
void paste(Lexemes& l) {
  for (std::size_t i = 1; i + 2 < l.size();) {
    if (!l[i].is("#") || !l[i + 1].is("#")) {
      ++i;
      continue;
    }
    std::string joined(l[i - 1].text);
    joined += l[i + 2].text;
    l[i - 1].text = Symbol(joined).text();  // lives as long as the program
    l.erase(l.begin() + static_cast<std::ptrdiff_t>(i),
            l.begin() + static_cast<std::ptrdiff_t>(i + 3));
  }
}

}  // namespace

MacroBodies::MacroBodies(std::string_view text, const Directives& directives,
                         const Vocabulary& vocabulary, const std::vector<LaunchMacro>& others) {
  auto part = [&](source::Range r) { return text.substr(r.begin, r.size()); };
  for (const Define& d : directives.defines) {
    if (d.body.empty()) continue;
    Macro m;
    m.name = Symbol(part(d.name));
    m.function_like = d.function_like;
    m.variadic = d.variadic;
    m.own = true;
    m.at = d.name.begin;
    for (source::Range p : d.parameters) m.parameters.push_back(part(p));
    m.text = part(d.body);
    m.body = lex_range(text, d.body);
    macros_.push_back(std::move(m));
  }
  index();
  for (const LaunchMacro& o : others) {
    if (find(o.name.text(), kNone) != nullptr) continue;
    Macro m;
    m.name = o.name;
    m.variadic = o.variadic;
    m.parameters.assign(o.parameters.begin(), o.parameters.end());
    m.text = o.body;
    m.body = lex_range(o.body, {0, static_cast<std::uint32_t>(o.body.size())});
    macros_.push_back(std::move(m));
  }
  index();
  keep_launching(vocabulary);
  index();
}

// Drops macros that have nothing to do with launches, directly or through another macro.
void MacroBodies::keep_launching(const Vocabulary& vocabulary) {
  auto launches = [&](const Lexeme& l) {
    return std::ranges::find(kSetUpWords, l.text) != std::end(kSetUpWords) ||
           std::ranges::find(vocabulary.launch_functions, l.text,
                             &Vocabulary::LaunchFunction::name) !=
               vocabulary.launch_functions.end();
  };
  std::vector<bool> keep(macros_.size());
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < macros_.size(); ++i) {
      if (keep[i]) continue;
      keep[i] = std::ranges::any_of(macros_[i].body, [&](const Lexeme& l) {
        if (launches(l)) return true;
        if (!l.is_identifier()) return false;
        const Macro* other = find(l.text, kNone);
        return other != nullptr && keep[static_cast<std::size_t>(other - macros_.data())];
      });
      changed |= keep[i];
    }
  }
  std::vector<Macro> kept;
  for (std::size_t i = 0; i < macros_.size(); ++i) {
    if (keep[i]) kept.push_back(std::move(macros_[i]));
  }
  macros_ = std::move(kept);
}

// The last definition before the use, else the first of that name.
const MacroBodies::Macro* MacroBodies::find(std::string_view name, std::uint32_t use) const {
  auto all = by_name_.find(name);
  if (all == by_name_.end()) return nullptr;
  const Macro* found = &macros_[all->second.front()];
  for (std::uint32_t i : all->second) {
    if (macros_[i].own && macros_[i].at < use) found = &macros_[i];
  }
  return found;
}

void MacroBodies::index() {
  by_name_.clear();
  for (std::uint32_t i = 0; i < macros_.size(); ++i) by_name_[macros_[i].name.text()].push_back(i);
}

std::vector<LaunchMacro> MacroBodies::own() const {
  std::vector<LaunchMacro> out;
  for (const Macro& m : macros_) {
    if (!m.own || !m.function_like) continue;
    out.push_back(
        {m.name, {m.parameters.begin(), m.parameters.end()}, m.variadic, std::string(m.text)});
  }
  return out;
}

Lexemes MacroBodies::expand(const Lexemes& in, std::size_t begin, std::size_t end) const {
  Lexemes out;
  Budget budget{kMostLexemes, kDeepest};
  expand(in, begin, end, budget, out);
  return out;
}

void MacroBodies::expand(const Lexemes& in, std::size_t begin, std::size_t end, Budget& budget,
                         Lexemes& out) const {
  for (std::size_t i = begin; i < end; ++i) {
    const Macro* m = in[i].is_identifier() ? find(in[i].text, in[i].begin) : nullptr;
    bool called = m != nullptr && (!m->function_like || (i + 1 < end && in[i + 1].is("(")));
    if (!called || budget.depth == 0 || budget.lexemes < m->body.size()) {
      out.push_back(in[i]);
      continue;
    }
    std::size_t last = i;
    if (m->function_like) last = after_brackets(in, i + 1, end) - 1;
    budget.lexemes -= m->body.size();
    Lexemes body = substitute(*m, in, i + 1, last);
    for (Lexeme& l : body) {
      l.begin = in[i].begin;
      l.end = in[last].end;
      l.index = in[i].from_macro ? in[i].index : static_cast<std::uint32_t>(m - macros_.data());
      l.from_macro = true;
    }
    --budget.depth;
    expand(body, 0, body.size(), budget, out);
    ++budget.depth;
    i = last;
  }
}

// The body with the arguments between the brackets at `open` and `close`.
Lexemes MacroBodies::substitute(const Macro& macro, const Lexemes& in, std::size_t open,
                                std::size_t close) const {
  if (!macro.function_like) return macro.body;
  // Commas of a macro call separate whatever stands around them, except in brackets.
  std::vector<std::pair<std::size_t, std::size_t>> args;
  std::size_t from = open + 1;
  for (std::size_t i = from; i < close;) {
    bool rest = macro.variadic && args.size() == macro.parameters.size();
    if (in[i].is(",") && !rest) {
      args.emplace_back(from, i);
      from = ++i;
    } else {
      i = in[i].is("(") || in[i].is("{") || in[i].is("[") ? after_brackets(in, i, close) : i + 1;
    }
  }
  args.emplace_back(from, std::max(from, close));
  Lexemes out;
  for (const Lexeme& l : macro.body) {
    auto p = std::ranges::find(macro.parameters, l.text);
    auto index = static_cast<std::size_t>(p - macro.parameters.begin());
    if (macro.variadic && l.is("__VA_ARGS__")) index = macro.parameters.size();
    bool parameter = l.is_identifier() && (p != macro.parameters.end() || l.is("__VA_ARGS__"));
    if (!parameter || index >= args.size()) {
      if (!parameter) out.push_back(l);
      continue;
    }
    out.insert(out.end(), in.begin() + static_cast<std::ptrdiff_t>(args[index].first),
               in.begin() + static_cast<std::ptrdiff_t>(args[index].second));
  }
  paste(out);
  return out;
}

std::vector<LaunchMacro> launch_macros(std::string_view text, const Directives& directives,
                                       const Vocabulary& vocabulary) {
  return MacroBodies(text, directives, vocabulary, {}).own();
}

}  // namespace ungate::cuda

#include "cuda/structure.h"

#include <algorithm>
#include <unordered_map>

#include "cuda/body.h"
#include "cuda/launches.h"
#include "cuda/scopes.h"

namespace ungate::cuda {
namespace {

// Words without which a function body neither launches nor sets up a launch.
bool may_launch(const Lexemes& body, const Vocabulary& vocabulary) {
  return std::ranges::any_of(body, [&](const Lexeme& l) {
    if (l.is("<<<") || l.is("cudaLaunchConfig_t") || l.text.starts_with("cudaLaunchAttribute"))
      return true;
    return l.is_identifier() && std::ranges::find(vocabulary.launch_functions, l.text,
                                                  &Vocabulary::LaunchFunction::name) !=
                                    vocabulary.launch_functions.end();
  });
}

// Kernels that come in as a parameter: looked up at the calls in the same file.
void follow_kernel_parameters(const std::vector<Lexemes>& bodies, Structure& s) {
  for (Launch& launch : s.launches) {
    if (launch.kernel_parameter == kNone) continue;
    std::string_view callee = s.functions[launch.function].name.text();
    for (const Lexemes& body : bodies) {
      for (std::size_t i = 0; i + 1 < body.size(); ++i) {
        if (!body[i].is(callee)) continue;
        std::size_t open = body[i + 1].is("<") ? after_angles(body, i + 1, body.size()) : i + 1;
        if (open >= body.size() || !body[open].is("(")) continue;
        auto args = split_arguments(body, open + 1, after_brackets(body, open, body.size()) - 1);
        if (launch.kernel_parameter >= args.size()) continue;
        auto [from, to] = args[launch.kernel_parameter];
        Symbol name(named_function(body, from, to));
        if (!name.empty() && std::ranges::find(launch.kernels, name) == launch.kernels.end())
          launch.kernels.push_back(name);
      }
    }
  }
}

struct Join {
  bool any = false;
  Setting programmatic, cluster;
  void add(const Setting& p, const Setting& c) {
    programmatic = any ? either(programmatic, p) : p;
    cluster = any ? either(cluster, c) : c;
    any = true;
  }
};

}  // namespace

Structure read_structure(std::string_view text, const Directives& directives,
                         const Vocabulary& vocabulary, const std::vector<LaunchMacro>& macros) {
  Structure out;
  Lexemes lexemes = lex_code(text, directives);
  ScopedFunctions found = find_functions(text, lexemes, directives, vocabulary);
  out.functions = std::move(found.functions);
  out.recovered = std::move(found.recovered);
  std::vector<std::uint32_t> owner(lexemes.size(), kNone);
  for (std::uint32_t f = 0; f < out.functions.size(); ++f) {
    auto [begin, end] = found.body_lexemes[f];
    for (std::size_t i = begin; i < end; ++i) {
      if (owner[i] == kNone) owner[i] = f;
    }
  }
  read_code(lexemes, owner, vocabulary, out);

  MacroBodies bodies(text, directives, vocabulary, macros);
  std::vector<Lexemes> expanded;
  for (std::uint32_t f = 0; f < out.functions.size(); ++f) {
    Lexemes plain;
    for (std::size_t i = found.body_lexemes[f].first; i < found.body_lexemes[f].second; ++i) {
      if (lexemes[i].kind != Lexeme::Kind::marker) plain.push_back(lexemes[i]);
    }
    expanded.push_back(bodies.expand(plain, 0, plain.size()));
    if (may_launch(expanded.back(), vocabulary))
      read_launches(expanded.back(), f, bodies, vocabulary, out);
  }
  follow_kernel_parameters(expanded, out);
  return out;
}

Structure read_piece(std::string_view text, source::Range piece, const Vocabulary& vocabulary) {
  Structure out;
  Lexemes lexemes = lex_range(text, piece);
  read_code(lexemes, std::vector<std::uint32_t>(lexemes.size(), kNone), vocabulary, out);
  return out;
}

// Functions are in the order of their text and do not nest.
std::uint32_t function_at(const Structure& structure, std::uint32_t offset) {
  const auto& functions = structure.functions;
  auto after = std::ranges::upper_bound(functions, offset, {}, [](const Function& f) { return f.declaration.begin; });
  if (after == functions.begin() || offset >= std::prev(after)->body.end) return kNone;
  return static_cast<std::uint32_t>(std::prev(after) - functions.begin());
}

void link_launches(std::vector<Structure*> files) {
  std::unordered_map<Symbol, std::vector<Join>> by_argument;  // callee -> per argument
  std::unordered_map<Symbol, Join> makers;
  for (const Structure* s : files) {
    for (const ConfigPassed& p : s->configs) {
      std::vector<Join>& joins = by_argument[p.callee];
      if (joins.size() <= p.argument) joins.resize(p.argument + 1);
      joins[p.argument].add(p.programmatic, p.cluster);
    }
    for (const ConfigMaker& m : s->makers)
      makers[s->functions[m.function].name].add(m.programmatic, m.cluster);
  }
  for (Structure* s : files) {
    for (Launch& launch : s->launches) {
      const Join* join = nullptr;
      if (launch.config_parameter != kNone) {
        auto found = by_argument.find(s->functions[launch.function].name);
        if (found != by_argument.end() && launch.config_parameter < found->second.size()) {
          join = &found->second[launch.config_parameter];
        }
      } else if (launch.programmatic.is == Setting::Is::unknown && !launch.config_helper.empty()) {
        if (auto found = makers.find(launch.config_helper); found != makers.end())
          join = &found->second;
      }
      if (join == nullptr || !join->any) continue;
      launch.programmatic = join->programmatic;
      launch.cluster = join->cluster;
    }
  }
}

}  // namespace ungate::cuda

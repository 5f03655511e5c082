#include "cuda/expand.h"

#include <algorithm>
#include <string>

namespace ungate::cuda {
namespace {

// More steps than this are no condition that anybody wrote.
constexpr int kMostSteps = 20'000;
constexpr int kDeepestCall = 64;

Token number(bool b, const Token& like) {
  Token t = like;
  t.kind = TokenKind::number;
  t.punct = Punct::none;
  t.text = Symbol(b ? "1" : "0");
  t.slot = kNone;
  return t;
}

Token unknown_token(Symbol name, const Token& like) {
  Token t = like;
  t.kind = TokenKind::unknown;
  t.text = name;
  t.slot = kNone;
  return t;
}

// A token still to be read, or (ends != kNone) the place where a macro's expansion ends.
struct Pending {
  Token token;
  std::uint32_t ends = kNone;
};

class Expander {
 public:
  Expander(Environment& environment, Choices& choices, const HeaderTest& has_include)
      : environment_(environment), choices_(choices), has_include_(has_include) {}

  bool run(std::span<const Token> tokens, Tokens& out) {
    std::vector<Pending> input;
    push(input, tokens);
    while (!input.empty()) {
      if (++steps_ > kMostSteps) return false;
      Token t;
      if (next(input, t) && !step(input, t, out)) return false;
    }
    return true;
  }

 private:
  static void push(std::vector<Pending>& input, std::span<const Token> tokens) {
    for (std::size_t i = tokens.size(); i > 0; --i) input.push_back({tokens[i - 1]});
  }

  // Reads a token; false if there was only the end of an expansion, or nothing.
  bool next(std::vector<Pending>& input, Token& t) {
    if (input.empty()) return false;
    Pending p = input.back();
    input.pop_back();
    if (p.ends != kNone) {
      std::erase(active_, p.ends);
      return false;
    }
    t = p.token;
    return true;
  }
  bool next_token(std::vector<Pending>& input, Token& t) {
    while (!input.empty()) {
      if (next(input, t)) return true;
    }
    return false;
  }
  static const Token* peek(const std::vector<Pending>& input) {
    for (std::size_t i = input.size(); i > 0; --i) {
      if (input[i - 1].ends == kNone) return &input[i - 1].token;
    }
    return nullptr;
  }

  bool step(std::vector<Pending>& input, Token& t, Tokens& out) {
    if (t.kind != TokenKind::identifier || t.painted) return emit(t, out);
    std::string_view name = t.text.text();
    if (name == "true" || name == "false") return emit(t, out);
    if (name == "defined") return defined(input, t, out);
    if (name == "__has_include" || name == "__has_include_next") return header(input, t, out);
    if (t.slot == kNone) t.slot = environment_.slot(t.text);  // made by ##
    if (is_active(t.slot)) {
      t.painted = true;
      return emit(t, out);
    }
    DefinitionId id = choices_.pick(t.slot);
    if (id == kUndefined) return emit(t, out);
    if (id == kSomehow) return emit(unknown_token(t.text, t), out);
    const Definition& d = environment_.definition(id);
    if (!d.function_like) return enter(input, t.slot, d.body);
    const Token* after = peek(input);
    if (after == nullptr || after->punct != Punct::open) return emit(t, out);
    return call(input, t.slot, id);
  }

  static bool emit(const Token& t, Tokens& out) {
    out.push_back(t);
    return true;
  }

  bool is_active(std::uint32_t slot) const {
    return slot != kNone && std::ranges::find(active_, slot) != active_.end();
  }

  bool enter(std::vector<Pending>& input, std::uint32_t slot, std::span<const Token> body) {
    input.push_back({{}, slot});
    push(input, body);
    active_.push_back(slot);
    return true;
  }

  bool defined(std::vector<Pending>& input, const Token& t, Tokens& out) {
    Token name;
    if (!next_token(input, name)) return false;
    bool parenthesised = name.punct == Punct::open;
    if (parenthesised && !next_token(input, name)) return false;
    if (name.kind != TokenKind::identifier && !is_word(name)) return false;
    Token close;
    if (parenthesised && (!next_token(input, close) || close.punct != Punct::close)) return false;
    std::uint32_t slot = name.slot != kNone ? name.slot : environment_.slot(name.text);
    return emit(number(choices_.pick(slot) != kUndefined, t), out);
  }
  // An alternative token such as `and`, which C allows as a macro name.
  static bool is_word(const Token& t) {
    char first = t.text.text().front();
    return t.kind == TokenKind::punctuator && first >= 'a' && first <= 'z';
  }

  bool header(std::vector<Pending>& input, const Token& t, Tokens& out) {
    Token open;
    if (!next_token(input, open)) return false;
    if (open.punct != Punct::open) {  // `#ifdef __has_include` has no parenthesis
      input.push_back({open});
      return emit(number(true, t), out);
    }
    std::string operand;
    for (int depth = 1;;) {
      Token part;
      if (!next_token(input, part)) return false;
      if (part.punct == Punct::open) ++depth;
      if (part.punct == Punct::close && --depth == 0) break;
      operand += part.text.text();
    }
    IncludeName header = include_name(operand);
    std::optional<bool> found;
    if (has_include_ && !header.name.empty()) found = has_include_(header.name, header.angled);
    if (found) return emit(number(*found, t), out);
    Symbol name("__has_include(" + operand + ")");
    return emit(unknown_token(name, t), out);
  }

  // Reads the arguments up to the matching ')'.
  bool arguments(std::vector<Pending>& input, std::vector<Tokens>& out) {
    Token t;
    next_token(input, t);  // the '('
    out.emplace_back();
    for (int depth = 1;;) {
      if (++steps_ > kMostSteps || !next_token(input, t)) return false;
      if (t.punct == Punct::open) ++depth;
      if (t.punct == Punct::close && --depth == 0) return true;
      if (t.punct == Punct::comma && depth == 1) {
        out.emplace_back();
      } else {
        t.painted |= is_active(t.slot);
        out.back().push_back(t);
      }
    }
  }

  bool call(std::vector<Pending>& input, std::uint32_t slot, DefinitionId id) {
    std::vector<Tokens> args;
    if (!arguments(input, args)) return false;
    const Definition& d = environment_.definition(id);
    std::size_t n = d.parameters.size();
    if (n == 0 && args.size() == 1 && args[0].empty()) args.clear();
    if (d.variadic) {
      Tokens rest;
      for (std::size_t i = n; i < args.size(); ++i) {
        if (i > n)
          rest.push_back(
              {TokenKind::punctuator, Punct::comma, false, false, Symbol(","), {}, kNone});
        rest.insert(rest.end(), args[i].begin(), args[i].end());
      }
      if (args.size() < n) return false;
      args.resize(n);
      args.push_back(std::move(rest));
    } else if (args.size() != n) {
      return false;
    }
    Tokens body;
    return substitute(id, args, body) && enter(input, slot, body);
  }

  std::size_t parameter(const Definition& d, const Token& t) const {
    if (t.kind != TokenKind::identifier) return d.parameters.size() + 1;
    if (d.variadic && t.text.text() == "__VA_ARGS__") return d.parameters.size();
    auto found = std::ranges::find(d.parameters, t.text);
    return found == d.parameters.end() ? d.parameters.size() + 1
                                       : static_cast<std::size_t>(found - d.parameters.begin());
  }

  bool substitute(DefinitionId id, const std::vector<Tokens>& args, Tokens& out) {
    // The body is copied: expanding an argument may add definitions, and move them.
    const Definition d = environment_.definition(id);
    const Tokens& body = d.body;
    bool paste = false;
    for (std::size_t i = 0; i < body.size(); ++i) {
      if (body[i].punct == Punct::paste && i > 0 && i + 1 < body.size()) {
        paste = true;
        continue;
      }
      std::size_t first = out.size();
      bool pasted_next = i + 1 < body.size() && body[i + 1].punct == Punct::paste;
      std::size_t p = parameter(d, body[i]);
      std::size_t q = body[i].punct == Punct::hash && i + 1 < body.size()
                          ? parameter(d, body[i + 1])
                          : args.size();
      if (q < args.size()) {
        Token text = body[i];
        text.kind = TokenKind::string;
        text.punct = Punct::none;
        text.text = Symbol('"' + spell(args[q]) + '"');
        out.push_back(text);
        ++i;
      } else if (p >= args.size()) {
        out.push_back(body[i]);
      } else if (paste || pasted_next) {
        out.insert(out.end(), args[p].begin(), args[p].end());
      } else if (!argument(args[p], out)) {
        return false;
      }
      if (paste && first > 0 && out.size() > first) join(out, first);
      paste = false;
    }
    return true;
  }

  bool argument(const Tokens& tokens, Tokens& out) {
    if (++depth_ > kDeepestCall) return false;
    bool ok = run(tokens, out);
    --depth_;
    return ok;
  }

  // a ## b: one token, if that is one.
  void join(Tokens& out, std::size_t at) {
    std::string text(out[at - 1].text.text());
    text += out[at].text.text();
    Tokens made = tokenize(text);
    if (made.size() != 1) return;
    made[0].range = out[at - 1].range;
    made[0].space = out[at - 1].space;
    out[at - 1] = made[0];
    out.erase(out.begin() + static_cast<std::ptrdiff_t>(at));
  }

  Environment& environment_;
  Choices& choices_;
  const HeaderTest& has_include_;
  std::vector<std::uint32_t> active_;
  int steps_ = 0;
  int depth_ = 0;
};

}  // namespace

bool expand(std::span<const Token> tokens, Environment& environment, Choices& choices,
            const HeaderTest& has_include, Tokens& out) {
  return Expander(environment, choices, has_include).run(tokens, out);
}

}  // namespace ungate::cuda

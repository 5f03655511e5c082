#include "cuda/blocks.h"

#include <map>

namespace ungate::cuda {

Blocks::Blocks(const Lexemes& body) {
  blocks_.push_back({kNone, {}, false});
  stack_.push_back(0);
  of_.resize(body.size());
  std::map<std::size_t, std::string> headers;  // where a guarded statement begins -> its condition
  std::map<std::uint32_t, std::string> last_if;  // block -> condition of the last if in it
  int parentheses = 0;
  std::vector<int> depth_at;  // open parentheses where a block began
  depth_at.push_back(0);
  for (std::size_t i = 0; i < body.size(); ++i) {
    const Lexeme& l = body[i];
    if (l.is("if")) {
      std::size_t open = i + 1;
      if (open < body.size() && body[open].is("constexpr")) ++open;
      if (open < body.size() && body[open].is("(")) {
        std::size_t after = after_brackets(body, open, body.size());
        headers[after] = last_if[stack_.back()] = spell(body, open + 1, after - 1);
      }
    } else if (l.is("else") && i + 1 < body.size() && !body[i + 1].is("if")) {
      headers[i + 1] = "!(" + last_if[stack_.back()] + ")";
    }
    auto header = headers.find(i);
    if (l.is("{") || header != headers.end()) {
      std::string condition = header == headers.end() ? std::string() : header->second;
      blocks_.push_back({stack_.back(), std::move(condition), !l.is("{")});
      stack_.push_back(static_cast<std::uint32_t>(blocks_.size() - 1));
      depth_at.push_back(parentheses);
    }
    of_[i] = stack_.back();
    if (l.is("(")) ++parentheses;
    if (l.is(")")) --parentheses;
    bool ends = l.is("}") || (l.is(";") && blocks_[stack_.back()].until_semicolon &&
                              parentheses <= depth_at.back());
    if (!ends) continue;
    if (stack_.size() > 1) {
      stack_.pop_back();
      depth_at.pop_back();
    }
    // `if (a) if (b) x;` and `if (a) { … }` inside an unbraced statement end together.
    while (stack_.size() > 1 && blocks_[stack_.back()].until_semicolon &&
           parentheses <= depth_at.back() && !(i + 1 < body.size() && body[i + 1].is("else"))) {
      stack_.pop_back();
      depth_at.pop_back();
    }
  }
}

bool Blocks::encloses(std::uint32_t outer, std::uint32_t inner) const {
  while (inner != kNone && inner != outer) inner = blocks_[inner].parent;
  return inner == outer;
}

std::string Blocks::condition(std::uint32_t inner, std::uint32_t from) const {
  std::string out;
  for (std::uint32_t b = inner; b != kNone && !encloses(b, from); b = blocks_[b].parent) {
    if (blocks_[b].condition.empty()) continue;
    out = out.empty() ? blocks_[b].condition : blocks_[b].condition + " && " + out;
  }
  return out;
}

}  // namespace ungate::cuda

// The syntax tree of a piece of a Python file: a top-level statement, a method, a class header.
//
// Plain data: nodes and child lists are arrays, nodes refer to each other by index, source ranges are
// offsets in the whole file. Index 0 means "none". What a kind's children are stands beside the kind.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/symbol.h"
#include "source/source_file.h"

namespace ungate::python {

enum class NodeKind : std::uint8_t {
  error,           // text the grammar does not know; children: what could be read
  // Expressions
  name,            // name; number: slot + 1 in the scope it stands in, 0 if it is not local there
  constant,        // op: Constant; name: text of a string; number: index in `integers`
  fstring,         // children: constants and `field`s in order
  field,           // {expression}; op: 1 if it has a conversion or a format
  attribute,       // [value]; name
  subscript,       // [value, index]; several indices make a tuple
  slice,           // [from, to, step], each may be none
  call,            // [function, arguments…]; an argument is an expression, star, double_star or keyword
  keyword,         // name=[value]
  star,            // *[value]
  double_star,     // **[value]
  compare,         // [left, right, right…]; operators(node)
  bool_and,        // [two or more]
  bool_or,         // [two or more]
  bool_not,        // [operand]
  binary,          // [left, right]; op: value::Binary
  unary,           // [operand]; op: value::Unary
  conditional,     // [test, body, orelse]
  lambda,          // [params, body]; number: scope
  tuple, list, set,  // [items…]
  dict,            // [key, value, …]; a double_star stands as key with value none
  comprehension,   // [element, second element of a dict or none, clauses…]; op: Comprehension
  clause_for,      // [target, iterable]
  clause_if,       // [condition]
  await,           // [value]
  yield,           // [value or none]; op: 1 for `yield from`
  walrus,          // [target, value]
  // Statements
  block,           // [statements…]
  expression,      // [value]
  assign,          // [targets…, value]
  augmented,       // [target, value]; op: value::Binary
  annotated,       // [target, annotation, value or none]
  if_,             // [test, body, orelse or none]; op: 1 if written as elif; orelse may be an if_
  while_,          // [test, body, orelse or none]
  for_,            // [target, iterable, body, orelse or none]
  try_,            // [body, orelse or none, finally or none, handlers…]
  handler,         // [type or none, body]; name: the variable, may be empty
  with,            // [body, items…]
  with_item,       // [context, target or none]
  return_,         // [value or none]
  raise,           // [exception or none]
  assert_,         // [test, message or none]
  function,        // [params, returns or none, body, decorators…]; name; op: 1 if async; number: scope
  params,          // [params…]
  param,           // [default or none, annotation or none]; name; op: ParamKind
  klass,           // [body, arguments block (bases and keywords), decorators…]; name; number: scope
  import,          // [aliases…]
  import_from,     // [aliases…]; name: module, with its leading dots; no aliases: `*`
  alias,           // name: imported name (dotted), number: index in `symbols` of the local name
  global,          // names as `name` children; op: 1 for nonlocal
  delete_,         // [targets…]
  pass, break_, continue_,
  match,           // [subject, cases…]
  case_,           // [pattern, guard or none, body]
  pattern_value,   // [expression]
  pattern_any,     // wildcard or capture; name may be empty
  pattern_or,      // [patterns…]
  pattern_sequence,  // [patterns…]
  pattern_other    // any other pattern: not decided
};

enum class Constant : std::uint8_t { none, true_, false_, ellipsis, integer, real, string, bytes };
enum class Comprehension : std::uint8_t { list, set, dict, generator };
enum class ParamKind : std::uint8_t { positional, keyword_only, star, double_star };

using NodeId = std::uint32_t;

struct Node {
  NodeKind kind = NodeKind::error;
  std::uint8_t op = 0;
  std::uint32_t number = 0;
  Symbol name;
  source::Range range;
  std::uint32_t first = 0, count = 0;  // children
};

// The variables of a function (or lambda, or of a whole piece).
struct Scope {
  std::vector<Symbol> slots;   // parameters first
  std::vector<Symbol> free;    // names used here or further in that are not local here
  bool generator = false;      // holds a yield
};

struct Tree {
  std::vector<Node> nodes{Node{}};     // nodes[0] is "none"
  std::vector<NodeId> links;           // child lists
  std::vector<std::int64_t> integers;
  std::vector<double> reals;
  std::vector<Symbol> symbols;         // local names of aliases
  std::vector<std::uint8_t> compare_ops;
  std::vector<Scope> scopes;           // scopes[0]: the piece
  NodeId root = 0;                     // a block
  bool has_errors = false;             // some text was not understood

  const Node& operator[](NodeId id) const { return nodes[id]; }
  std::span<const NodeId> children(NodeId id) const {
    return {links.data() + nodes[id].first, nodes[id].count};
  }
  NodeId child(NodeId id, std::size_t i) const {
    return i < nodes[id].count ? links[nodes[id].first + i] : 0;
  }
  // The operators of a comparison (value::Comparison), one less than its children.
  std::span<const std::uint8_t> operators(NodeId compare) const {
    return {compare_ops.data() + nodes[compare].number, nodes[compare].count - std::size_t{1}};
  }
};

// The decorators of a function or class.
inline std::span<const NodeId> decorators_of(const Tree& tree, NodeId definition) {
  std::size_t before = tree[definition].kind == NodeKind::function ? 3 : 2;
  return tree.children(definition).subspan(std::min<std::size_t>(before, tree[definition].count));
}

// An S-expression of the tree, for tests and dumps.
std::string to_text(const Tree& tree, NodeId id);

}  // namespace ungate::python

#include "python/parse.h"

#include <tree_sitter/api.h>

#include <charconv>
#include <memory>

#include "python/convert.h"
#include "python/scope.h"

extern "C" const TSLanguage* tree_sitter_python();

namespace ungate::python {
namespace {

struct ParserDeleter {
  void operator()(TSParser* p) const { ts_parser_delete(p); }
};
struct TreeDeleter {
  void operator()(TSTree* t) const { ts_tree_delete(t); }
};

TSParser* thread_parser() {
  thread_local std::unique_ptr<TSParser, ParserDeleter> parser = [] {
    std::unique_ptr<TSParser, ParserDeleter> p(ts_parser_new());
    ts_parser_set_language(p.get(), tree_sitter_python());
    return p;
  }();
  return parser.get();
}

}  // namespace

Tree parse(std::string_view text, source::Range range) {
  std::string_view piece = text.substr(range.begin, range.size());
  std::unique_ptr<TSTree, TreeDeleter> parsed(ts_parser_parse_string(
      thread_parser(), nullptr, piece.data(), static_cast<std::uint32_t>(piece.size())));
  Tree tree;
  if (!parsed) {
    tree.has_errors = true;
    return tree;
  }
  Converter converter(text, range.begin, tree);
  TSNode root = ts_tree_root_node(parsed.get());
  tree.has_errors = ts_node_has_error(root);
  tree.root = converter.block(root);
  resolve_scopes(tree);
  // Trees are kept as long as the program: what was set aside while they grew is a third of them.
  tree.nodes.shrink_to_fit();
  tree.links.shrink_to_fit();
  return tree;
}

namespace {

constexpr const char* kNames[] = {
    "error", "name", "constant", "fstring", "field", "attribute", "subscript", "slice", "call", "keyword",
    "star", "double_star", "compare", "and", "or", "not", "binary", "unary", "conditional", "lambda",
    "tuple", "list", "set", "dict", "comprehension", "for", "if", "await", "yield", "walrus",
    "block", "expression", "assign", "augmented", "annotated", "if", "while", "for", "try", "handler",
    "with", "with_item", "return", "raise", "assert", "function", "params", "param", "class", "import",
    "import_from", "alias", "global", "delete", "pass", "break", "continue", "match", "case",
    "pattern_value", "pattern_any", "pattern_or", "pattern_sequence", "pattern_other"};

std::string constant_text(const Tree& tree, const Node& node) {
  switch (static_cast<Constant>(node.op)) {
    case Constant::none: return "None";
    case Constant::true_: return "True";
    case Constant::false_: return "False";
    case Constant::ellipsis: return "...";
    case Constant::integer: return std::to_string(tree.integers[node.number]);
    case Constant::real: return std::to_string(tree.reals[node.number]);
    case Constant::string: return '"' + std::string(node.name.text()) + '"';
    case Constant::bytes: return "b\"" + std::string(node.name.text()) + '"';
  }
  return "";
}

}  // namespace

std::string to_text(const Tree& tree, NodeId id) {
  if (id == 0) return "-";
  const Node& node = tree[id];
  if (node.kind == NodeKind::constant) return constant_text(tree, node);
  if (node.kind == NodeKind::name) return std::string(node.name.text());
  std::string out = "(";
  out += kNames[static_cast<int>(node.kind)];
  if (node.kind == NodeKind::compare) {
    for (std::uint8_t op : tree.operators(id)) out += ':' + std::to_string(op);
  } else if (node.op != 0) {
    out += ':' + std::to_string(node.op);
  }
  if (!node.name.empty()) out += " '" + std::string(node.name.text()) + '\'';
  if (node.kind == NodeKind::alias) out += " as " + std::string(tree.symbols[node.number].text());
  for (NodeId child : tree.children(id)) out += ' ' + to_text(tree, child);
  return out + ')';
}

}  // namespace ungate::python

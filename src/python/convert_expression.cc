#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include "python/convert.h"
#include "value/operators.h"

extern "C" const TSLanguage* tree_sitter_python();

namespace ungate::python {
namespace {

constexpr std::string_view kTypeNames[] = {
    "", "ERROR", "identifier", "none", "true", "false", "ellipsis", "integer", "float", "string",
    "concatenated_string", "tuple", "list", "set", "dictionary", "list_comprehension",
    "set_comprehension", "dictionary_comprehension", "generator_expression", "parenthesized_expression",
    "attribute", "subscript", "slice", "call", "keyword_argument", "list_splat", "dictionary_splat",
    "binary_operator", "unary_operator", "not_operator", "boolean_operator", "comparison_operator",
    "conditional_expression", "lambda", "await", "yield", "named_expression", "pattern_list",
    "tuple_pattern", "list_pattern", "expression_list", "list_splat_pattern", "as_pattern", "assignment",
    "augmented_assignment", "type", "expression_statement", "if_statement", "for_statement",
    "while_statement", "try_statement", "with_statement", "function_definition", "class_definition",
    "decorated_definition", "return_statement", "raise_statement", "assert_statement",
    "import_statement", "import_from_statement", "future_import_statement", "global_statement",
    "nonlocal_statement", "delete_statement", "pass_statement", "break_statement",
    "continue_statement", "match_statement"};

struct BinaryName {
  std::string_view text;
  value::Binary op;
};
constexpr BinaryName kBinary[] = {
    {"+", value::Binary::add},      {"-", value::Binary::sub},    {"*", value::Binary::mul},
    {"/", value::Binary::div},      {"//", value::Binary::floordiv}, {"%", value::Binary::mod},
    {"**", value::Binary::pow},     {"<<", value::Binary::shl},   {">>", value::Binary::shr},
    {"|", value::Binary::bit_or},   {"&", value::Binary::bit_and}, {"^", value::Binary::bit_xor},
    {"@", value::Binary::matmul}};

}  // namespace

std::uint8_t binary_operator(std::string_view text) {
  if (text.ends_with('=')) text.remove_suffix(1);
  for (const BinaryName& b : kBinary) {
    if (b.text == text) return static_cast<std::uint8_t>(b.op);
  }
  return static_cast<std::uint8_t>(value::Binary::matmul);
}

TSFieldId field_id(std::string_view name) {
  return ts_language_field_id_for_name(tree_sitter_python(), name.data(),
                                       static_cast<std::uint32_t>(name.size()));
}

Ts kind_of(TSNode n) {
  static const std::vector<Ts> kinds = [] {
    const TSLanguage* language = tree_sitter_python();
    std::vector<Ts> table(ts_language_symbol_count(language), Ts::other);
    for (std::size_t i = 0; i < table.size(); ++i) {
      if (ts_language_symbol_type(language, static_cast<TSSymbol>(i)) != TSSymbolTypeRegular) continue;
      std::string_view name = ts_language_symbol_name(language, static_cast<TSSymbol>(i));
      auto found = std::ranges::find(kTypeNames, name);
      if (found != std::end(kTypeNames)) table[i] = static_cast<Ts>(found - std::begin(kTypeNames));
    }
    return table;
  }();
  TSSymbol symbol = ts_node_symbol(n);
  return symbol < kinds.size() ? kinds[symbol] : Ts::error;  // ERROR has a number of its own
}

NodeId Converter::add(NodeKind kind, TSNode at, std::span<const NodeId> children, std::uint8_t op,
                      Symbol name, std::uint32_t number) {
  Node node;
  node.kind = kind;
  node.op = op;
  node.name = name;
  node.number = number;
  node.range = range(at);
  node.first = static_cast<std::uint32_t>(tree_.links.size());
  node.count = static_cast<std::uint32_t>(children.size());
  tree_.links.insert(tree_.links.end(), children.begin(), children.end());
  tree_.nodes.push_back(node);
  return static_cast<NodeId>(tree_.nodes.size() - 1);
}

NodeId Converter::error(TSNode node) {
  tree_.has_errors = true;
  return add(NodeKind::error, node);
}

NodeId Converter::expressions(TSNode node, NodeKind kind) {
  std::vector<NodeId> items;
  each_named(node, [&](TSNode child) { items.push_back(expression(child)); });
  return add(kind, node, items);
}

NodeId Converter::expression(TSNode node) {
  if (is_null(node)) return 0;
  auto constant = [&](Constant c) { return add(NodeKind::constant, node, {}, static_cast<std::uint8_t>(c)); };
  auto first = [&] { return expression(named_at(node, 0)); };
  auto wrap = [&](NodeKind kind, TSFieldId field) {
    NodeId inner = expression(child_at(node, field));
    return add(kind, node, {&inner, 1});
  };
  switch (kind_of(node)) {
    case Ts::identifier: return add(NodeKind::name, node, {}, 0, symbol(node));
    case Ts::none: return constant(Constant::none);
    case Ts::true_: return constant(Constant::true_);
    case Ts::false_: return constant(Constant::false_);
    case Ts::ellipsis: return constant(Constant::ellipsis);
    case Ts::integer: return integer(node);
    case Ts::float_: {
      std::string digits(text(node));
      std::erase(digits, '_');
      tree_.reals.push_back(std::strtod(digits.c_str(), nullptr));
      return add(NodeKind::constant, node, {}, static_cast<std::uint8_t>(Constant::real), {},
                 static_cast<std::uint32_t>(tree_.reals.size() - 1));
    }
    case Ts::string:
    case Ts::concatenated_string: return string(node);
    case Ts::tuple:
    case Ts::pattern_list:
    case Ts::tuple_pattern:
    case Ts::expression_list: return expressions(node, NodeKind::tuple);
    case Ts::list:
    case Ts::list_pattern: return expressions(node, NodeKind::list);
    case Ts::set: return expressions(node, NodeKind::set);
    case Ts::dictionary: return dict(node);
    case Ts::list_comprehension: return comprehension(node, Comprehension::list);
    case Ts::set_comprehension: return comprehension(node, Comprehension::set);
    case Ts::dictionary_comprehension: return comprehension(node, Comprehension::dict);
    case Ts::generator_expression: return comprehension(node, Comprehension::generator);
    case Ts::parenthesized_expression: return first();
    case Ts::attribute: {
      NodeId value = expression(child_at(node, UNGATE_TS_FIELD("object")));
      return add(NodeKind::attribute, node, {&value, 1}, 0, symbol(child_at(node, UNGATE_TS_FIELD("attribute"))));
    }
    case Ts::subscript: return subscript(node);
    case Ts::slice: return slice(node);
    case Ts::call: return call(node);
    case Ts::keyword_argument: {
      NodeId value = expression(child_at(node, UNGATE_TS_FIELD("value")));
      return add(NodeKind::keyword, node, {&value, 1}, 0, symbol(child_at(node, UNGATE_TS_FIELD("name"))));
    }
    case Ts::list_splat:
    case Ts::list_splat_pattern: {
      NodeId inner = first();
      return add(NodeKind::star, node, {&inner, 1});
    }
    case Ts::dictionary_splat: {
      NodeId inner = first();
      return add(NodeKind::double_star, node, {&inner, 1});
    }
    case Ts::binary_operator: {
      NodeId sides[] = {expression(child_at(node, UNGATE_TS_FIELD("left"))), expression(child_at(node, UNGATE_TS_FIELD("right")))};
      return add(NodeKind::binary, node, sides, binary_operator(type_of(child_at(node, UNGATE_TS_FIELD("operator")))));
    }
    case Ts::unary_operator: {
      NodeId inner = expression(child_at(node, UNGATE_TS_FIELD("argument")));
      char op = type_of(child_at(node, UNGATE_TS_FIELD("operator"))).front();
      auto unary = op == '-' ? value::Unary::minus : op == '+' ? value::Unary::plus : value::Unary::invert;
      return add(NodeKind::unary, node, {&inner, 1}, static_cast<std::uint8_t>(unary));
    }
    case Ts::not_operator: return wrap(NodeKind::bool_not, UNGATE_TS_FIELD("argument"));
    case Ts::boolean_operator: return boolean(node);
    case Ts::comparison_operator: return compare(node);
    case Ts::conditional_expression: {
      NodeId body = expression(named_at(node, 0)), test = expression(named_at(node, 1));
      NodeId parts[] = {test, body, expression(named_at(node, 2))};
      return add(NodeKind::conditional, node, parts);
    }
    case Ts::lambda: return lambda(node);
    case Ts::await: {
      NodeId inner = first();
      return add(NodeKind::await, node, {&inner, 1});
    }
    case Ts::yield: {
      NodeId inner = first();
      bool from = ts_node_child_count(node) > 1 && type_of(ts_node_child(node, 1)) == "from";
      return add(NodeKind::yield, node, {&inner, 1}, from ? 1 : 0);
    }
    case Ts::named_expression: {
      NodeId parts[] = {expression(child_at(node, UNGATE_TS_FIELD("name"))), expression(child_at(node, UNGATE_TS_FIELD("value")))};
      return add(NodeKind::walrus, node, parts);
    }
    case Ts::as_pattern: return first();
    case Ts::type: return first();
    default: break;
  }
  // Annotations have a grammar of their own: `Optional[int]`, `int | None`. Their names are what matters.
  std::string_view type = type_of(node);
  if (type.ends_with("_type") || type == "type_parameter") return expressions(node, NodeKind::tuple);
  // Soft keywords (`print`, `match`, `type`) are identifiers where they stand as expressions.
  if (type == "keyword_identifier") return add(NodeKind::name, node, {}, 0, symbol(node));
  return error(node);
}

NodeId Converter::integer(TSNode node) {
  std::string digits(text(node));
  std::erase(digits, '_');
  int base = 10;
  std::string_view rest = digits;
  if (rest.size() > 2 && rest[0] == '0') {
    char mark = static_cast<char>(rest[1] | 0x20);
    base = mark == 'x' ? 16 : mark == 'b' ? 2 : mark == 'o' ? 8 : 10;
    if (base != 10) rest.remove_prefix(2);
  }
  std::int64_t value = 0;
  auto [end, status] = std::from_chars(rest.data(), rest.data() + rest.size(), value, base);
  if (status != std::errc() || end != rest.data() + rest.size()) {
    // Larger than 64 bits, or an imaginary number: no integer that a gate compares with.
    return add(NodeKind::constant, node, {}, static_cast<std::uint8_t>(Constant::ellipsis));
  }
  tree_.integers.push_back(value);
  return add(NodeKind::constant, node, {}, static_cast<std::uint8_t>(Constant::integer), {},
             static_cast<std::uint32_t>(tree_.integers.size() - 1));
}

NodeId Converter::call(TSNode node) {
  std::vector<NodeId> parts{expression(child_at(node, UNGATE_TS_FIELD("function")))};
  TSNode arguments = child_at(node, UNGATE_TS_FIELD("arguments"));
  if (kind_of(arguments) == Ts::generator_expression) {
    parts.push_back(expression(arguments));
  } else {
    each_named(arguments, [&](TSNode child) { parts.push_back(expression(child)); });
  }
  return add(NodeKind::call, node, parts);
}

NodeId Converter::compare(TSNode node) {
  std::vector<NodeId> operands;
  std::vector<std::uint8_t> operators;
  // Operands are the named children; between them stand one or two tokens ("not in", "is not").
  for (std::uint32_t i = 0, n = ts_node_child_count(node); i < n; ++i) {
    TSNode child = ts_node_child(node, i);
    if (ts_node_is_extra(child)) continue;
    if (ts_node_is_named(child)) {
      operands.push_back(expression(child));
      continue;
    }
    std::string_view token = type_of(child);
    auto set = [&](value::Comparison op) { operators.push_back(static_cast<std::uint8_t>(op)); };
    if (token == "==") set(value::Comparison::eq);
    else if (token == "!=" || token == "<>") set(value::Comparison::ne);
    else if (token == "<") set(value::Comparison::lt);
    else if (token == "<=") set(value::Comparison::le);
    else if (token == ">") set(value::Comparison::gt);
    else if (token == ">=") set(value::Comparison::ge);
    else if (token == "in") set(value::Comparison::in);
    else if (token == "not in") set(value::Comparison::not_in);
    else if (token == "is") set(value::Comparison::is);
    else if (token == "is not") set(value::Comparison::is_not);
    else if (token == "not" && !operators.empty() && operators.size() == operands.size() &&
             operators.back() == static_cast<std::uint8_t>(value::Comparison::is)) {
      operators.back() = static_cast<std::uint8_t>(value::Comparison::is_not);
    }
  }
  if (operands.size() < 2 || operators.size() + 1 != operands.size()) return error(node);
  auto at = static_cast<std::uint32_t>(tree_.compare_ops.size());
  tree_.compare_ops.insert(tree_.compare_ops.end(), operators.begin(), operators.end());
  return add(NodeKind::compare, node, operands, 0, {}, at);
}

void Converter::flatten(TSNode node, std::string_view op, std::vector<NodeId>& out) {
  // `a or b or c` nests to the left; parentheses keep an inner operator of its own.
  if (kind_of(node) == Ts::boolean_operator && type_of(child_at(node, UNGATE_TS_FIELD("operator"))) == op) {
    flatten(child_at(node, UNGATE_TS_FIELD("left")), op, out);
    out.push_back(expression(child_at(node, UNGATE_TS_FIELD("right"))));
  } else {
    out.push_back(expression(node));
  }
}

NodeId Converter::boolean(TSNode node) {
  std::string_view op = type_of(child_at(node, UNGATE_TS_FIELD("operator")));
  std::vector<NodeId> operands;
  flatten(node, op, operands);
  return add(op == "and" ? NodeKind::bool_and : NodeKind::bool_or, node, operands);
}

NodeId Converter::subscript(TSNode node) {
  std::vector<NodeId> indices;
  TSNode value = child_at(node, UNGATE_TS_FIELD("value"));
  bool comma = false;
  for (std::uint32_t i = 0, n = ts_node_child_count(node); i < n; ++i) {
    TSNode child = ts_node_child(node, i);
    if (type_of(child) == ",") comma = true;
    if (!ts_node_is_named(child) || ts_node_is_extra(child) || ts_node_eq(child, value)) continue;
    indices.push_back(expression(child));
  }
  NodeId index = indices.size() == 1 && !comma ? indices[0] : add(NodeKind::tuple, node, indices);
  NodeId parts[] = {expression(value), index};
  return add(NodeKind::subscript, node, parts);
}

NodeId Converter::slice(TSNode node) {
  std::array<NodeId, 3> bounds{};
  std::size_t at = 0;
  for (std::uint32_t i = 0, n = ts_node_child_count(node); i < n; ++i) {
    TSNode child = ts_node_child(node, i);
    if (type_of(child) == ":") ++at;
    else if (ts_node_is_named(child) && !ts_node_is_extra(child) && at < 3) bounds[at] = expression(child);
  }
  return add(NodeKind::slice, node, bounds);
}

NodeId Converter::dict(TSNode node) {
  std::vector<NodeId> parts;
  each_named(node, [&](TSNode child) {
    if (type_of(child) == "pair") {
      parts.push_back(expression(child_at(child, UNGATE_TS_FIELD("key"))));
      parts.push_back(expression(child_at(child, UNGATE_TS_FIELD("value"))));
    } else {
      parts.push_back(expression(child));
      parts.push_back(0);
    }
  });
  return add(NodeKind::dict, node, parts);
}

NodeId Converter::comprehension(TSNode node, Comprehension kind) {
  TSNode body = child_at(node, UNGATE_TS_FIELD("body"));
  std::vector<NodeId> parts;
  if (kind == Comprehension::dict) {
    parts = {expression(child_at(body, UNGATE_TS_FIELD("key"))), expression(child_at(body, UNGATE_TS_FIELD("value")))};
  } else {
    parts = {expression(body), 0};
  }
  each_named(node, [&](TSNode child) {
    std::string_view type = type_of(child);
    if (type == "for_in_clause") {
      NodeId clause[] = {expression(child_at(child, UNGATE_TS_FIELD("left"))), expression(child_at(child, UNGATE_TS_FIELD("right")))};
      parts.push_back(add(NodeKind::clause_for, child, clause));
    } else if (type == "if_clause") {
      NodeId condition = expression(named_at(child, 0));
      parts.push_back(add(NodeKind::clause_if, child, {&condition, 1}));
    }
  });
  return add(NodeKind::comprehension, node, parts, static_cast<std::uint8_t>(kind));
}

NodeId Converter::lambda(TSNode node) {
  TSNode parameters = child_at(node, UNGATE_TS_FIELD("parameters"));
  NodeId parts[] = {is_null(parameters) ? add(NodeKind::params, node) : params(parameters),
                    expression(child_at(node, UNGATE_TS_FIELD("body")))};
  return add(NodeKind::lambda, node, parts);
}

}  // namespace ungate::python

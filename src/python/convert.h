// From tree-sitter's concrete tree to ours (internal to python/).
#pragma once

#include <tree_sitter/api.h>

#include <string_view>
#include <vector>

#include "python/ast.h"

namespace ungate::python {

class Converter {
 public:
  // Offsets of the parsed piece are shifted by `base`.
  Converter(std::string_view text, std::uint32_t base, Tree& tree) : text_(text), base_(base), tree_(tree) {}

  // The statements below a module or block node.
  NodeId block(TSNode node);

 private:
  // convert_statement.cc
  void statement(TSNode node, std::vector<NodeId>& out);
  NodeId expression_statement(TSNode node);
  NodeId assignment(TSNode node);
  NodeId if_statement(TSNode node);
  NodeId loop(TSNode node, bool is_for);
  NodeId try_statement(TSNode node);
  NodeId with_statement(TSNode node);
  NodeId function(TSNode node, std::vector<NodeId> decorators);
  NodeId klass(TSNode node, std::vector<NodeId> decorators);
  NodeId decorated(TSNode node);
  NodeId params(TSNode node);
  NodeId param(TSNode node, bool after_star);
  NodeId import(TSNode node);
  NodeId import_from(TSNode node);
  NodeId alias(TSNode node, bool whole_module);
  NodeId match(TSNode node);
  NodeId pattern(TSNode node);
  NodeId names(TSNode node, NodeKind kind, std::uint8_t op);

  // convert_expression.cc
  NodeId expression(TSNode node);
  NodeId expressions(TSNode node, NodeKind kind);          // every named child
  NodeId string(TSNode node);
  NodeId call(TSNode node);
  NodeId compare(TSNode node);
  NodeId boolean(TSNode node);
  void flatten(TSNode node, std::string_view op, std::vector<NodeId>& out);
  NodeId subscript(TSNode node);
  NodeId slice(TSNode node);
  NodeId dict(TSNode node);
  NodeId comprehension(TSNode node, Comprehension kind);
  NodeId integer(TSNode node);
  NodeId lambda(TSNode node);

  NodeId add(NodeKind kind, TSNode at, std::span<const NodeId> children = {}, std::uint8_t op = 0,
             Symbol name = {}, std::uint32_t number = 0);
  NodeId error(TSNode node);  // what is not understood
  source::Range range(TSNode node) const {
    return {base_ + ts_node_start_byte(node), base_ + ts_node_end_byte(node)};
  }
  std::string_view text(TSNode node) const {
    source::Range r = range(node);
    return text_.substr(r.begin, r.size());
  }
  Symbol symbol(TSNode node) const { return Symbol(text(node)); }

  std::string_view text_;
  std::uint32_t base_;
  Tree& tree_;
};

// Small helpers over the C interface.
inline bool is_null(TSNode n) { return ts_node_is_null(n); }
inline std::string_view type_of(TSNode n) { return ts_node_type(n); }

// Fields by a name that is looked up once.
#define UNGATE_TS_FIELD(field) \
  ([] {                        \
    static const TSFieldId id = field_id(field); \
    return id;                 \
  }())
TSFieldId field_id(std::string_view name);
inline TSNode child_at(TSNode n, TSFieldId field) { return ts_node_child_by_field_id(n, field); }

// The i-th named child that is not a comment; null if there is none.
inline TSNode named_at(TSNode n, std::uint32_t i) {
  for (std::uint32_t at = 0, count = ts_node_named_child_count(n); at < count; ++at) {
    TSNode child = ts_node_named_child(n, at);
    if (!ts_node_is_extra(child) && i-- == 0) return child;
  }
  return TSNode{};
}

// f(child) for each named child that is not a comment.
template <class F>
void each_named(TSNode n, F&& f) {
  TSTreeCursor cursor = ts_tree_cursor_new(n);
  if (ts_tree_cursor_goto_first_child(&cursor)) {
    do {
      TSNode child = ts_tree_cursor_current_node(&cursor);
      if (ts_node_is_named(child) && !ts_node_is_extra(child)) f(child);
    } while (ts_tree_cursor_goto_next_sibling(&cursor));
  }
  ts_tree_cursor_delete(&cursor);
}

// The kinds of nodes that the conversion tells apart, by the grammar's names.
enum class Ts : std::uint8_t {
  other, error, identifier, none, true_, false_, ellipsis, integer, float_, string, concatenated_string,
  tuple, list, set, dictionary, list_comprehension, set_comprehension, dictionary_comprehension,
  generator_expression, parenthesized_expression, attribute, subscript, slice, call, keyword_argument,
  list_splat, dictionary_splat, binary_operator, unary_operator, not_operator, boolean_operator,
  comparison_operator, conditional_expression, lambda, await, yield, named_expression, pattern_list,
  tuple_pattern, list_pattern, expression_list, list_splat_pattern, as_pattern, assignment,
  augmented_assignment, type, expression_statement, if_statement, for_statement, while_statement,
  try_statement, with_statement, function_definition, class_definition, decorated_definition,
  return_statement, raise_statement, assert_statement, import_statement, import_from_statement,
  future_import_statement, global_statement, nonlocal_statement, delete_statement, pass_statement,
  break_statement, continue_statement, match_statement
};
Ts kind_of(TSNode n);

}  // namespace ungate::python

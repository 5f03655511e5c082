#include "python/convert.h"
#include "value/operators.h"

namespace ungate::python {

std::uint8_t binary_operator(std::string_view text);  // convert_expression.cc

NodeId Converter::block(TSNode node) {
  if (is_null(node)) return 0;
  std::vector<NodeId> statements;
  each_named(node, [&](TSNode child) { statement(child, statements); });
  return add(NodeKind::block, node, statements);
}

void Converter::statement(TSNode node, std::vector<NodeId>& out) {
  auto one = [&](NodeKind kind, TSNode child) {
    NodeId inner = is_null(child) ? 0 : expression(child);
    out.push_back(add(kind, node, {&inner, 1}));
  };
  auto first = [&] { return named_at(node, 0); };
  switch (kind_of(node)) {
    case Ts::expression_statement: out.push_back(expression_statement(node)); break;
    case Ts::if_statement: out.push_back(if_statement(node)); break;
    case Ts::for_statement: out.push_back(loop(node, true)); break;
    case Ts::while_statement: out.push_back(loop(node, false)); break;
    case Ts::try_statement: out.push_back(try_statement(node)); break;
    case Ts::with_statement: out.push_back(with_statement(node)); break;
    case Ts::function_definition: out.push_back(function(node, {})); break;
    case Ts::class_definition: out.push_back(klass(node, {})); break;
    case Ts::decorated_definition: out.push_back(decorated(node)); break;
    case Ts::return_statement: one(NodeKind::return_, first()); break;
    case Ts::raise_statement: one(NodeKind::raise, first()); break;
    case Ts::delete_statement: one(NodeKind::delete_, first()); break;
    case Ts::assert_statement: {
      TSNode message = named_at(node, 1);
      NodeId parts[] = {expression(first()), is_null(message) ? 0 : expression(message)};
      out.push_back(add(NodeKind::assert_, node, parts));
      break;
    }
    case Ts::import_statement: out.push_back(import(node)); break;
    case Ts::import_from_statement: out.push_back(import_from(node)); break;
    case Ts::future_import_statement: break;  // changes nothing that is evaluated
    case Ts::global_statement: out.push_back(names(node, NodeKind::global, 0)); break;
    case Ts::nonlocal_statement: out.push_back(names(node, NodeKind::global, 1)); break;
    case Ts::pass_statement: out.push_back(add(NodeKind::pass, node)); break;
    case Ts::break_statement: out.push_back(add(NodeKind::break_, node)); break;
    case Ts::continue_statement: out.push_back(add(NodeKind::continue_, node)); break;
    case Ts::match_statement: out.push_back(match(node)); break;
    default: out.push_back(error(node)); break;
  }
}

NodeId Converter::expression_statement(TSNode node) {
  TSNode inner = named_at(node, 0);
  if (is_null(inner)) return add(NodeKind::pass, node);
  if (kind_of(inner) == Ts::assignment) return assignment(inner);
  if (kind_of(inner) == Ts::augmented_assignment) {
    NodeId parts[] = {expression(child_at(inner, UNGATE_TS_FIELD("left"))), expression(child_at(inner, UNGATE_TS_FIELD("right")))};
    return add(NodeKind::augmented, node, parts, binary_operator(type_of(child_at(inner, UNGATE_TS_FIELD("operator")))));
  }
  // `a, b` alone is a tuple of several children.
  NodeId value = !is_null(named_at(node, 1)) ? expressions(node, NodeKind::tuple) : expression(inner);
  return add(NodeKind::expression, node, {&value, 1});
}

NodeId Converter::assignment(TSNode node) {
  TSNode annotation = child_at(node, UNGATE_TS_FIELD("type"));
  if (!is_null(annotation)) {
    NodeId parts[] = {expression(child_at(node, UNGATE_TS_FIELD("left"))), expression(annotation),
                      expression(child_at(node, UNGATE_TS_FIELD("right")))};
    return add(NodeKind::annotated, node, parts);
  }
  std::vector<NodeId> parts;
  TSNode at = node;
  // `a = b = value` nests to the right.
  while (kind_of(at) == Ts::assignment) {
    parts.push_back(expression(child_at(at, UNGATE_TS_FIELD("left"))));
    at = child_at(at, UNGATE_TS_FIELD("right"));
  }
  parts.push_back(kind_of(at) == Ts::augmented_assignment ? error(at) : expression(at));
  return add(NodeKind::assign, node, parts);
}

NodeId Converter::if_statement(TSNode node) {
  struct Arm {
    TSNode at;
    NodeId test, body;
  };
  std::vector<Arm> arms{{node, expression(child_at(node, UNGATE_TS_FIELD("condition"))),
                         block(child_at(node, UNGATE_TS_FIELD("consequence")))}};
  NodeId orelse = 0;
  each_named(node, [&](TSNode child) {
    std::string_view type = type_of(child);
    if (type == "elif_clause") {
      arms.push_back({child, expression(child_at(child, UNGATE_TS_FIELD("condition"))),
                      block(child_at(child, UNGATE_TS_FIELD("consequence")))});
    } else if (type == "else_clause") {
      orelse = block(child_at(child, UNGATE_TS_FIELD("body")));
    }
  });
  for (std::size_t i = arms.size(); i-- > 0;) {
    NodeId parts[] = {arms[i].test, arms[i].body, orelse};
    orelse = add(NodeKind::if_, arms[i].at, parts, i > 0 ? 1 : 0);
    if (i > 0) tree_.nodes[orelse].range.end = range(node).end;
  }
  return orelse;
}

NodeId Converter::loop(TSNode node, bool is_for) {
  NodeId body = block(child_at(node, UNGATE_TS_FIELD("body")));
  TSNode otherwise = child_at(node, UNGATE_TS_FIELD("alternative"));
  NodeId orelse = is_null(otherwise) ? 0 : block(child_at(otherwise, UNGATE_TS_FIELD("body")));
  if (!is_for) {
    NodeId parts[] = {expression(child_at(node, UNGATE_TS_FIELD("condition"))), body, orelse};
    return add(NodeKind::while_, node, parts);
  }
  NodeId parts[] = {expression(child_at(node, UNGATE_TS_FIELD("left"))),
                    expression(child_at(node, UNGATE_TS_FIELD("right"))), body, orelse};
  return add(NodeKind::for_, node, parts);
}

NodeId Converter::try_statement(TSNode node) {
  std::vector<NodeId> parts{block(child_at(node, UNGATE_TS_FIELD("body"))), 0, 0};
  each_named(node, [&](TSNode child) {
    std::string_view type = type_of(child);
    if (type == "else_clause") {
      parts[1] = block(child_at(child, UNGATE_TS_FIELD("body")));
    } else if (type == "finally_clause") {
      parts[2] = block(named_at(child, 0));
    } else if (type == "except_clause" || type == "except_group_clause") {
      NodeId handler[] = {0, 0};
      Symbol variable;
      each_named(child, [&](TSNode part) {
        if (type_of(part) == "block") {
          handler[1] = block(part);
        } else if (kind_of(part) == Ts::as_pattern) {
          handler[0] = expression(named_at(part, 0));
          TSNode alias = child_at(part, UNGATE_TS_FIELD("alias"));
          if (!is_null(alias)) variable = symbol(alias);
        } else {
          handler[0] = expression(part);
        }
      });
      parts.push_back(add(NodeKind::handler, child, handler, 0, variable));
    }
  });
  return add(NodeKind::try_, node, parts);
}

NodeId Converter::with_statement(TSNode node) {
  std::vector<NodeId> parts{block(child_at(node, UNGATE_TS_FIELD("body")))};
  each_named(named_at(node, 0), [&](TSNode item) {
    TSNode value = child_at(item, UNGATE_TS_FIELD("value"));
    if (is_null(value)) return;
    NodeId pair[] = {expression(value), 0};
    if (kind_of(value) == Ts::as_pattern) {
      TSNode alias = child_at(value, UNGATE_TS_FIELD("alias"));
      if (!is_null(alias)) pair[1] = expression(named_at(alias, 0));
    }
    parts.push_back(add(NodeKind::with_item, item, pair));
  });
  return add(NodeKind::with, node, parts);
}

NodeId Converter::function(TSNode node, std::vector<NodeId> decorators) {
  std::vector<NodeId> parts{params(child_at(node, UNGATE_TS_FIELD("parameters"))),
                            expression(child_at(node, UNGATE_TS_FIELD("return_type"))),
                            block(child_at(node, UNGATE_TS_FIELD("body")))};
  parts.insert(parts.end(), decorators.begin(), decorators.end());
  bool async = type_of(ts_node_child(node, 0)) == "async";
  return add(NodeKind::function, node, parts, async ? 1 : 0, symbol(child_at(node, UNGATE_TS_FIELD("name"))));
}

NodeId Converter::klass(TSNode node, std::vector<NodeId> decorators) {
  TSNode bases = child_at(node, UNGATE_TS_FIELD("superclasses"));
  std::vector<NodeId> arguments;
  if (!is_null(bases)) each_named(bases, [&](TSNode base) { arguments.push_back(expression(base)); });
  std::vector<NodeId> parts{block(child_at(node, UNGATE_TS_FIELD("body")))};
  parts.push_back(add(NodeKind::block, is_null(bases) ? node : bases, arguments));
  parts.insert(parts.end(), decorators.begin(), decorators.end());
  return add(NodeKind::klass, node, parts, 0, symbol(child_at(node, UNGATE_TS_FIELD("name"))));
}

NodeId Converter::decorated(TSNode node) {
  std::vector<NodeId> decorators;
  each_named(node, [&](TSNode child) {
    if (type_of(child) == "decorator") decorators.push_back(expression(named_at(child, 0)));
  });
  TSNode definition = child_at(node, UNGATE_TS_FIELD("definition"));
  return kind_of(definition) == Ts::class_definition ? klass(definition, std::move(decorators))
                                                     : function(definition, std::move(decorators));
}

NodeId Converter::params(TSNode node) {
  std::vector<NodeId> items;
  bool after_star = false;
  each_named(node, [&](TSNode child) {
    std::string_view type = type_of(child);
    if (type == "keyword_separator") {
      after_star = true;
    } else if (type != "positional_separator") {
      items.push_back(param(child, after_star));
      if (tree_[items.back()].op == static_cast<std::uint8_t>(ParamKind::star)) after_star = true;
    }
  });
  return add(NodeKind::params, node, items);
}

NodeId Converter::param(TSNode node, bool after_star) {
  std::string_view type = type_of(node);
  NodeId parts[] = {expression(child_at(node, UNGATE_TS_FIELD("value"))),
                    expression(child_at(node, UNGATE_TS_FIELD("type")))};
  auto kind = after_star ? ParamKind::keyword_only : ParamKind::positional;
  TSNode name = child_at(node, UNGATE_TS_FIELD("name"));
  if (is_null(name)) name = type == "identifier" ? node : named_at(node, 0);
  if (type_of(name) == "list_splat_pattern" || type == "list_splat_pattern") {
    kind = ParamKind::star;
    name = type == "list_splat_pattern" ? named_at(node, 0) : named_at(name, 0);
  } else if (type_of(name) == "dictionary_splat_pattern" || type == "dictionary_splat_pattern") {
    kind = ParamKind::double_star;
    name = type == "dictionary_splat_pattern" ? named_at(node, 0) : named_at(name, 0);
  }
  return add(NodeKind::param, node, parts, static_cast<std::uint8_t>(kind),
             is_null(name) ? Symbol() : symbol(name));
}

NodeId Converter::alias(TSNode node, bool whole_module) {
  TSNode name = node, local = node;
  if (type_of(node) == "aliased_import") {
    name = child_at(node, UNGATE_TS_FIELD("name"));
    local = child_at(node, UNGATE_TS_FIELD("alias"));
  } else if (whole_module) {
    local = named_at(node, 0);  // `import a.b` binds a
  }
  tree_.symbols.push_back(symbol(local));
  return add(NodeKind::alias, node, {}, 0, symbol(name), static_cast<std::uint32_t>(tree_.symbols.size() - 1));
}

NodeId Converter::import(TSNode node) {
  std::vector<NodeId> aliases;
  each_named(node, [&](TSNode child) { aliases.push_back(alias(child, true)); });
  return add(NodeKind::import, node, aliases);
}

NodeId Converter::import_from(TSNode node) {
  TSNode module = child_at(node, UNGATE_TS_FIELD("module_name"));
  std::vector<NodeId> aliases;
  each_named(node, [&](TSNode child) {
    if (!ts_node_eq(child, module) && type_of(child) != "wildcard_import") aliases.push_back(alias(child, false));
  });
  return add(NodeKind::import_from, node, aliases, 0, is_null(module) ? Symbol() : symbol(module));
}

NodeId Converter::names(TSNode node, NodeKind kind, std::uint8_t op) {
  std::vector<NodeId> items;
  each_named(node, [&](TSNode child) { items.push_back(expression(child)); });
  return add(kind, node, items, op);
}

NodeId Converter::match(TSNode node) {
  std::vector<NodeId> parts;
  std::vector<NodeId> subjects;
  TSNode body = child_at(node, UNGATE_TS_FIELD("body"));
  each_named(node, [&](TSNode child) {
    if (!ts_node_eq(child, body)) subjects.push_back(expression(child));
  });
  parts.push_back(subjects.size() == 1 ? subjects[0] : add(NodeKind::tuple, node, subjects));
  each_named(body, [&](TSNode child) {
    if (type_of(child) != "case_clause") return;
    NodeId clause[] = {0, 0, block(child_at(child, UNGATE_TS_FIELD("consequence")))};
    std::vector<NodeId> patterns;
    each_named(child, [&](TSNode part) {
      if (type_of(part) == "case_pattern") patterns.push_back(pattern(part));
      if (type_of(part) == "if_clause") clause[1] = expression(named_at(part, 0));
    });
    clause[0] = patterns.size() == 1 ? patterns[0] : add(NodeKind::pattern_sequence, child, patterns);
    parts.push_back(add(NodeKind::case_, child, clause));
  });
  return add(NodeKind::match, node, parts);
}

NodeId Converter::pattern(TSNode node) {
  if (type_of(node) == "case_pattern") {
    TSNode inner = named_at(node, 0);
    if (is_null(inner)) return add(NodeKind::pattern_any, node);  // `_`
    return pattern(inner);
  }
  std::string_view type = type_of(node);
  auto nested = [&](NodeKind kind) {
    std::vector<NodeId> items;
    each_named(node, [&](TSNode child) { items.push_back(pattern(child)); });
    return add(kind, node, items);
  };
  if (type == "union_pattern") return nested(NodeKind::pattern_or);
  if (type == "tuple_pattern" || type == "list_pattern") return nested(NodeKind::pattern_sequence);
  if (type == "dotted_name") {
    // A bare name captures, a dotted one is compared with.
    if (ts_node_named_child_count(node) == 1) return add(NodeKind::pattern_any, node, {}, 0, symbol(node));
    NodeId value = expression(named_at(node, 0));
    for (std::uint32_t i = 1; i < ts_node_named_child_count(node); ++i) {
      value = add(NodeKind::attribute, node, {&value, 1}, 0, symbol(named_at(node, i)));
    }
    return add(NodeKind::pattern_value, node, {&value, 1});
  }
  switch (kind_of(node)) {
    case Ts::integer:
    case Ts::string:
    case Ts::concatenated_string:
    case Ts::none:
    case Ts::true_:
    case Ts::false_: {
      NodeId value = expression(node);
      return add(NodeKind::pattern_value, node, {&value, 1});
    }
    default: return add(NodeKind::pattern_other, node);
  }
}

}  // namespace ungate::python

// What the ways out of a condition do: refuse, serve, or only log; and the chains they stand in.
#include <algorithm>

#include "base/text.h"
#include "python/interpreter.h"

namespace ungate::python {

bool Interpreter::only_logs(const Tree& t, NodeId id) const {
  if (id == 0) return false;
  const Node& n = t[id];
  if (n.kind == NodeKind::block) {
    for (NodeId child : t.children(id)) {
      if (!only_logs(t, child)) return false;
    }
    return n.count > 0;
  }
  if (n.kind == NodeKind::pass) return true;
  if (n.kind == NodeKind::if_) {
    return only_logs(t, t.child(id, 1)) && (t.child(id, 2) == 0 || only_logs(t, t.child(id, 2)));
  }
  if (n.kind != NodeKind::expression) return false;
  NodeId value = t.child(id, 0);
  if (t[value].kind == NodeKind::constant) return true;  // a comment in string form
  if (t[value].kind != NodeKind::call) return false;
  for (value = t.child(value, 0); t[value].kind == NodeKind::attribute;) value = t.child(value, 0);
  Symbol name = t[value].name;
  return t[value].kind == NodeKind::name && (k_.logging.contains(name) || name.text().starts_with("log"));
}

// `logger.warning_once(…)`: somebody does not get what was asked for.
bool Interpreter::warns(const Tree& t, NodeId id) const {
  if (t[id].kind != NodeKind::expression || !only_logs(t, id)) return false;
  NodeId value = t.child(id, 0);
  if (t[value].kind != NodeKind::call) return false;
  std::string_view what = t[t.child(value, 0)].name.text();
  if (std::ranges::any_of(k_.warnings, [&](const std::string& prefix) { return what.starts_with(prefix); })) return true;
  if (t[value].count < 2) return false;
  std::string message = text::lower(literal_text(t, t.child(value, 1)).text());
  return std::ranges::any_of(k_.fallbacks, [&](const std::string& text) { return message.find(text) != std::string::npos; });
}

Symbol Interpreter::literal_text(const Tree& t, NodeId id) const {
  const Node& n = t[id];
  if (n.kind == NodeKind::constant && n.op == static_cast<std::uint8_t>(Constant::string)) return n.name;
  if (n.kind != NodeKind::fstring) return {};
  std::string out;
  for (NodeId part : t.children(id)) {
    out += t[part].kind == NodeKind::field ? "{…}" : std::string(t[part].name.text());
  }
  return Symbol(out);
}

namespace {

bool is_constant(const Tree& t, NodeId id, Constant c) {
  return t[id].kind == NodeKind::constant && t[id].op == static_cast<std::uint8_t>(c);
}

// `why = "needs sm_90"`
bool makes_text(const Tree& t, NodeId id) {
  if (t[id].kind != NodeKind::assign || t[id].count != 2 || t[t.child(id, 0)].kind != NodeKind::name) return false;
  NodeId value = t.child(id, 1);
  return t[value].kind == NodeKind::fstring || is_constant(t, value, Constant::string);
}

bool is_no(const Tree& t, NodeId id) {
  return is_constant(t, id, Constant::false_) || is_constant(t, id, Constant::none);
}

// `return {}`, `return None, None`; an empty list is one of several that are put together.
bool gives_nothing(const Tree& t, NodeId id) {
  NodeKind kind = t[id].kind;
  bool holds = kind == NodeKind::tuple || kind == NodeKind::dict;
  return holds && std::ranges::all_of(t.children(id), [&](NodeId item) { return is_no(t, item); });
}

}  // namespace

// `reasons.append("too new a device")`
bool Interpreter::complains(const Tree& t, NodeId call, Symbol& text) const {
  NodeId callee = t[call].kind == NodeKind::call && t[call].count == 2 ? t.child(call, 0) : 0;
  if (callee == 0 || t[callee].kind != NodeKind::attribute || t[callee].name.text() != "append") return false;
  Symbol sentence = literal_text(t, t.child(call, 1));
  std::string_view list = t[t.child(callee, 0)].name.text();
  list.remove_prefix(list.rfind('_') + 1);
  if (!k_.complaints.contains(Symbol(list)) || sentence.text().find(' ') == std::string_view::npos) return false;
  text = sentence;
  return true;
}

// `return self._fallback(x)`: who gets this asked for something else.
bool Interpreter::calls_fallback(const Tree& t, NodeId value) const {
  if (t[value].kind != NodeKind::call) return false;
  NodeId callee = t.child(value, 0);
  if (t[callee].kind == NodeKind::subscript) callee = t.child(callee, 0);   // `_ORIGINAL["forward"](x)`
  std::string name = text::lower(t[callee].name.text());
  return std::ranges::any_of(k_.fallback_names, [&](const std::string& part) { return name.find(part) != std::string::npos; });
}

// A parameter of the function around.
bool Interpreter::is_parameter(const Tree& t, NodeId name) const {
  if (t[name].kind != NodeKind::name || t[name].number == 0) return false;
  for (NodeId id = 1; id < t.nodes.size(); ++id) {
    if (t[id].kind != NodeKind::function || !t[id].range.contains(t[name].range)) continue;
    for (NodeId param : t.children(t.child(id, 0))) {
      if (t[param].name == t[name].name) return true;
    }
  }
  return false;
}

// `return unavailable("DeepGEMM requires sm_90", strict)`: a sentence that says what is missing, and what is known.
bool Interpreter::gives_reason(const Tree& t, NodeId value, Symbol& text) const {
  if (t[value].kind != NodeKind::call || t[value].count < 2) return false;
  for (std::size_t i = 1; i < t[value].count; ++i) {
    NodeId argument = t.child(value, i);
    if (t[argument].kind == NodeKind::keyword) argument = t.child(argument, 0);
    std::string sentence = text::lower(literal_text(t, argument).text());
    if (sentence.find(' ') == std::string::npos) continue;
    bool says = std::ranges::any_of(k_.reasons, [&](const std::string& word) { return sentence.find(word) != std::string::npos; });
    if (!says) continue;
    text = literal_text(t, argument);
    return true;
  }
  return false;
}

Refusal Interpreter::refusal_of(const Tree& t, NodeId block, Symbol& type, Symbol& text) const {
  if (block == 0) return Refusal::none;
  NodeId only = block;
  bool warned = false;
  Symbol made_name, made;   // a text that is made before it is returned
  if (t[block].kind == NodeKind::block) {
    // What leads up to an exception does not serve, or serves on conditions; nor does a text made for the refusal.
    only = 0;
    NodeId last = t[block].count == 0 ? 0 : t.child(block, t[block].count - 1);
    for (NodeId child : t.children(block)) {
      warned = warned || warns(t, child);
      bool makes = child != last && makes_text(t, child);
      if (makes) made_name = t[t.child(child, 0)].name, made = literal_text(t, t.child(child, 1));
      bool leads_up = makes || (child != last && t[last].kind == NodeKind::raise);
      if (only_logs(t, child) || leads_up) continue;
      if (only != 0) return Refusal::none;
      only = child;
    }
    if (only == 0) return Refusal::none;
  }
  const Node& n = t[only];
  NodeId value = t.child(only, 0);
  auto is_made = [&](NodeId id) { return t[id].kind == NodeKind::name && t[id].name == made_name; };
  switch (n.kind) {
    case NodeKind::raise:
      if (value != 0) {
        NodeId callee = t[value].kind == NodeKind::call ? t.child(value, 0) : value;
        type = t[callee].name;
        if (t[value].kind == NodeKind::call && t[value].count > 1) text = literal_text(t, t.child(value, 1));
      }
      return Refusal::raises;
    case NodeKind::assert_: return is_constant(t, value, Constant::false_) ? Refusal::raises : Refusal::none;
    case NodeKind::return_:
      if (value == 0 || is_no(t, value) || gives_nothing(t, value)) return Refusal::returns;
      if (t[value].kind == NodeKind::tuple && t[value].count > 0 && is_constant(t, t.child(value, 0), Constant::false_)) {
        if (t[value].count > 1) text = literal_text(t, t.child(value, 1));
        return Refusal::returns;
      }
      if (Symbol s = is_made(value) ? made : literal_text(t, value); !s.empty() && s.text().find(' ') != std::string_view::npos) {
        text = s;
        return Refusal::returns;
      }
      if (gives_reason(t, value, text)) return Refusal::returns;
      if (is_parameter(t, value)) return Refusal::returns;   // what it was given, as it was
      return warned || calls_fallback(t, value) ? Refusal::falls_back : Refusal::none;
    case NodeKind::expression: return complains(t, value, text) ? Refusal::returns : Refusal::none;
    case NodeKind::continue_: return Refusal::skips;
    case NodeKind::assign:
      if (n.count == 2 && is_no(t, t.child(only, 1))) return Refusal::assigns;
      return warned ? Refusal::falls_back : Refusal::none;
    default: return Refusal::none;
  }
}

// What the text says, once a place.
const Interpreter::Arms& Interpreter::judge_arms(const Tree& t, NodeId body, NodeId orelse) {
  auto [entry, fresh] = arms_.try_emplace(key_of(&t, body));
  if (fresh) entry->second = read_arms(t, body, orelse);
  return entry->second;
}

Interpreter::Arms Interpreter::read_arms(const Tree& t, NodeId body, NodeId orelse) const {
  Arms arms;
  Symbol type, text, else_type, else_text;
  Refusal taken = refusal_of(t, body, type, text);
  // An elif is another test, not an arm that refuses.
  bool chained = orelse != 0 && t[orelse].kind == NodeKind::if_;
  Refusal other = chained ? Refusal::none : refusal_of(t, orelse, else_type, else_text);
  arms.body_refuses = taken != Refusal::none;
  arms.else_refuses = other != Refusal::none;
  arms.has_else = orelse != 0 && !chained;
  arms.ignored = only_logs(t, body) && (orelse == 0 || only_logs(t, orelse));
  arms.body = body;
  if (arms.has_else) arms.orelse = orelse;
  if (taken != Refusal::none && other == Refusal::none) {
    arms.want = Want::no;
    arms.refusal = taken, arms.type = type, arms.text = text;
  } else {
    bool both_serve = arms.has_else && taken == Refusal::none && other == Refusal::none && !only_logs(t, orelse);
    arms.want = both_serve ? Want::either : Want::yes;
    arms.refusal = other, arms.type = else_type, arms.text = else_text;
  }
  return arms;
}

// --- Chains ----------------------------------------------------------------------------------------

std::pair<std::uint32_t, std::uint32_t> Interpreter::chain_of(NodeId id, const Frame& f) {
  auto [entry, fresh] = chain_index_.try_emplace(key_of(f.tree, id), 0, 0);
  if (fresh) {
    entry->second = {static_cast<std::uint32_t>(chains.size()), 0};
    chains.push_back({{f.module, (*f.tree)[id].range}, {}, false, false});
  }
  auto [chain, arm] = entry->second;
  NodeId next = f.tree->child(id, 2);
  if (next != 0 && (*f.tree)[next].kind == NodeKind::if_) {
    chain_index_.try_emplace(key_of(f.tree, next), chain, arm + 1);
  }
  return {chain, arm};
}

void Interpreter::record_arm(std::uint32_t chain, std::uint32_t arm, const Tree& t, NodeId test, const Outcome& outcome,
                             DeviceSet mask, const Arms& arms) {
  Chain& c = chains[chain];
  if (c.arms.size() <= arm) c.arms.resize(arm + 1);
  Chain::Arm& a = c.arms[arm];
  a.test = t[test].range;
  a.outcome |= outcome;
  a.alive |= mask;
  a.refuses = arms.body_refuses;
  a.gives = last_of(chains[chain].place.module, t, arms.body);
  if (arms.has_else) {
    c.has_else = true;
    c.else_refuses = arms.else_refuses;
    c.else_gives = last_of(chains[chain].place.module, t, arms.orelse);
  }
}

// The text of the last statement of an arm, if it sets something or returns.
Symbol Interpreter::last_of(ModuleId module, const Tree& t, NodeId block) const {
  if (block == 0 || t[block].kind != NodeKind::block || t[block].count == 0) return {};
  NodeId last = t.child(block, t[block].count - 1);
  bool gives = t[last].kind == NodeKind::assign || t[last].kind == NodeKind::return_;
  return gives ? Symbol(text::one_line(p_[module].file->text(t[last].range), 200)) : Symbol();
}

// True if a handler catches an exception of a type; a type that is not known is caught by the first.
bool Interpreter::handles(const Tree& t, NodeId handler, Symbol type) const {
  NodeId caught = t.child(handler, 0);
  if (caught == 0 || type.empty()) return true;
  auto fits = [&](Symbol name) {
    std::string_view n = name.text(), e = type.text();
    if (n == e || n == "Exception" || n == "BaseException") return true;
    if (n == "LookupError") return e == "KeyError" || e == "IndexError";
    if (n == "ArithmeticError") return e == "ZeroDivisionError" || e == "OverflowError";
    if (n == "ImportError") return e == "ModuleNotFoundError";
    if (n == "RuntimeError") return e == "NotImplementedError" || e == "RecursionError";
    // Classes that are not builtin may derive from each other.
    return !n.ends_with("Error") || !e.ends_with("Error");
  };
  if (t[caught].kind == NodeKind::tuple) {
    return std::ranges::any_of(t.children(caught), [&](NodeId one) { return fits(t[one].name); });
  }
  return fits(t[caught].name);
}

void Interpreter::describe_raise(NodeId exception, Frame& f) {
  const Tree& t = *f.tree;
  NodeId callee = t[exception].kind == NodeKind::call ? t.child(exception, 0) : exception;
  f.raise_type = t[callee].name;
  f.raise_text = t[exception].kind == NodeKind::call && t[exception].count > 1 ? literal_text(t, t.child(exception, 1)) : Symbol();
}

}  // namespace ungate::python

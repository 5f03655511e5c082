#include "value/value.h"

#include <algorithm>
#include <bit>

#include "base/hash.h"

namespace ungate::value {
namespace {

std::uint64_t mix(std::uint64_t h, std::uint64_t x) {
  h ^= x + 0x9e3779b97f4a7c15u + (h << 6) + (h >> 2);
  return h * 0xff51afd7ed558ccdu;
}

std::uint64_t hash_of(const Store::Node& n, std::span<const ValueId> items) {
  std::uint64_t h = mix(static_cast<std::uint64_t>(n.kind) << 1 | (n.open ? 1 : 0), n.ref);
  h = mix(h, n.name.id());
  h = mix(h, static_cast<std::uint64_t>(n.number));
  for (ValueId item : items) h = mix(h, item.id);
  return h ^ h >> 29;
}

bool same(const Store::Node& a, const Store::Node& b, std::span<const ValueId> items) {
  return a.kind == b.kind && a.open == b.open && a.ref == b.ref && a.name == b.name &&
         a.number == b.number && std::ranges::equal(a.items, items);
}

}  // namespace

Store::Store() : table_(1u << 12) {
  intern({.kind = Kind::absent}, {});
  intern({.kind = Kind::none}, {});
  intern({.kind = Kind::boolean, .number = 0}, {});
  intern({.kind = Kind::boolean, .number = 1}, {});
}

ValueId Store::intern(Node node, std::span<const ValueId> items) {
  if (nodes_.size() * 2 > table_.size()) {
    std::vector<std::uint32_t> bigger(table_.size() * 2);
    for (std::uint32_t entry : table_) {
      if (entry == 0) continue;
      const Node& n = nodes_[entry - 1];
      std::size_t at = hash_of(n, n.items) & (bigger.size() - 1);
      while (bigger[at] != 0) at = (at + 1) & (bigger.size() - 1);
      bigger[at] = entry;
    }
    table_ = std::move(bigger);
  }
  std::size_t at = hash_of(node, items) & (table_.size() - 1);
  while (table_[at] != 0) {
    if (same(nodes_[table_[at] - 1], node, items)) return {table_[at] - 1};
    at = (at + 1) & (table_.size() - 1);
  }
  auto id = static_cast<std::uint32_t>(nodes_.size());
  node.items = arena_.keep(items);
  nodes_.push_back(node);
  table_[at] = id + 1;
  return {id};
}

ValueId Store::integer(std::int64_t n) { return intern({.kind = Kind::integer, .number = n}, {}); }
ValueId Store::real(double d) {
  return intern({.kind = Kind::real, .number = std::bit_cast<std::int64_t>(d)}, {});
}
ValueId Store::string(Symbol text) { return intern({.kind = Kind::string, .name = text}, {}); }
ValueId Store::path(Symbol text) { return intern({.kind = Kind::path, .name = text}, {}); }
ValueId Store::external(Symbol dotted) { return intern({.kind = Kind::external, .name = dotted}, {}); }

ValueId Store::sequence(Kind kind, std::span<const ValueId> items, bool open) {
  if (kind != Kind::set) return intern({.kind = kind, .open = open}, items);
  std::vector<ValueId> sorted(items.begin(), items.end());
  std::ranges::sort(sorted);
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  return intern({.kind = kind, .open = open}, sorted);
}

ValueId Store::dict(std::span<const ValueId> keys_and_values, bool open) {
  return intern({.kind = Kind::dict, .open = open}, keys_and_values);
}

ValueId Store::record(std::uint32_t klass, std::span<const ValueId> items) {
  return intern({.kind = Kind::record, .ref = klass}, items);
}

ValueId Store::member(std::uint32_t klass, Symbol name, ValueId value) {
  return intern({.kind = Kind::member, .ref = klass, .name = name}, std::span(&value, 1));
}

ValueId Store::handle(Kind kind, std::uint32_t ref) { return intern({.kind = kind, .ref = ref}, {}); }

ValueId Store::method(ValueId receiver, Symbol name) {
  return intern({.kind = Kind::method, .name = name}, std::span(&receiver, 1));
}

ValueId Store::object(std::uint32_t klass, std::span<const ValueId> fields, bool open) {
  return intern({.kind = Kind::object, .open = open, .ref = klass}, fields);
}

ValueId Store::raised(Symbol type, Symbol text) {
  return intern({.kind = Kind::absent, .ref = type.id(), .name = text}, {});
}

ValueId Store::unknown(Free reason) {
  auto [entry, fresh] = of_one_reason_.try_emplace(reason);
  if (fresh) entry->second = unknown(std::span(&reason, 1));
  return entry->second;
}

ValueId Store::unknown(std::span<const Free> reasons) {
  return intern({.kind = Kind::unknown, .ref = reason_set({reasons.begin(), reasons.end()})}, {});
}

ValueId Store::constant(const Constant& c) {
  struct {
    Store& s;
    ValueId operator()(std::monostate) const { return s.none(); }
    ValueId operator()(bool b) const { return s.boolean(b); }
    ValueId operator()(std::int64_t n) const { return s.integer(n); }
    ValueId operator()(const std::string& t) const { return s.string(t); }
  } make{*this};
  return std::visit(make, c);
}

std::size_t Store::ReasonsHash::operator()(const std::vector<Free>& reasons) const {
  std::size_t hash = 0;
  for (const Free& reason : reasons) hash = hash * 0x9e3779b97f4a7c15u + FreeHash()(reason);
  return hash;
}

std::uint32_t Store::reason_set(std::vector<Free> reasons) {
  std::ranges::sort(reasons);
  reasons.erase(std::unique(reasons.begin(), reasons.end()), reasons.end());
  if (reasons.size() > kMaxReasons) reasons.resize(kMaxReasons);
  auto [entry, fresh] = reason_index_.try_emplace(reasons, static_cast<std::uint32_t>(reason_sets_.size()));
  if (fresh) reason_sets_.push_back(std::move(reasons));
  return entry->second;
}

std::span<const Free> Store::reasons(ValueId v) const {
  if (kind(v) == Kind::unknown) return reason_sets_[nodes_[v.id].ref];
  if (kind(v) == Kind::alternatives) {
    for (ValueId part : items(v)) {
      if (kind(part) == Kind::unknown) return reason_sets_[nodes_[part.id].ref];
    }
  }
  return {};
}

bool Store::may_be_unknown(ValueId v) const {
  if (kind(v) != Kind::alternatives) return kind(v) == Kind::unknown;
  return std::ranges::any_of(items(v), [&](ValueId part) { return is_unknown(part); });
}

ValueId Store::join(ValueId a, ValueId b) {
  if (a == b || is_absent(b)) return is_absent(a) && is_absent(b) && nodes_[a.id].name.empty() ? b : a;
  if (is_absent(a)) return b;
  std::vector<ValueId> parts;
  std::vector<Free> reasons;
  bool open = false;
  auto add = [&](ValueId v) {
    if (is_unknown(v)) {
      open = true;
      auto more = this->reasons(v);
      reasons.insert(reasons.end(), more.begin(), more.end());
    } else if (std::ranges::find(parts, v) == parts.end()) {
      // Objects that may hold more than is known, of one class: one object, joined field by field. Every
      // branch that sets a field would double their number.
      auto same = std::ranges::find_if(parts, [&](ValueId part) {
        return kind(v) == Kind::object && kind(part) == Kind::object && node(v).ref == node(part).ref && (node(v).open || node(part).open);
      });
      if (same == parts.end()) parts.push_back(v);
      else *same = join_fields(*same, v);
    }
  };
  each(a, add);
  each(b, add);
  // Results of the shape (flag, reason): the reasons differ, the flag is what matters. Joined, they
  // keep the flag and leave the text open, or seven reasons would push the flag out.
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (kind(parts[i]) != Kind::tuple || items(parts[i]).size() != 2) continue;
    if (kind(items(parts[i])[0]) != Kind::boolean) continue;
    for (std::size_t j = i + 1; j < parts.size();) {
      if (kind(parts[j]) == Kind::tuple && items(parts[j]).size() == 2 &&
          items(parts[j])[0] == items(parts[i])[0]) {
        ValueId pair[] = {items(parts[i])[0], unknown(Free{Free::Kind::call, Symbol("reason text")})};
        parts[i] = sequence(Kind::tuple, pair);
        parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(j));
      } else {
        ++j;
      }
    }
  }
  if (parts.size() > kMaxAlternatives) {
    parts.clear();
    if (!open) reasons.push_back({Free::Kind::name, Symbol("more than 8 alternatives")});
    open = true;
  }
  if (open) parts.push_back(unknown(reasons));
  if (parts.size() == 1) return parts.front();
  std::ranges::sort(parts);
  return intern({.kind = Kind::alternatives}, parts);
}

ValueId Store::join_fields(ValueId a, ValueId b) {
  auto x = items(a), y = items(b);
  std::vector<ValueId> fields;
  auto either = [&](ValueId key, ValueId value) {
    fields.push_back(key);
    fields.push_back(join(value, unknown({Free::Kind::config, Symbol("self." + std::string(text(key)))})));
  };
  std::size_t i = 0, j = 0;
  while (i + 1 < x.size() || j + 1 < y.size()) {
    if (j + 1 >= y.size() || (i + 1 < x.size() && x[i] < y[j])) {
      either(x[i], x[i + 1]), i += 2;
    } else if (i + 1 >= x.size() || y[j] < x[i]) {
      either(y[j], y[j + 1]), j += 2;
    } else {
      fields.push_back(x[i]);
      fields.push_back(join(x[i + 1], y[j + 1]));
      i += 2, j += 2;
    }
  }
  return object(node(a).ref, fields, true);
}

double Store::real_of(ValueId v) const {
  const Node& n = nodes_[v.id];
  return n.kind == Kind::real ? std::bit_cast<double>(n.number) : static_cast<double>(n.number);
}

Truth Store::truth(ValueId v) const {
  const Node& n = nodes_[v.id];
  auto of = [](bool b) { return b ? kTrue : kFalse; };
  switch (n.kind) {
    case Kind::absent: return kNever;
    case Kind::none: return kFalse;
    case Kind::boolean:
    case Kind::integer: return of(n.number != 0);
    case Kind::real: return of(real_of(v) != 0);
    case Kind::string: return of(!n.name.empty());
    case Kind::tuple:
    case Kind::list:
    case Kind::set:
    case Kind::dict: return n.items.empty() && n.open ? kUnknown : of(!n.items.empty());
    case Kind::record: return of(!n.items.empty());
    case Kind::path:
    case Kind::member:
    case Kind::function:
    case Kind::method:
    case Kind::klass:
    case Kind::module:
    case Kind::object: return kTrue;
    case Kind::external:
    case Kind::unknown: return kUnknown;
    case Kind::alternatives: {
      int bits = 0;
      for (ValueId part : n.items) bits |= truth(part);
      return static_cast<Truth>(bits);
    }
  }
  return kUnknown;
}

bool Store::field(ValueId object, Symbol name, ValueId& out) const {
  auto fields = items(object);
  for (std::size_t i = 0; i + 1 < fields.size(); i += 2) {
    if (nodes_[fields[i].id].name == name) {
      out = fields[i + 1];
      return true;
    }
  }
  return false;
}

ValueId Store::with_field(ValueId object, Symbol name, ValueId value) {
  const Node& n = nodes_[object.id];
  std::vector<ValueId> fields(n.items.begin(), n.items.end());
  ValueId key = string(name);
  for (std::size_t i = 0; i + 1 < fields.size(); i += 2) {
    if (fields[i] == key) {
      fields[i + 1] = value;
      return this->object(n.ref, fields, n.open);
    }
  }
  std::size_t at = 0;
  while (at < fields.size() && fields[at] < key) at += 2;
  ValueId pair[] = {key, value};
  fields.insert(fields.begin() + static_cast<std::ptrdiff_t>(at), pair, pair + 2);
  return this->object(n.ref, fields, n.open);
}

std::string Store::to_text(ValueId v) const {
  const Node& n = nodes_[v.id];
  auto list = [&](std::string_view open, std::string_view close) {
    std::string out(open);
    for (std::size_t i = 0; i < n.items.size(); ++i) {
      if (i != 0) out += ", ";
      out += to_text(n.items[i]);
    }
    if (n.open) out += n.items.empty() ? "…" : ", …";
    return out += close;
  };
  switch (n.kind) {
    case Kind::absent: return n.ref == 0 ? "absent" : "raise " + std::string(Symbol::from_id(n.ref).text());
    case Kind::unknown: {
      std::string out = "unknown(";
      for (const Free& f : reasons(v)) out += (out.back() == '(' ? "" : ", ") + value::to_text(f);
      return out + ')';
    }
    case Kind::alternatives: return list("one of {", "}");
    case Kind::none: return "None";
    case Kind::boolean: return n.number != 0 ? "True" : "False";
    case Kind::integer: return std::to_string(n.number);
    case Kind::real: return std::to_string(real_of(v));
    case Kind::string: return '"' + std::string(n.name.text()) + '"';
    case Kind::tuple: return list("(", n.items.size() == 1 && !n.open ? ",)" : ")");
    case Kind::list: return list("[", "]");
    case Kind::set: return n.items.empty() && !n.open ? "set()" : list("{", "}");
    case Kind::dict: {
      std::string out = "{";
      for (std::size_t i = 0; i + 1 < n.items.size(); i += 2) {
        out += (i == 0 ? "" : ", ") + to_text(n.items[i]) + ": " + to_text(n.items[i + 1]);
      }
      return out + (n.open ? (n.items.empty() ? "…}" : ", …}") : "}");
    }
    case Kind::path: return "Path(" + std::string(n.name.text()) + ')';
    case Kind::record: return list("record(", ")");
    case Kind::member: return "member " + std::string(n.name.text());
    case Kind::function: return "function";
    case Kind::method: return "method " + std::string(n.name.text());
    case Kind::klass: return "class";
    case Kind::object: return "object";
    case Kind::module: return "module";
    case Kind::external: return std::string(n.name.text());
  }
  return "";
}

}  // namespace ungate::value

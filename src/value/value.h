// Values of the evaluated language, hash-consed: equal values have equal ids.
//
// A value is what a place holds on one device. Guarded<ValueId> is what it holds on all of them.
// Three kinds are not values of the language but what is known about one:
//   absent        there is no value: the path ended before (returned, raised), a key is missing.
//                 It is neither None nor False and never counts as an outcome. A raise keeps its text.
//   unknown       some value; names the free values that decide
//   alternatives  one of up to eight values; `unknown` may be one of them and then stays a member
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/stable_vector.h"
#include "base/symbol.h"
#include "value/free.h"
#include "value/guarded.h"

namespace ungate::value {

enum class Kind : std::uint8_t {
  absent, unknown, alternatives,
  none, boolean, integer, real, string,
  tuple, list, set, dict,
  path,         // a pathlib path or a path-like text whose root is an import root
  record,       // a NamedTuple: ref = class, items in field order
  member,       // an enum member: ref = class, name
  function,     // ref = the front end's callable
  method,       // a method of a plain value: items[0].name
  klass,        // ref = the front end's class
  object,       // ref = class, items = (field name, value) pairs in order of names
  module,       // ref = the front end's module
  external      // something of a package that is not read, by dotted name
};

struct ValueId {
  std::uint32_t id = 0;
  constexpr bool operator==(const ValueId&) const = default;
  constexpr auto operator<=>(const ValueId&) const = default;
};

// The value everywhere in a program: one for each device.
using Values = Guarded<ValueId>;

// What a value's truth can be; a set of bits.
enum Truth : std::uint8_t { kNever = 0, kTrue = 1, kFalse = 2, kUnknown = 4 };

class Store {
 public:
  static constexpr std::size_t kMaxAlternatives = 8;
  static constexpr std::size_t kMaxReasons = 6;

  struct Node {
    Kind kind = Kind::absent;
    bool open = false;           // a container that may hold more than its items
    std::uint32_t ref = 0;       // a front end's handle, or a reason set
    Symbol name;                 // text of a string, path, external; name of a member or method
    std::int64_t number = 0;     // integer, boolean; the bits of a real
    std::span<const ValueId> items;
  };

  Store();

  // The fixed ones.
  ValueId absent() const { return {0}; }
  ValueId none() const { return {1}; }
  ValueId boolean(bool b) const { return {b ? 3u : 2u}; }

  ValueId integer(std::int64_t n);
  ValueId real(double d);
  ValueId string(Symbol text);
  ValueId string(std::string_view text) { return string(Symbol(text)); }
  ValueId path(Symbol text);
  ValueId external(Symbol dotted);
  ValueId sequence(Kind kind, std::span<const ValueId> items, bool open = false);  // tuple, list, set
  ValueId dict(std::span<const ValueId> keys_and_values, bool open = false);
  ValueId record(std::uint32_t klass, std::span<const ValueId> items);
  ValueId member(std::uint32_t klass, Symbol name, ValueId value);
  ValueId handle(Kind kind, std::uint32_t ref);  // function, klass, module
  ValueId method(ValueId receiver, Symbol name);
  ValueId object(std::uint32_t klass, std::span<const ValueId> fields, bool open);
  // An exception that leaves the path; `text` may be empty.
  ValueId raised(Symbol type, Symbol text);
  ValueId unknown(Free reason);
  ValueId unknown(std::span<const Free> reasons);
  // One of `a` and `b`. absent disappears beside a value; unknowns merge their reasons; past the limit
  // of alternatives the rest becomes unknown, with the unknown's reasons or `Free::call join`.
  ValueId join(ValueId a, ValueId b);
  ValueId constant(const Constant& c);

  // References and spans stay valid: nothing in the store ever moves.
  const Node& node(ValueId v) const { return nodes_[v.id]; }
  Kind kind(ValueId v) const { return nodes_[v.id].kind; }
  std::span<const ValueId> items(ValueId v) const { return nodes_[v.id].items; }
  std::span<const Free> reasons(ValueId v) const;   // of an unknown, or of one among alternatives
  std::string_view text(ValueId v) const { return nodes_[v.id].name.text(); }
  double real_of(ValueId v) const;

  bool is_absent(ValueId v) const { return kind(v) == Kind::absent; }
  bool is_unknown(ValueId v) const { return kind(v) == Kind::unknown; }
  // True for an unknown and for alternatives that hold one.
  bool may_be_unknown(ValueId v) const;
  // Calls f for each alternative, or for the value itself.
  template <class F>
  void each(ValueId v, F&& f) const {
    if (kind(v) != Kind::alternatives) return f(v);
    for (ValueId part : items(v)) f(part);
  }
  // Truth by Python's rules; objects are true unless their class may say otherwise.
  Truth truth(ValueId v) const;
  // Field of an object, or nothing.
  bool field(ValueId object, Symbol name, ValueId& out) const;
  ValueId with_field(ValueId object, Symbol name, ValueId value);

  // f(a), for each alternative of `v`, joined. Absent gives absent, unknown gives unknown.
  template <class F>
  ValueId lift(ValueId v, F&& f) {
    Kind k = kind(v);
    if (k == Kind::absent || k == Kind::unknown) return v;
    if (k != Kind::alternatives) return f(v);
    ValueId out = absent();
    for (ValueId part : items(v)) out = join(out, is_unknown(part) ? part : f(part));
    return out;
  }
  // The same for two operands; unknown on either side gives unknown, with the reasons of both.
  template <class F>
  ValueId lift(ValueId a, ValueId b, F&& f) {
    if (is_absent(a)) return a;
    if (is_absent(b)) return b;
    ValueId out = absent();
    each(a, [&](ValueId x) {
      each(b, [&](ValueId y) {
        bool open = is_unknown(x) || is_unknown(y);
        out = join(out, !open ? f(x, y) : is_unknown(x) ? (is_unknown(y) ? join(x, y) : x) : y);
      });
    });
    return out;
  }

  // Short text, as Python would print it; for reports and dumps.
  std::string to_text(ValueId v) const;

  std::size_t size() const { return nodes_.size(); }

 private:
  ValueId intern(Node node, std::span<const ValueId> items);
  ValueId join_fields(ValueId a, ValueId b);
  std::uint32_t reason_set(std::vector<Free> reasons);

  StableVector<Node> nodes_;
  Arena<ValueId> arena_;
  std::vector<std::uint32_t> table_;  // open addressing over nodes_; 0 is empty
  StableVector<std::vector<Free>> reason_sets_;
  struct ReasonsHash {
    std::size_t operator()(const std::vector<Free>& reasons) const;
  };
  std::unordered_map<std::vector<Free>, std::uint32_t, ReasonsHash> reason_index_;
  std::unordered_map<Free, ValueId, FreeHash> of_one_reason_;   // most unknown values
};

}  // namespace ungate::value

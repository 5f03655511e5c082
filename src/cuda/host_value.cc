#include "cuda/host_value.h"

#include <algorithm>

namespace ungate::cuda {
namespace {

using Maybe = std::optional<std::int64_t>;  // nothing: not known

void add(HostNumbers& into, Maybe n) {
  if (!n) {
    into.open = true;
    return;
  }
  auto at = std::ranges::lower_bound(into.known, *n);
  if (at == into.known.end() || *at != *n) into.known.insert(at, *n);
  if (into.known.size() > HostNumbers::kMost) into = HostNumbers{};
}

std::vector<Maybe> alternatives(const HostNumbers& n) {
  std::vector<Maybe> out(n.known.begin(), n.known.end());
  if (n.open) out.push_back(std::nullopt);
  return out;
}

Maybe compute(HostOp op, Maybe a, Maybe b) {
  // What one side settles.
  if (op == HostOp::and_ && ((a && *a == 0) || (b && *b == 0))) return 0;
  if (op == HostOp::or_ && ((a && *a != 0) || (b && *b != 0))) return 1;
  if (!a || !b) return std::nullopt;
  std::int64_t x = *a, y = *b;
  auto wrapped = [](std::uint64_t n) { return static_cast<std::int64_t>(n); };
  auto ux = static_cast<std::uint64_t>(x), uy = static_cast<std::uint64_t>(y);
  bool shifts = y >= 0 && y < 63;
  switch (op) {
    case HostOp::add: return wrapped(ux + uy);
    case HostOp::sub: return wrapped(ux - uy);
    case HostOp::mul: return wrapped(ux * uy);
    case HostOp::div: return y == 0 || y == -1 ? Maybe() : x / y;
    case HostOp::mod: return y == 0 || y == -1 ? Maybe() : x % y;
    case HostOp::eq: return x == y;
    case HostOp::ne: return x != y;
    case HostOp::lt: return x < y;
    case HostOp::le: return x <= y;
    case HostOp::gt: return x > y;
    case HostOp::ge: return x >= y;
    case HostOp::and_: return x != 0 && y != 0;
    case HostOp::or_: return x != 0 || y != 0;
    case HostOp::shl: return shifts ? Maybe(wrapped(ux << uy)) : Maybe();
    case HostOp::shr: return shifts ? Maybe(x >> y) : Maybe();
    case HostOp::bit_and: return x & y;
    case HostOp::bit_or: return x | y;
    case HostOp::bit_xor: return x ^ y;
  }
  return std::nullopt;
}

HostNumbers none() { return {{}, false}; }

}  // namespace

HostValue host_number(std::int64_t n) { return {{HostScalar(HostNumbers{{n}, false})}}; }

HostValue host_fact(HostFact fact) {
  auto one = [](auto&& of) {
    return HostScalar::tabulate([&](unsigned d) {
      arch::Device device(d);
      // A device of the future is newer than all that is known, and nothing else.
      return HostNumbers{{of(device)}, false};
    });
  };
  // Nothing is documented of some devices.
  auto kilobytes = [](auto&& of) {
    return HostScalar::tabulate([&](unsigned d) {
      int kb = of(arch::Device(d).facts());
      return kb == 0 ? HostNumbers{} : HostNumbers{{std::int64_t{kb} * 1024}, false};
    });
  };
  auto major = [](arch::Device d) { return std::int64_t{d.major()}; };
  auto minor = [](arch::Device d) { return std::int64_t{d.minor()}; };
  switch (fact) {
    case HostFact::major: return {{one(major)}};
    case HostFact::minor: return {{one(minor)}};
    case HostFact::cc: return {{one([](arch::Device d) { return std::int64_t{d.cc()}; })}};
    case HostFact::cc_pair: return {{one(major), one(minor)}};
    case HostFact::smem_block: return {{kilobytes([](const arch::DeviceFacts& f) { return f.smem_block_kb; })}};
    case HostFact::smem_sm: return {{kilobytes([](const arch::DeviceFacts& f) { return f.smem_sm_kb; })}};
  }
  return {};
}

HostValue join(const HostValue& a, const HostValue& b) {
  if (a == b) return a;
  if (a.items.size() != b.items.size()) return {};
  HostValue out;
  for (std::size_t i = 0; i < a.items.size(); ++i) {
    out.items.push_back(a.items[i].zip(b.items[i], [](const HostNumbers& x, const HostNumbers& y) {
      HostNumbers both = x;
      for (Maybe n : alternatives(y)) add(both, n);
      return both;
    }));
  }
  return out;
}

bool is_open(const HostValue& v) {
  for (const HostScalar& item : v.items) {
    for (std::size_t i = 0; i < item.size(); ++i) {
      if (!item.cell(i).value.known.empty()) return false;
    }
  }
  return true;
}

HostScalar apply(HostOp op, const HostScalar& a, const HostScalar& b) {
  return a.zip(b, [&](const HostNumbers& x, const HostNumbers& y) {
    HostNumbers out = none();
    for (Maybe m : alternatives(x)) {
      for (Maybe n : alternatives(y)) add(out, compute(op, m, n));
    }
    return out;
  });
}

HostScalar negated(const HostScalar& a) {
  return apply(HostOp::eq, a, host_number(0).items[0]);
}

HostValue select(const HostScalar& test, const HostValue& yes, const HostValue& no) {
  if (yes.items.size() != no.items.size() || yes.items.empty()) return {};
  value::Outcome o = outcome_of(test);
  HostValue both = join(yes, no), out;
  if (both.items.empty()) return {};
  arch::DeviceSet only_yes = o.may_true - o.may_false - o.may_unknown;
  arch::DeviceSet only_no = o.may_false - o.may_true - o.may_unknown;
  for (std::size_t i = 0; i < both.items.size(); ++i) {
    out.items.push_back(
        both.items[i].overlay(only_yes, yes.items[i]).overlay(only_no, no.items[i]));
  }
  return out;
}

std::int64_t asked_bytes(const HostScalar& a, const HostScalar& b) {
  if (a.uniform() == b.uniform()) return 0;
  const HostScalar& limit = a.uniform() ? b : a;
  const HostNumbers& asked = (a.uniform() ? a : b).cell(0).value;
  if (asked.open || asked.known.size() != 1) return 0;
  for (HostFact fact : {HostFact::smem_block, HostFact::smem_sm}) {
    if (limit == host_fact(fact).items[0]) return asked.known[0];
  }
  return 0;
}

bool is_truth(const HostScalar& v) {
  bool any = false;
  for (std::size_t i = 0; i < v.size(); ++i) {
    for (std::int64_t n : v.cell(i).value.known) {
      if (n != 0 && n != 1) return false;
      any = true;
    }
  }
  return any;
}

value::Outcome outcome_of(const HostScalar& v) {
  value::Outcome out;
  for (std::size_t i = 0; i < v.size(); ++i) {
    const auto& [where, numbers] = v.cell(i);
    for (std::int64_t n : numbers.known) (n != 0 ? out.may_true : out.may_false) |= where;
    if (numbers.open) out.may_unknown |= where;
  }
  return out;
}

}  // namespace ungate::cuda

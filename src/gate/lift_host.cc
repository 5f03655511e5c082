#include "gate/lift_host.h"

#include <fmt/core.h>

#include "base/text.h"
#include "cuda/lexeme.h"

namespace ungate::gate {
namespace {

Lift refused(std::string why) {
  Lift out;
  out.refused = std::move(why);
  return out;
}

// How a number that is compared with writes devices: 9 is a major version, 90 a capability.
bool is_major(std::int64_t n) { return n < 20; }

arch::DeviceSet along(bool major, arch::Device target, arch::DeviceSet admitted) {
  arch::DeviceSet out;
  for (unsigned d : arch::known_devices()) {
    bool same = major && arch::Device(d).major() == target.major();
    if (same && d != target.index() && !admitted.has(d)) out |= arch::DeviceSet::of(d);
  }
  return out;
}

}  // namespace

Lift lift_host(const Item& item, const source::SourceFile& file, arch::Device target) {
  if (item.host->code) return refused("there is no source behind a name of compiled code");
  using Kind = cuda::HostChoice::Kind;
  bool plain = item.host->kind == Kind::compare || item.host->kind == Kind::label;
  if (!plain || item.choice.want == python::Want::no) return refused("this spelling has no edit of its own");
  cuda::Lexemes l = cuda::lex_range(file.text(), item.gate.range);
  Lift out;
  auto edit = [&](source::Range range, std::string after) {
    out.edits.push_back({item.gate.path, item.gate.site, {range, std::string(file.text(range)), std::move(after)},
                         file.position(range.begin)});
  };
  std::int64_t n = 0;
  if (l.size() < 2 || !text::parse_int(l.back().text, n)) return refused("the test does not end in a number");
  bool major = is_major(n);
  int wanted = major ? target.major() : target.cc();
  out.also_admits = along(major, target, item.gate.admitted);
  if (item.host->kind == Kind::label) {
    edit({item.gate.range.end, item.gate.range.end}, fmt::format(": case {}", wanted));
    return out;
  }
  std::string left(file.text({l.front().begin, l[l.size() - 2].begin}));
  while (!left.empty() && left.back() == ' ') left.pop_back();
  std::size_t comparisons = 0;
  for (const cuda::Lexeme& x : l) {
    for (std::string_view op : {"==", "!=", "<", ">", "<=", ">=", "&&", "||"}) comparisons += x.is(op);
  }
  const cuda::Lexeme& op = l[l.size() - 2];
  if (comparisons != 1) return refused("several comparisons: which one is to admit the device is a decision");
  if (op.is("==")) {
    edit(item.gate.range, fmt::format("({} || {} == {})", file.text(item.gate.range), left, wanted));
  } else if (op.is("<") && !major && n <= target.cc()) {
    edit(l.back().range(), std::to_string((target.major() + 1) * 10));
    out.also_admits = along(true, target, item.gate.admitted);
  } else {
    return refused("this comparison has no edit that stops at the device's family");
  }
  return out;
}

}  // namespace ungate::gate

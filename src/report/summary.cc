#include "report/summary.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/text.h"

namespace ungate::report {
namespace {

using gate::Admits;
using gate::Verdict;

constexpr std::size_t kExplained = 27;  // where the meaning of a word begins

std::string row(std::size_t n, std::string_view word, const std::string& meaning,
                std::size_t width) {
  if (n == 0) return {};
  std::string text = wrapped(meaning, kExplained, width);
  return fmt::format("{:>9}  {:<14}  {}", grouped(n), word, text.substr(kExplained));
}

// One row a package, one column a word of the counts. One package needs no table.
std::string by_package(const Sorted& sorted) {
  constexpr std::array<std::string_view, 5> kColumns{"policy", "capability", "unknown", "undecided",
                                                     "let in"};
  std::map<std::string, std::array<std::size_t, kColumns.size()>> rows;
  for (const Entry& e : sorted.shut) {
    Verdict v = e.standing->verdict;
    ++rows[owner_of(*e.gate)][v == Verdict::policy ? 0 : v == Verdict::capability ? 1 : 2];
  }
  for (const Entry& e : sorted.undecided) ++rows[owner_of(*e.gate)][3];
  for (const Entry& e : sorted.admitted) ++rows[owner_of(*e.gate)][4];
  if (rows.size() < 2) return {};
  std::size_t name = 0;
  for (const auto& [package, n] : rows) name = std::max(name, columns(package));
  std::string out = "\n  " + std::string(name, ' ');
  for (std::string_view column : kColumns) out += "  " + std::string(column);
  out += '\n';
  for (const auto& [package, n] : rows) {
    out += "  " + padded(text::escape(package), name);
    for (std::size_t i = 0; i < n.size(); ++i)
      out += fmt::format("{:>{}}", n[i] == 0 ? "-" : grouped(n[i]), kColumns[i].size() + 2);
    out += '\n';
  }
  return out;
}

}  // namespace

Sorted::Sorted(const audit::Report& report, std::size_t target) {
  for (const gate::Gate& g : report.gates) {
    const gate::Standing& s = g.standings[target];
    (s.admits == Admits::no        ? shut
     : s.admits == Admits::unknown ? undecided
                                   : admitted)
        .push_back({&g, &s});
  }
}

Entries pick(const Entries& entries, Verdict verdict) {
  Entries out;
  std::ranges::copy_if(entries, std::back_inserter(out),
                       [&](const Entry& e) { return e.standing->verdict == verdict; });
  return out;
}

std::string summary(const audit::Report& report, arch::Device target, const Sorted& sorted,
                    std::size_t width) {
  std::string name = target.name();
  std::size_t shut = sorted.shut.size(), all = report.gates.size();
  std::string out = fmt::format("{} of {} {} {} {} out{}\n", grouped(shut), grouped(all),
                                all == 1 ? "gate" : "gates", shut == 1 ? "shuts" : "shut", name,
                                shut == 0 ? "." : ":");
  auto add = [&](std::size_t n, std::string_view word, const std::string& meaning) {
    out += row(n, word, meaning, width);
  };
  add(pick(sorted.shut, Verdict::policy).size(), "policy",
      "nothing but the gate is in the way: it can be lifted");
  add(pick(sorted.shut, Verdict::capability).size(), "capability",
      "what is behind it cannot run on " + name);
  add(pick(sorted.shut, Verdict::unknown).size(), "unknown",
      "not known whether what is behind it runs on " + name);
  if (shut < all) out += shut == 0 ? "" : "The others:\n";
  add(sorted.undecided.size(), "undecided",
      "a macro, a version or an argument decides, not the device alone");
  std::size_t over = pick(sorted.admitted, Verdict::over_admission).size();
  add(sorted.admitted.size() - over, "let in", name + " is served");
  add(over, "over-admission", name + " is let in and should not be");
  return out + by_package(sorted);
}

}  // namespace ungate::report

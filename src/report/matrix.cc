// Gates by devices.
#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "report/listing.h"
#include "report/report.h"

namespace ungate::report {
namespace {

char cell(const gate::Standing& s) {
  if (s.admits == gate::Admits::unknown) return '?';
  if (s.admits == gate::Admits::yes) return '+';
  bool served = s.effect == gate::Effect::silent_fallback || s.effect == gate::Effect::slower;
  return served ? '~' : '-';
}

std::string cells(const gate::Gate& gate) {
  std::string out;
  for (const gate::Standing& s : gate.standings) out += cell(s);
  return out;
}

// Gates of one file and form that stand alike.
struct Row {
  const gate::Gate* first;
  std::string cells;
  std::vector<std::uint32_t> lines;
};

std::vector<Row> rows_of(const audit::Report& report, const std::vector<arch::Device>& wanted) {
  std::vector<Row> rows;
  for (const gate::Gate& g : report.gates) {
    bool shown = std::ranges::any_of(g.standings, [&](const gate::Standing& s) {
      return s.admits == gate::Admits::no && std::ranges::find(wanted, s.device) != wanted.end();
    });
    if (!shown) continue;
    std::string own = cells(g);
    auto same = std::ranges::find_if(rows, [&](const Row& r) {
      return r.first->site == g.site && r.first->path == g.path && r.cells == own &&
             r.first->form == g.form;
    });
    if (same == rows.end()) same = rows.insert(same, {&g, own, {}});
    if (same->lines.empty() || same->lines.back() != g.begin.line)
      same->lines.push_back(g.begin.line);
  }
  return rows;
}

std::string subject(const Row& row, const Listing& listing, std::size_t room) {
  std::string numbers;
  for (std::uint32_t line : row.lines)
    numbers += (numbers.empty() ? "" : ",") + std::to_string(line);
  std::string path = listing.path_of(*row.first);
  // The end of a path says more than its beginning.
  std::size_t most = room - std::min<std::size_t>(room / 3, columns(numbers) + 1);
  if (columns(path) > most) {
    std::size_t at = path.size() - std::min(path.size(), most - 1);
    while (at < path.size() && (static_cast<unsigned char>(path[at]) & 0xc0) == 0x80) ++at;
    path = "…" + path.substr(at);
  }
  return text::one_line(path + ':' + numbers, room);
}

}  // namespace

std::string matrix(const Reports& reports, const std::vector<arch::Device>& wanted,
                   const Style& style) {
  std::string out;
  for (const audit::Report& report : reports) {
    if (!out.empty()) out += '\n';
    Listing listing(report, style);
    Paint paint(style.colour);
    std::vector<std::string> names;
    for (arch::Device d : report.targets) names.push_back(d.dotted());
    std::size_t taken = 0;
    for (const std::string& n : names) taken += n.size() + 1;
    std::size_t room =
        std::max<std::size_t>(static_cast<std::size_t>(style.width) -
                                  std::min(taken, static_cast<std::size_t>(style.width)),
                              40);
    out += padded("", room);
    for (const std::string& n : names) out += ' ' + n;
    out += '\n';
    std::string package;
    for (const Row& row : rows_of(report, wanted)) {
      if (std::string owner = owner_of(*row.first); owner != package) {
        package = owner;
        out += paint.bold(text::escape(package)) + '\n';
      }
      out += padded(subject(row, listing, room), room);
      for (std::size_t i = 0; i < names.size(); ++i)
        out += fmt::format(" {:>{}}", row.cells[i], names[i].size());
      out += '\n';
    }
    out += "\n+ admitted   - shut out   ~ served in another way   ? something else decides\n";
  }
  return out;
}

}  // namespace ungate::report

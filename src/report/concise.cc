#include <fmt/core.h>

#include "base/text.h"
#include "report/report.h"

namespace ungate::report {

namespace {

void add_lines(const audit::Report& report, const Style& style, std::string& out) {
  for (const gate::Gate& g : report.gates) {
    for (const gate::Standing& s : g.standings) {
      if (!is_shown(s, style)) continue;
      std::string path =
          style.absolute ? report.environment->sites[g.site].path + '/' + g.path : g.path;
      std::string_view verdict = gate::name_of(s.verdict);
      out += fmt::format("{}:{}:{}: {} {} {} {} {} [{}] {}\n", text::escape(path), g.begin.line,
                         g.begin.column, s.device.name(), gate::name_of(s.admits),
                         gate::name_of(s.effect), verdict.empty() ? "-" : verdict, g.form, g.id,
                         text::escape(text::one_line(g.expression, 100)));
    }
  }
}

}  // namespace

std::string concise(const Reports& reports, const Style& style) {
  std::string out;
  for (const audit::Report& report : reports) add_lines(report, style, out);
  return out;
}

}  // namespace ungate::report

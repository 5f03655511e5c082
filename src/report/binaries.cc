#include "report/binaries.h"

#include <fmt/core.h>

#include "base/text.h"
#include "report/report.h"

namespace ungate::report {

bool is_binary(const Entry& entry) { return entry.gate->form.starts_with("binary-"); }

std::string binaries(const Entries& entries, const Listing& listing, const Paint& paint,
                     std::size_t width) {
  std::string out;
  for (const Entries& package :
       runs_of(entries, [](const Entry& e) { return owner_of(*e.gate); })) {
    out += "  " + paint.bold(text::escape(owner_of(*package.front().gate))) + '\n';
    for (const Entry& e : package) {
      const gate::Standing& s = *e.standing;
      out += fmt::format("    {}  {}  {}\n", listing.path_of(*e.gate),
                         paint.effect(s.effect, std::string(gate::name_of(s.effect))),
                         paint.dim(e.gate->id));
      for (const gate::Evidence& evidence : s.evidence) {
        bool elsewhere = !evidence.where.empty() && evidence.where != e.gate->path;
        out += wrapped(text::escape(evidence.what + (elsewhere ? " (" + evidence.where + ')' : "")),
                       8, width);
      }
      for (const std::string& why : s.unknown_because) out += wrapped(text::escape(why), 8, width);
    }
  }
  return out;
}

}  // namespace ungate::report

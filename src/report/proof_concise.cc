// A proof, one line a unit and code target.
#include <fmt/core.h>

#include "base/text.h"
#include "report/proof_view.h"

namespace ungate::report {
namespace {

std::string words_of(const std::vector<prove::Problem>& problems) {
  std::vector<std::string> out;
  for (const prove::Problem& p : problems) {
    std::string text = p.kind + ": " + (p.kernel.empty() ? "" : p.kernel + ' ') + p.what;
    if (p.count > 1) text += fmt::format(" ({} instances)", p.count);
    if (!p.where.empty()) text += " at " + p.where;
    out.push_back(text::escape(text));
  }
  return text::join(out, "; ");
}

}  // namespace

std::string proof_concise(const ProofView& view, const Style&) {
  std::string out;
  for (const prove::UnitProof& unit : view.proof.units) {
    auto judged = view.judged.find(unit.unit.module);
    std::string word = judged == view.judged.end() ? "-" : judged->second;
    for (const prove::TargetProof& t : unit.targets) {
      std::string result = !t.after ? "unknown-target" : !t.after->compiled ? "fails" : t.problems.empty() ? "whole" : "problems";
      std::size_t kernels = t.after ? t.after->kernels.size() : 0;
      double cpu = t.after ? t.after->cpu_seconds : 0;
      std::string what = words_of(t.problems), notes = text::join(t.notes, "; ");
      if (!notes.empty()) what += (what.empty() ? "" : "; ") + notes;
      out += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{:.0f} s\t{}\n", result, unit.unit.source, t.target.name(), unit.unit.module, word, kernels, cpu,
                         what.empty() ? "-" : what);
    }
    for (const prove::OtherProof& o : unit.others) {
      std::string how(o.known ? prove::name_of(o.unchanged.same) : "unknown-target");
      out += fmt::format("{}\t{}\t{}\t{}\t{}\t-\t{:.0f} s\t{}\n", how, unit.unit.source, o.target.name(), unit.unit.module, word, o.unchanged.cpu_seconds,
                         o.problems.empty() ? "-" : words_of(o.problems));
    }
  }
  return out;
}

}  // namespace ungate::report

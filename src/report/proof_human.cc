// A proof for people.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/text.h"
#include "prove/kernel_rows.h"
#include "report/proof_view.h"
#include "report/words.h"

namespace ungate::report {
namespace {

std::string file_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

std::string_view sentence_of(prove::Same same) {
  switch (same) {
    case prove::Same::tokens: return "unchanged: the compiler sees the same text";
    case prove::Same::device_text: return "unchanged: the same device code; host code differs";
    case prove::Same::ptx: return "unchanged: every kernel has the same PTX";
    case prove::Same::code: return "unchanged: every kernel has the same machine code";
    case prove::Same::no: return "CHANGED";
  }
  return "";
}

class Human {
 public:
  Human(const ProofView& view, const Style& style)
      : view_(view), paint_(style.colour), width_(static_cast<std::size_t>(style.width)) {}

  std::string text() {
    title();
    for (const prove::UnitProof& unit : view_.proof.units) one_unit(unit);
    what_was_not_asked();
    end();
    return std::move(out_);
  }

 private:
  void title() {
    std::vector<std::string> names;
    for (arch::Device d : view_.targets) names.push_back(d.name());
    out_ += paint_.bold("ungate prove for " + text::join(names, ", ")) + "  " + text::escape(view_.subject) + '\n';
    out_ += "  in " + text::escape(view_.where) + '\n';
    const prove::Proof& p = view_.proof;
    if (!p.compiler.empty()) out_ += "  with " + p.compiler + ", " + text::escape(p.compiler_path) + " (by " + p.compiler_found_by + ")\n";
    for (const std::string& note : view_.notes) out_ += wrapped("note: " + note, 2, width_);
  }

  void one_unit(const prove::UnitProof& unit) {
    out_ += '\n' + paint_.bold(file_name(unit.unit.source)) + "  of " + unit.unit.module + "  " +
            (unit.ok() ? paint_.green("proved") : paint_.red("FAILED")) + '\n';
    const prove::TargetProof* above = nullptr;
    for (const prove::TargetProof& t : unit.targets) {
      one_target(t, above);
      above = &t;
    }
    for (const prove::OtherProof& o : unit.others) one_other(o);
  }

  static std::string cost(double seconds, double cpu, bool kept) {
    return kept ? fmt::format("kept; took {:.1f} s", seconds) : fmt::format("{:.1f} s, CPU {:.1f} s", seconds, cpu);
  }

  // The same kernels, with the same that is wrong with them: nothing new is said.
  static bool alike(const prove::TargetProof& a, const prove::TargetProof& b) {
    auto shape = [](const prove::Build& build) {
      std::map<std::string, std::vector<std::size_t>> out;
      for (const auto& [name, row] : prove::rows_of(build)) out[name] = {row.instances, row.nothing, row.traps, row.waits};
      return out;
    };
    auto same = [](const prove::Problem& x, const prove::Problem& y) {
      return std::tie(x.kind, x.kernel, x.where, x.count) == std::tie(y.kind, y.kernel, y.where, y.count);
    };
    return a.after && b.after && a.after->compiled && b.after->compiled && shape(*a.after) == shape(*b.after) &&
           std::ranges::equal(a.problems, b.problems, same) && a.notes == b.notes;
  }

  void one_target(const prove::TargetProof& t, const prove::TargetProof* above) {
    std::string line = "  " + padded(t.target.name(), 9);
    if (t.after && t.after->compiled) {
      line += fmt::format("compiles: {}, {} with a wait, {} launched programmatically", text::count(t.after->kernels.size(), "kernel"),
                          t.waits, t.launched_programmatic);
    } else {
      line += "does not compile";
    }
    if (t.after) line += "  (" + cost(t.after->seconds, t.after->cpu_seconds, t.after->kept) + ')';
    out_ += line + '\n';
    if (above != nullptr && alike(*above, t)) {
      std::string wrong = t.problems.empty() ? "" : fmt::format(", with the same {}", text::count(t.problems.size(), "problem"));
      out_ += "           kernels and waits as for " + above->target.name() + wrong + '\n';
      return;
    }
    if (t.after && t.after->compiled) kernels(t);
    for (const prove::Problem& p : t.problems) problem(p);
    for (const std::string& note : t.notes) out_ += wrapped("note: " + note, 11, width_);
  }

  void kernels(const prove::TargetProof& t) {
    auto after = prove::rows_of(*t.after);
    std::map<std::string, prove::KernelRow> before;
    if (t.before && t.before->compiled) before = prove::rows_of(*t.before);
    if (t.before && !t.before->compiled)
      out_ += wrapped("before: does not compile (" + text::escape(t.before->failure.message) + ')', 11, width_);
    std::size_t name_width = 0;
    for (const auto& [name, row] : after) name_width = std::max(name_width, name.size());
    for (const auto& [name, row] : after) {
      std::string line = "           " + padded(text::escape(name), name_width) + fmt::format(" ×{:<4}", row.instances);
      auto old = before.find(name);
      if (old != before.end()) {
        bool same = old->second.code.hex() == row.code.hex();
        line += same ? row.code.hex() + " as before" : old->second.code.hex() + (old->second.nothing > 0 ? " (empty)" : "") + " -> " + row.code.hex();
      } else {
        line += row.code.hex();
      }
      if (!t.after->assembled) line += " PTX only";
      line += fmt::format(" bytes, {} registers", row.registers.decimal());
      if (row.shared > 0) line += fmt::format(", {} bytes shared", row.shared);
      if (row.spills > 0) line += fmt::format(", spills up to {} bytes", row.spills);
      if (row.waits > 0) line += row.waits == row.instances ? ", waits" : fmt::format(", {} wait", row.waits);
      if (row.nothing > 0) line += row.nothing == row.instances ? ", EMPTY" : fmt::format(", {} EMPTY", row.nothing);
      if (row.traps > 0) line += row.traps == row.instances ? ", TRAPS" : fmt::format(", {} TRAP", row.traps);
      out_ += line + '\n';
    }
  }

  void one_other(const prove::OtherProof& o) {
    std::string line = "  " + padded(o.target.name(), 9);
    if (!o.known) {
      out_ += line + "not proved: " + view_.proof.compiler + " does not know it\n";
      return;
    }
    line += std::string(sentence_of(o.unchanged.same));
    line += "  (" + cost(o.unchanged.seconds, o.unchanged.cpu_seconds, o.unchanged.kept) + ')';
    out_ += line + '\n';
    if (!o.unchanged.host.empty()) {
      std::vector<std::string> names;
      for (const std::string& h : o.unchanged.host) names.push_back(h.substr(0, h.find(' ')));
      out_ += wrapped("host functions that differ: " + text::join(names, ", "), 11, width_);
    }
    for (const prove::Problem& p : o.problems) problem(p);
  }

  void problem(const prove::Problem& p) {
    std::string text = p.kind + ": ";
    if (!p.kernel.empty()) text += p.kernel + ' ';
    text += p.what;
    if (p.count > 1) text += fmt::format(" ({})", text::count(p.count, "instance"));
    out_ += paint_.red(wrapped(text::escape(text), 11, width_));
    if (!p.where.empty()) out_ += wrapped("at " + text::escape(p.where), 13, width_);
  }

  void what_was_not_asked() {
    const auto& list = view_.proof.not_proved;
    if (list.empty()) return;
    out_ += "\nNot proved:\n";
    for (const std::string& s : list) out_ += wrapped(text::escape(s), 2, width_);
  }

  void end() {
    const prove::Proof& p = view_.proof;
    out_ += '\n';
    std::string cost = p.cpu_seconds == 0 && p.seconds == 0 ? "kept from an earlier proof of the same texts" : fmt::format("{:.1f} s, CPU {:.1f} s", p.seconds, p.cpu_seconds);
    if (p.units.empty()) {
      out_ += p.not_proved.empty() ? "No unit is touched: there is nothing to compile.\n" : "Nothing was compiled.\n";
    } else if (p.ok()) {
      out_ += paint_.green(text::count(p.units.size(), "unit") + " proved") + " (" + cost + "). No GPU has run the code.\n";
    } else {
      std::size_t good = static_cast<std::size_t>(std::ranges::count_if(p.units, &prove::UnitProof::ok));
      out_ += paint_.red(fmt::format("{} of {} proved; {}", good, text::count(p.units.size(), "unit"), text::count(p.problem_count(), "problem"))) +
              " (" + cost + ").\n";
    }
  }

  const ProofView& view_;
  Paint paint_;
  std::size_t width_;
  std::string out_;
};

}  // namespace

std::string proof_human(const ProofView& view, const Style& style) {
  return Human(view, style).text();
}

}  // namespace ungate::report

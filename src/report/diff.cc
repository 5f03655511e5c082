#include "report/diff.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "report/words.h"

namespace ungate::report {
namespace {

using audit::Change;
using audit::Difference;
using audit::Record;

std::string_view sentence_of(Change change) {
  switch (change) {
    case Change::opened:
      return "was shut out, and is let in";
    case Change::closed:
      return "was let in, and is shut out";
    case Change::added:
      return "is shut out where nothing did it before";
    case Change::removed:
      return "was shut out; the gate is gone";
    case Change::changed:
      return "meets something else there";
  }
  return "";
}

// "supported_major_versions=[9, 10] -> supported_major_versions=[9, 10, 12]", or one text of both.
std::string text_of(const Difference& d) {
  if (d.before == nullptr || d.after == nullptr || d.before->expression == d.after->expression)
    return d.record().expression;
  return d.before->expression + " -> " + d.after->expression;
}

// What moved, where it is not the expression alone: "no raises policy -> no raises capability".
std::string standing_of(const Record& r) {
  return r.admits + ' ' + r.effect + (r.verdict.empty() ? "" : ' ' + r.verdict);
}

class Human {
 public:
  Human(const DiffView& view, const DiffStyle& style)
      : view_(view), style_(style), paint_(style.colour), width_(static_cast<std::size_t>(style.width)) {}

  std::string text() {
    for (const DiffView::OfTarget& t : view_.targets) one(t);
    packages();
    remarks();
    return std::move(out_);
  }

 private:
  void one(const DiffView::OfTarget& t) {
    if (!out_.empty()) out_ += '\n';
    out_ += paint_.bold("ungate diff for " + t.target) + '\n';
    out_ += "  from " + text::escape(view_.a->name) + "\n  to   " + text::escape(view_.b->name) + "\n\n";
    std::map<Change, std::vector<Difference>> by_change;
    for (const Difference& d : t.comparison.gates) by_change[d.change].push_back(d);
    if (t.comparison.gates.empty() && t.comparison.code.empty()) {
      out_ += "Nothing differs for " + t.target + ".\n";
      return;
    }
    for (const auto& [change, gates] : by_change) {
      out_ += fmt::format("{:>7}  {:<8}  {} {}\n", grouped(gates.size()), audit::name_of(change), t.target,
                          sentence_of(change));
    }
    if (!t.comparison.code.empty())
      out_ += fmt::format("{:>7}  {:<8}  hold other code objects\n", grouped(t.comparison.code.size()),
                          t.comparison.code.size() == 1 ? "file" : "files");
    out_ += fmt::format("{:>7}  alike     in both\n", grouped(t.comparison.alike));
    code(t.comparison.code);
    for (const auto& [change, gates] : by_change) {
      bool minor = change == Change::removed || change == Change::changed;
      if (minor && !style_.full)
        hidden_ = true;
      else
        list(change, gates);
    }
  }

  void list(Change change, const std::vector<Difference>& gates) {
    std::string name(audit::name_of(change));
    name[0] = static_cast<char>(name[0] - 'a' + 'A');
    out_ += '\n' + paint_.bold(name) + '\n';
    std::string path;
    for (const Difference& d : gates) {
      const Record& r = d.record();
      if (r.path != path) out_ += "  " + text::escape(path = r.path) + '\n';
      std::string line = std::to_string(r.line);
      std::string effect = change == Change::opened ? d.before->effect : r.effect;
      out_ += fmt::format("    {:>6}  {:<16}{}  {}\n", line, effect, r.verdict.empty() ? "" : r.verdict + "  ",
                          paint_.dim(r.id));
      out_ += wrapped(text::escape(text_of(d)), 12, width_);
      if (change == Change::changed) {
        out_ += wrapped(standing_of(*d.before) + " -> " + standing_of(*d.after), 12, width_);
      }
    }
  }

  void code(const std::vector<audit::CodeDifference>& files) {
    if (files.empty()) return;
    out_ += '\n' + paint_.bold("Code objects") + '\n';
    for (const audit::CodeDifference& d : files) {
      std::vector<std::string> parts;
      if (d.after == "-") {
        parts.push_back("the file is gone");
      } else if (d.before == "-") {
        parts.push_back("the file is new: " + text::join(d.added, ", "));
      } else {
        if (!d.dropped.empty()) parts.push_back(text::join(d.dropped, ", ") + " dropped");
        if (!d.added.empty()) parts.push_back(text::join(d.added, ", ") + " added");
        if (d.before != d.after)
          parts.push_back(fmt::format("loads on {}: {} -> {}", d.target, d.before, d.after));
      }
      out_ += "  " + text::escape(d.path) + '\n' + wrapped(text::escape(text::join(parts, "; ")), 6, width_);
    }
  }

  // Only packages that are not the same in both.
  void packages() {
    std::vector<std::string> gone, come;
    std::ranges::set_difference(view_.a->packages, view_.b->packages, std::back_inserter(gone));
    std::ranges::set_difference(view_.b->packages, view_.a->packages, std::back_inserter(come));
    if (gone.empty() && come.empty()) return;
    out_ += '\n' + paint_.bold("Packages") + '\n';
    if (!gone.empty()) out_ += wrapped("from " + text::escape(text::join(gone, ", ")), 2, width_);
    if (!come.empty()) out_ += wrapped("to   " + text::escape(text::join(come, ", ")), 2, width_);
  }

  void remarks() {
    std::vector<std::string> lines;
    if (!view_.a->open || !view_.b->open) {
      lines.push_back("A report without --all leaves out gates that let the target in: what is removed may have "
                      "been opened, what is added may have been closed.");
    }
    if (view_.suppressed != 0)
      lines.push_back(text::count(view_.suppressed, "difference") + " left out by the ignore file.");
    if (hidden_) lines.push_back("--full lists what was removed and changed, too.");
    if (!lines.empty()) out_ += '\n';
    for (const std::string& line : lines) out_ += wrapped(line, 0, width_);
  }

  const DiffView& view_;
  const DiffStyle& style_;
  Paint paint_;
  std::size_t width_;
  bool hidden_ = false;
  std::string out_;
};

}  // namespace

std::string diff_human(const DiffView& view, const DiffStyle& style) {
  return Human(view, style).text();
}

std::string diff_concise(const DiffView& view, const DiffStyle&) {
  std::string out;
  for (const DiffView::OfTarget& t : view.targets) {
    for (const Difference& d : t.comparison.gates) {
      const Record& r = d.record();
      out += fmt::format("{} {} {}:{}: {} [{}] {}\n", audit::name_of(d.change), t.target, text::escape(r.path),
                         r.line, r.form, r.id, text::escape(text_of(d)));
    }
    for (const audit::CodeDifference& d : t.comparison.code) {
      auto say = [&](std::string_view word, const std::vector<std::string>& code) {
        if (code.empty()) return;
        out += fmt::format("{} {} {}: {} ({} -> {})\n", word, t.target, text::escape(d.path),
                           text::join(code, ", "), d.before, d.after);
      };
      say("code-dropped", d.dropped);
      say("code-added", d.added);
    }
  }
  return out;
}

}  // namespace ungate::report

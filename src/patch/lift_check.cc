#include "patch/lift_check.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/core.h>

#include "base/text.h"
#include "patch/gate_match.h"

namespace ungate::patch {
namespace {

using arch::DeviceSet;
using gate::Gate;
using source::Range;

using FileKey = std::pair<std::uint32_t, std::string>;
FileKey file_of(const Gate& g) {
  return {g.site, g.path};
}

// Where texts of a file are once it is edited.
class Shift {
 public:
  void add(const source::Edit& edit) { edits_.push_back(edit); }
  void sort() {
    std::ranges::sort(edits_, {}, [](const source::Edit& e) { return e.range.begin; });
  }

  // A range begins behind what is inserted at its begin, and ends before what is inserted at its
  // end; what stands at the borders of a replaced text stays within the new one.
  Range moved(Range r) const {
    std::int64_t by = 0;
    Range out = r;
    for (const source::Edit& e : edits_) {
      std::int64_t grows = static_cast<std::int64_t>(e.after.size()) - e.range.size();
      if (e.range.end <= r.begin) {
        by += grows;
        continue;
      }
      if (e.range.begin < r.begin)
        out.begin = e.range.begin;  // replaced together with what is before it
      if (e.range.begin >= r.end) break;
      std::uint32_t end = std::max(r.end, e.range.end);
      out.end = static_cast<std::uint32_t>(std::max<std::int64_t>(out.end, end) + grows);
    }
    return {static_cast<std::uint32_t>(out.begin + by), static_cast<std::uint32_t>(out.end + by)};
  }

  // Whether a range of the edited text lies in what an edit brought.
  bool is_new(Range r) const {
    std::int64_t by = 0;
    for (const source::Edit& e : edits_) {
      auto begin = static_cast<std::uint32_t>(e.range.begin + by);
      if (Range{begin, begin + static_cast<std::uint32_t>(e.after.size())}.contains(r)) return true;
      by += static_cast<std::int64_t>(e.after.size()) - e.range.size();
    }
    return false;
  }

 private:
  std::vector<source::Edit> edits_;
};

bool overlap(Range a, Range b) {
  return a.begin < b.end && b.begin < a.end;
}

std::string_view said(const Gate& g, arch::Device d) {
  const gate::Standing* s = standing_of(g, d);
  return s == nullptr ? "not judged" : name_of(s->admits);
}

std::string shown(const Gate& g) {
  return fmt::format("'{}'", text::one_line(g.expression, 70));
}

class Check {
 public:
  Check(const std::vector<Gate>& before, const std::vector<Gate>& after,
        const std::vector<Opening>& openings)
      : before_(before), after_(after) {
    for (const Opening& o : openings) {
      openings_.emplace(o.gate, &o);
      asked_ |= o.admit;
      if (!o.gate->group.empty()) groups_.insert(o.gate->group);
    }
  }

  LiftCheck run(const std::vector<PlannedEdit>& edits) {
    for (const PlannedEdit& e : edits) shifts_[{e.site, e.path}].add(e.edit);
    for (auto& [file, shift] : shifts_) shift.sort();
    pair_up();
    for (const Gate& g : before_) {
      auto found = partner_.find(&g);
      judge(g, found == partner_.end() ? nullptr : found->second);
    }
    for (const Gate& g : after_) {
      if (!taken_.contains(&g)) judge_new(g);
    }
    out_.checked = true;
    return std::move(out_);
  }

  void compare_unread(const Unreadable& before, const Unreadable& after) {
    for (const auto& u : after) {
      if (std::ranges::find(before, u) != before.end()) continue;
      out_.problems.push_back({"the edited file is not understood: " + u.second, u.first});
    }
  }

 private:
  Range moved(const Gate& g) const {
    auto shift = shifts_.find(file_of(g));
    return shift == shifts_.end() ? g.range : shift->second.moved(g.range);
  }

  // Each gate before with the one after that stands where it stood: first those of the same form
  // and place, then what overlaps.
  void pair_up() {
    std::map<FileKey, std::vector<const Gate*>> by_file;
    for (const Gate& g : after_) by_file[file_of(g)].push_back(&g);
    auto pair = [&](const Gate& g, auto fits) {
      if (partner_.contains(&g)) return;
      auto in_file = by_file.find(file_of(g));
      if (in_file == by_file.end()) return;
      for (const Gate* other : in_file->second) {
        if (taken_.contains(other) || !fits(*other)) continue;
        partner_.emplace(&g, other);
        taken_.insert(other);
        return;
      }
    };
    for (const Gate& g : before_) {
      pair(g, [&, r = moved(g)](const Gate& o) { return o.range == r && o.form == g.form; });
    }
    for (const Gate& g : before_) {
      pair(g, [&, r = moved(g)](const Gate& o) {
        return o.range.begin == r.begin && overlap(o.range, r);
      });
    }
    for (const Gate& g : before_) {
      pair(g, [&, r = moved(g)](const Gate& o) { return overlap(o.range, r); });
    }
  }

  void problem(std::string what, const Gate& at) {
    out_.problems.push_back({std::move(what), place_of(at)});
  }

  void judge(const Gate& was, const Gate* is) {
    auto opening = openings_.find(&was);
    if (is == nullptr) {
      bool replaced = opening != openings_.end();
      if (replaced || !was.group.empty() || matters(was))
        problem(fmt::format("the gate {} is gone", shown(was)), was);
      return;
    }
    if (opening != openings_.end()) return judge_opened(was, *is, *opening->second);
    bool same = is->admitted == was.admitted;
    for (const gate::Standing& s : was.standings)
      same = same && said(*is, s.device) == name_of(s.admits);
    if (same) {
      ++out_.unchanged;
    } else if (follows(was, *is)) {
      out_.followed.push_back(place_of(*is));
    } else {
      problem(fmt::format("the gate {}, which no step opens, admits {} where it admitted {}",
                          shown(was), admits(*is), admits(was)),
              *is);
    }
  }

  static bool matters(const Gate& g) {
    return std::ranges::any_of(
        g.standings, [](const gate::Standing& s) { return s.effect != gate::Effect::definition; });
  }

  // A use of what was opened: it lets in more, namely devices that were asked for, and loses none.
  bool follows(const Gate& was, const Gate& is) const {
    const std::string& with = was.group.empty() ? was.follows : was.group;
    if (with.empty() || !groups_.contains(with)) return false;
    for (const gate::Standing& s : was.standings) {
      if (lets_in(was, s.device) && !lets_in(is, s.device)) return false;
    }
    return is.admitted.contains(was.admitted) && asked_.contains(is.admitted - was.admitted);
  }

  // "sm_90..sm_103 (sm_120: no)"
  static std::string admits(const Gate& g) {
    std::string out = arch::to_text(g.admitted);
    for (const gate::Standing& s : g.standings)
      out += fmt::format(", {}: {}", s.device.name(), name_of(s.admits));
    return out;
  }

  void judge_opened(const Gate& was, const Gate& is, const Opening& opening) {
    std::size_t problems = out_.problems.size();
    for (unsigned d : opening.admit) {
      if (!lets_in(is, arch::Device(d)))
        problem(fmt::format("the gate {} still shuts {} out", shown(is), arch::Device(d).name()),
                is);
    }
    if (DeviceSet lost = was.admitted - is.admitted; !lost.empty()) {
      problem(fmt::format("the gate {} shuts {} out, which it admitted before", shown(is),
                          arch::to_text(lost)),
              is);
    }
    if (DeviceSet added = is.admitted - was.admitted - opening.admit; !added.empty()) {
      problem(fmt::format("the gate {} admits {}, which nobody asked for", shown(is),
                          arch::to_text(added)),
              is);
    }
    if (problems == out_.problems.size()) ++out_.opened;
    if (opening.splits) kept_.push_back(&was);
  }

  void judge_new(const Gate& g) {
    auto shift = shifts_.find(file_of(g));
    bool ours = shift != shifts_.end() && shift->second.is_new(g.range);
    if (!ours) {
      problem(fmt::format("the gate {} was not there before", shown(g)), g);
      return;
    }
    // The rest of a block whose other part was opened.
    bool rest = std::ranges::any_of(
        kept_, [&](const Gate* was) { return was->path == g.path && was->admitted == g.admitted; });
    if (!rest && matters(g) && !lets_in(g, asked_)) {
      problem(fmt::format("the edit brings a gate {} that shuts {} out", shown(g),
                          arch::to_text(asked_)),
              g);
    }
  }

  const std::vector<Gate>& before_;
  const std::vector<Gate>& after_;
  std::map<const Gate*, const Opening*> openings_;
  std::set<std::string> groups_;
  DeviceSet asked_;
  std::map<FileKey, Shift> shifts_;
  std::map<const Gate*, const Gate*> partner_;
  std::set<const Gate*> taken_;
  std::vector<const Gate*> kept_;
  LiftCheck out_;
};

}  // namespace

LiftCheck check_lift(const std::vector<Gate>& before, const std::vector<Gate>& after,
                     const std::vector<Opening>& openings, const std::vector<PlannedEdit>& edits,
                     const Unreadable& unread_before, const Unreadable& unread_after) {
  Check check(before, after, openings);
  check.compare_unread(unread_before, unread_after);
  return check.run(edits);
}

}  // namespace ungate::patch

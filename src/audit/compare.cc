#include "audit/compare.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"

namespace ungate::audit {
namespace {

using Pointers = std::vector<const Record*>;

constexpr double kAlike = 0.5;

bool is_binary(const Record& r) { return r.form.starts_with("binary-"); }

// Twice the longest common subsequence by the sum of lengths: 1 for equal texts.
double likeness(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) return a == b;
  std::vector<std::size_t> row(b.size() + 1, 0);
  for (char c : a) {
    std::size_t corner = 0;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      std::size_t above = row[j];
      row[j] = c == b[j - 1] ? corner + 1 : std::max(row[j], row[j - 1]);
      corner = above;
    }
  }
  return 2.0 * static_cast<double>(row.back()) / static_cast<double>(a.size() + b.size());
}

class Pairing {
 public:
  Pairing(Pointers a, Pointers b) : a_(std::move(a)), b_(std::move(b)) {}

  // Pairs, then what is left of A, then what is left of B.
  std::vector<Difference> run() {
    by([](const Record& r) { return r.id; }, 0);
    by([](const Record& r) { return r.path + '\n' + r.in + '\n' + r.form + '\n' + r.expression; }, 0);
    by([](const Record& r) { return r.path + '\n' + r.in + '\n' + r.form; }, kAlike);
    by([](const Record& r) { return r.path + '\n' + r.in; }, kAlike);
    // A file that was moved.
    by([](const Record& r) { return r.in + '\n' + r.form + '\n' + r.expression; }, 0);
    for (const Record* r : a_) out_.push_back({Change::removed, r, nullptr});
    for (const Record* r : b_) out_.push_back({Change::added, nullptr, r});
    return std::move(out_);
  }

 private:
  // Pairs records with the same key, the most alike first, in order where they are equally alike.
  template <class Key>
  void by(Key key, double least) {
    std::map<std::string, std::pair<Pointers, Pointers>> groups;
    for (const Record* r : a_) groups[key(*r)].first.push_back(r);
    for (const Record* r : b_) groups[key(*r)].second.push_back(r);
    a_.clear(), b_.clear();
    for (auto& [k, group] : groups) {
      pair(group.first, group.second, least);
      a_.insert(a_.end(), group.first.begin(), group.first.end());
      b_.insert(b_.end(), group.second.begin(), group.second.end());
    }
  }

  void pair(Pointers& a, Pointers& b, double least) {
    if (a.empty() || b.empty()) return;
    // Gates that are equally alike keep their order in the file.
    for (Pointers* side : {&a, &b}) {
      std::ranges::sort(*side, {}, [](const Record* r) { return std::tie(r->path, r->line, r->id); });
    }
    struct Candidate {
      double likeness;
      const Record *a, *b;
    };
    std::vector<Candidate> candidates;
    for (std::size_t i = 0; i < a.size(); ++i) {
      for (std::size_t j = 0; j < b.size(); ++j) {
        if (least == 0 && i != j) continue;
        double like = least == 0 ? 1 : likeness(a[i]->expression, b[j]->expression);
        if (like >= least) candidates.push_back({like, a[i], b[j]});
      }
    }
    std::ranges::stable_sort(candidates, std::greater(), &Candidate::likeness);
    std::set<const Record*> taken;
    for (const Candidate& c : candidates) {
      if (taken.contains(c.a) || taken.contains(c.b)) continue;
      taken.insert({c.a, c.b});
      out_.push_back({Change::changed, c.a, c.b});
    }
    auto is_taken = [&](const Record* r) { return taken.contains(r); };
    std::erase_if(a, is_taken);
    std::erase_if(b, is_taken);
  }

  Pointers a_, b_;
  std::vector<Difference> out_;
};

// Whether it is worth telling, and what it is.
bool classify(Difference& d) {
  if (d.before == nullptr) return d.after->admits == "no";
  if (d.after == nullptr) return d.before->admits == "no";
  const std::string &was = d.before->admits, &is = d.after->admits;
  if (was == "no" && is == "yes") {
    d.change = Change::opened;
  } else if (was == "yes" && is == "no") {
    d.change = Change::closed;
  } else if (was == is) {
    return was == "no" && (d.before->verdict != d.after->verdict || d.before->effect != d.after->effect);
  } else if (was != "no" && is != "no") {
    return false;
  }
  return true;
}

// "sm_80 sm_90a; PTX sm_90" as a set of "sm_80", "sm_90a", "PTX sm_90".
std::set<std::string> code_in(const std::string& expression) {
  std::set<std::string> out;
  std::string_view rest = expression;
  bool ptx = false;
  for (std::string_view word : text::split(rest, ' ')) {
    if (word == "PTX") {
      ptx = true;
      continue;
    }
    if (word.ends_with(';')) word.remove_suffix(1);
    if (!word.empty()) out.insert((ptx ? "PTX " : "") + std::string(word));
  }
  return out;
}

struct Code {
  std::set<std::string> holds;
  std::string admits;  // the best of those that share a path
};

std::map<std::string, Code> code_by_path(const Records& records, const std::string& target) {
  auto rank = [](std::string_view admits) { return admits == "yes" ? 2 : admits == "unknown" ? 1 : 0; };
  std::map<std::string, Code> out;
  for (const Record& r : records.all) {
    if (r.target != target || !is_binary(r)) continue;
    Code& code = out[r.path];
    code.holds.merge(code_in(r.expression));
    if (code.admits.empty() || rank(r.admits) > rank(code.admits)) code.admits = r.admits;
  }
  return out;
}

std::vector<CodeDifference> compare_code(const Records& a, const Records& b, const std::string& target) {
  auto before = code_by_path(a, target), after = code_by_path(b, target);
  std::set<std::string> paths;
  for (const auto& [path, code] : before) paths.insert(path);
  for (const auto& [path, code] : after) paths.insert(path);
  std::vector<CodeDifference> out;
  for (const std::string& path : paths) {
    // A report that leaves out what admits the target does not say that a file is gone.
    bool was = before.contains(path), is = after.contains(path);
    if ((!was && !a.open) || (!is && !b.open)) continue;
    CodeDifference d{path, target, {}, {}, was ? before[path].admits : "-", is ? after[path].admits : "-"};
    std::ranges::set_difference(after[path].holds, before[path].holds, std::back_inserter(d.added));
    std::ranges::set_difference(before[path].holds, after[path].holds, std::back_inserter(d.dropped));
    if (!d.added.empty() || !d.dropped.empty() || d.before != d.after) out.push_back(std::move(d));
  }
  return out;
}

Pointers gates_of(const Records& records, const std::string& target) {
  Pointers out;
  for (const Record& r : records.all) {
    if (r.target == target && !is_binary(r)) out.push_back(&r);
  }
  return out;
}

}  // namespace

std::string_view name_of(Change change) {
  constexpr std::string_view kNames[] = {"opened", "closed", "added", "removed", "changed"};
  return kNames[static_cast<std::size_t>(change)];
}

Comparison compare(const Records& a, const Records& b, const std::string& target) {
  Comparison out;
  for (Difference& d : Pairing(gates_of(a, target), gates_of(b, target)).run()) {
    if (classify(d)) {
      out.gates.push_back(d);
    } else if (d.before != nullptr && d.after != nullptr && d.after->admits != "yes") {
      ++out.alike;
    }
  }
  std::ranges::stable_sort(out.gates, {}, [](const Difference& d) {
    const Record& r = d.record();
    return std::tie(d.change, r.path, r.line, r.id);
  });
  out.code = compare_code(a, b, target);
  return out;
}

bool is_worse(const Comparison& comparison) {
  auto closes = [](const Difference& d) {
    return d.change == Change::closed || d.change == Change::added;
  };
  auto lost = [](const CodeDifference& d) { return d.before != "no" && d.before != "-" && d.after == "no"; };
  return std::ranges::any_of(comparison.gates, closes) || std::ranges::any_of(comparison.code, lost);
}

}  // namespace ungate::audit

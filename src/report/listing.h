// Lists of gates for people (internal to report/).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "report/report.h"
#include "report/words.h"

namespace ungate::report {

// A gate as it stands to the target that is being reported.
struct Entry {
  const gate::Gate* gate = nullptr;
  const gate::Standing* standing = nullptr;
};
using Entries = std::vector<Entry>;

class Listing {
 public:
  Listing(const audit::Report& report, const Style& style);

  // Under "package version" and file, each gate with its effect, expression, id and what it guards.
  // What gates of a file have in common (the same condition thirteen times) is said once.
  std::string in_detail(const Entries& entries) const;
  // What the target meets in each package, and a line for each file where a program stops or gives
  // wrong results; of other files only how many.
  std::string by_package(const Entries& entries) const;
  // "flashinfer/jit/comm.py:61" of a gate's id; the id itself if it is not in the report.
  std::string place_of(const std::string& id) const;
  std::string path_of(const gate::Gate& gate) const;

 private:
  std::string file_in_short(const Entries& entries) const;
  std::string file_in_detail(const Entries& entries) const;
  std::string one(const Entry& entry) const;
  std::string alike(const Entries& entries) const;
  std::string line_of(const Entry& entry, std::string_view text) const;
  std::string behind(const Entry& entry) const;

  const audit::Report& report_;
  const Style& style_;
  Paint paint_;
  std::map<std::string, const gate::Gate*> by_id_;
};

// Entries cut into runs that share a key, in order.
template <class Key>
std::vector<Entries> runs_of(const Entries& entries, Key&& key) {
  std::vector<Entries> out;
  for (const Entry& e : entries) {
    if (out.empty() || key(out.back().front()) != key(e)) out.emplace_back();
    out.back().push_back(e);
  }
  return out;
}

// "flashinfer-python 0.6.3"; files that no distribution owns: "(no package)".
std::string owner_of(const gate::Gate& gate);

}  // namespace ungate::report

// The head of an audit's report for people (internal to report/).
#pragma once

#include "report/listing.h"

namespace ungate::report {

// The gates of a report, by how they stand to one target.
struct Sorted {
  Entries shut, undecided, admitted;
  Sorted(const audit::Report& report, std::size_t target);
};

// Those of one verdict.
Entries pick(const Entries& entries, gate::Verdict verdict);

// How many gates shut the target out, by verdict, what the verdicts mean, and the same by package.
std::string summary(const audit::Report& report, arch::Device target, const Sorted& sorted,
                    std::size_t width);

}  // namespace ungate::report

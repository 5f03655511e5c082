// Audits with a look at one gate or one line, while everything that the analysis knew is still
// there.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cli/analysis.h"
#include "report/explain.h"

namespace ungate::cli {

// "flashinfer/jit/comm.py:61" (a column behind it is left out).
struct PlaceName {
  std::string path;
  std::uint32_t line = 0;
};
std::optional<PlaceName> parse_place(const std::string& text);
// Eight hex digits, or at least four of them.
bool looks_like_id(const std::string& text);

// The file that a place means: in full, relative to the working folder, or to an import root.
struct FoundFile {
  std::uint32_t site = 0;
  std::string path;  // relative to it
};
// `archive`: the one that the environment is, or nullptr.
std::optional<FoundFile> find_file(const package::Environment& environment,
                                   const audit::ArchiveTree* archive, const PlaceName& place);

// As find_subject(); where no environment is named, the one that the file lies in.
Result<std::unique_ptr<Subject>> find_subject_of(const AnalysisFlags& flags, const PlaceName& place,
                                                 Console& console);
// For messages: the prefix or first site.
std::string name_of(const std::vector<package::Environment>& environments);

// The report is kept since the explanation points into it.
struct Inspection {
  std::unique_ptr<audit::Report> report;
  report::Explanation explanation;
};

// No gates in the explanation: there is none of that id. `not_found` if it means several.
Result<Inspection> inspect_gate(const Subject& subject, const package::Environment& environment,
                                const std::string& id);
Result<Inspection> inspect_line(const Subject& subject, const package::Environment& environment,
                                const FoundFile& file, std::uint32_t line);

}  // namespace ungate::cli

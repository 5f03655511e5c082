// Golden cases: folders below tests/golden that hold a case.yaml.
//
//   before/    the packages' files, as installed
//   home/      what lies in the user's home folder; may be missing
//   NAME.txt   what the command of the run NAME prints
//   NAME/      the files that it changes, as they are afterwards
//
// case.yaml:
//   target: sm_120
//   packages: [{name: flashinfer-python, version: 0.6.3, folder: flashinfer}]
//   runs:
//     - name: default            # its command is `plan`, unless it says `command: audit`
//       flags: [--member, auto]  # of the command
//       status: 3                # its exit status; 1 if it is not given
//       edits:                   # what somebody did to the files since: `replace` occurs once
//         - {path: flashinfer/aot.py, replace: "old", with: "new"}
//
// UNGATE_BLESS=1 in the environment writes NAME.txt and NAME/ instead of comparing.
#pragma once

#include <string>
#include <vector>

#include "support/installed.h"

namespace ungate::golden {

struct CaseRun {
  std::string name, command = "plan";
  std::vector<std::string> flags;
  int status = 1;
  struct Edit {
    std::string path, replace, with;
  };
  std::vector<Edit> edits;
};

struct Case {
  std::string folder;  // absolute
  std::string name;    // its path below tests/golden
  std::string target;
  std::vector<testing_support::SmallPackage> packages;
  std::vector<CaseRun> runs;
};

// All below a folder of tests/golden, by name. A case that cannot be read has no runs.
std::vector<Case> cases_below(const std::string& folder);

// Its files, with a run's edits made.
testing_support::Bytes files_of(const Case& the_case, const CaseRun& run);

bool blessing();

}  // namespace ungate::golden

// Processes that have something loaded which an edit does not reach until they are restarted.
#pragma once

#include <string>
#include <vector>

namespace ungate::patch {

struct ProcessUse {
  enum class How { mapped, working_folder, open_file };
  int pid = 0;
  std::string command;  // its name, as the kernel has it
  How how = How::mapped;
  std::string
      path;  // the first such file or folder found, mapped before working folder before open
};

struct ProcessReport {
  std::vector<ProcessUse> uses;    // by process id, one a process
  std::size_t unreadable = 0;      // processes of others that could not be looked into
};

// Processes that have a file below one of the folders mapped or open, or work in one. The folders
// are absolute with links resolved: the package's folder, the environment's site-packages (Python
// sources are neither mapped nor kept open, other modules of the same process are), and the JIT
// caches' bases. `proc` is where procfs is. The asking process itself is left out.
ProcessReport find_processes(const std::vector<std::string>& folders,
                             const std::string& proc = "/proc");

}  // namespace ungate::patch

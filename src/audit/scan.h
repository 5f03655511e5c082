// One read of every source file: what words a Python file holds, whether a CUDA file asks for the device.
#pragma once

#include <atomic>
#include <set>
#include <vector>

#include "audit/store.h"
#include "base/symbol.h"
#include "python/words.h"

namespace ungate::audit {

struct Scan {
  std::vector<FoundFile> python;          // in the walk's order
  std::vector<std::vector<python::WordHash>> words;  // of each of them
  std::vector<char> seeded;               // whether it holds one of the seeds
  std::vector<std::string> cuda;          // paths of files that name the target macros
  std::vector<std::string> host;          // paths of C++ files that ask for the device at run time
  std::vector<Unread> unread;
};

// Keeps in `store` the texts of Python files that hold one of `seeds`, and of CUDA files that hit; other
// texts are dropped and read again if a later round asks for them.
// `macros`: what else than __CUDA_ARCH__ stands for the code target; `host_seeds`: what makes a C++ file one that asks for the device.
Scan scan(const std::vector<FoundFile>& files, const python::WordSet& seeds, const std::vector<std::string>& host_seeds,
          const std::vector<std::string>& macros, FileStore& store, const Overlay* overlay, unsigned threads, const std::atomic<bool>& cancelled);

// The C++ files among `files`, in the folder that their paths begin with, that hold one of the names as a word;
// those in folders of `headers` are left out.
std::vector<std::string> cuda_holders(const std::vector<FoundFile>& files, const std::vector<Symbol>& names,
                                      const std::string& folder, const std::vector<std::string>& headers,
                                      FileStore& store, unsigned threads);

}  // namespace ungate::audit

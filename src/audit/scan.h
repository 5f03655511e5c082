// One read of every source file: what words a Python file holds, whether a CUDA file asks for the device.
#pragma once

#include <atomic>
#include <vector>

#include "audit/store.h"
#include "python/words.h"

namespace ungate::audit {

struct Scan {
  std::vector<FoundFile> python;          // in the walk's order
  std::vector<std::vector<python::WordHash>> words;  // of each of them
  std::vector<std::string> cuda;          // paths of files that name the target macros
  std::vector<Unread> unread;
};

// Keeps in `store` the texts of Python files that hold one of `seeds`, and of CUDA files that hit; other
// texts are dropped and read again if a later round asks for them.
Scan scan(const std::vector<FoundFile>& files, const python::WordSet& seeds, FileStore& store, const Overlay* overlay,
          unsigned threads, const std::atomic<bool>& cancelled);

}  // namespace ungate::audit

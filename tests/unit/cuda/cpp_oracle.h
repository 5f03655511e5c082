// A real preprocessor as the judge: which marker lines of a text survive.
#pragma once

#include <unistd.h>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <string_view>

#include "arch/device.h"

namespace ungate::cuda {

// A file with that text in a folder that goes away with it.
class TempFile {
 public:
  TempFile(std::string_view name, std::string_view text) {
    std::string pattern = (std::filesystem::temp_directory_path() / "ungate-cuda-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    path_ = folder_ / name;
    std::ofstream(path_) << text;
  }
  ~TempFile() { std::filesystem::remove_all(folder_); }
  TempFile(const TempFile&) = delete;
  TempFile& operator=(const TempFile&) = delete;
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path folder_, path_;
};

// The words MARK<n> in what a command prints; `ok` tells whether it succeeded.
inline std::set<int> surviving(const std::string& command, bool& ok) {
  std::set<int> out;
  std::string text;
  FILE* pipe = popen((command + " 2>/dev/null").c_str(), "r");
  for (char buffer[4096]; std::size_t n = fread(buffer, 1, sizeof buffer, pipe);)
    text.append(buffer, n);
  ok = pclose(pipe) == 0;
  for (std::size_t at = text.find("MARK"); at != std::string::npos;
       at = text.find("MARK", at + 4)) {
    out.insert(std::atoi(text.c_str() + at + 4));
  }
  return out;
}

// GCC's preprocessor with what nvcc would define for a code target (written down apart from
// cuda/predefined.cc, on purpose).
inline std::string gcc_for(arch::CodeTarget target) {
  std::string arch = std::to_string(target.device().cuda_arch()),
              cc = std::to_string(target.device().cc());
  std::string out =
      "g++ -E -P -x c++ -w -U__linux__ -D__CUDACC__ -D__NVCC__ -D__CUDA_ARCH__=" + arch;
  switch (target.suffix()) {
    case arch::Suffix::plain: break;
    case arch::Suffix::exact:
      out += " -D__CUDA_ARCH_FEAT_SM" + cc + "_ALL -D__CUDA_ARCH_SPECIFIC__=" + arch +
             " -D__CUDA_ARCH_FAMILY_SPECIFIC__=" + arch;
      break;
    case arch::Suffix::family: out += " -D__CUDA_ARCH_FAMILY_SPECIFIC__=" + arch; break;
  }
  return out + ' ';
}

}  // namespace ungate::cuda

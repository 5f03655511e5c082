// A folder of a test's own, filled with small files and removed at the end.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace ungate::testing_support {

// Where there is a folder in memory, syncing costs nothing.
inline std::string fast_folder() {
  return access("/dev/shm", W_OK | X_OK) == 0 ? std::string("/dev/shm/") : ::testing::TempDir();
}

class TempTree {
 public:
  explicit TempTree(const std::string& parent = ::testing::TempDir()) {
    std::string pattern = parent + "ungate-XXXXXX";
    if (mkdtemp(pattern.data()) == nullptr) ADD_FAILURE() << "cannot make " << pattern;
    root_ = std::filesystem::canonical(pattern).string();
  }
  ~TempTree() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }
  TempTree(const TempTree&) = delete;
  TempTree& operator=(const TempTree&) = delete;

  const std::string& root() const { return root_; }
  std::string path(std::string_view relative) const { return root_ + '/' + std::string(relative); }

  std::string file(std::string_view relative, std::string_view bytes = {}) const {
    std::string at = path(relative);
    std::filesystem::create_directories(std::filesystem::path(at).parent_path());
    std::ofstream(at, std::ios::binary) << bytes;
    return at;
  }
  std::string folder(std::string_view relative) const {
    std::filesystem::create_directories(path(relative));
    return path(relative);
  }
  void link(std::string_view target, std::string_view relative) const {
    std::filesystem::create_directories(std::filesystem::path(path(relative)).parent_path());
    std::filesystem::create_symlink(target, path(relative));
  }
  std::string read(std::string_view relative) const { return read_absolute(path(relative)); }
  static std::string read_absolute(const std::string& at) {
    std::ifstream in(at, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  bool exists(std::string_view relative) const {
    return std::filesystem::exists(std::filesystem::symlink_status(path(relative)));
  }

 private:
  std::string root_;
};

}  // namespace ungate::testing_support

#include "corpus/releases.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

namespace ungate::corpus {
namespace {

namespace fs = std::filesystem;

fs::path cache() {
  if (const char* given = getenv("UNGATE_TEST_CACHE")) return given;
  if (const char* given = getenv("XDG_CACHE_HOME")) return fs::path(given) / "ungate-tests";
  const char* home = getenv("HOME");
  return fs::path(home != nullptr ? home : "/tmp") / ".cache/ungate-tests";
}

// Held while one process installs.
class Lock {
 public:
  explicit Lock(const fs::path& file)
      : descriptor_(open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
    if (descriptor_ < 0 || flock(descriptor_, LOCK_EX) != 0)
      throw std::runtime_error("no lock on " + file.string());
  }
  ~Lock() { close(descriptor_); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  int descriptor_;
};

}  // namespace

std::string quoted(const std::string& word) {
  std::string out = "'";
  for (char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + '\'';
}

std::string output_of(const std::string& command, int& status) {
  FILE* pipe = popen(command.c_str(), "re");
  if (pipe == nullptr) throw std::runtime_error("no shell");
  std::string out;
  std::array<char, 65536> buffer;
  while (std::size_t n = fread(buffer.data(), 1, buffer.size(), pipe)) out.append(buffer.data(), n);
  int ended = pclose(pipe);
  status = WIFEXITED(ended) ? WEXITSTATUS(ended) : 128;
  return out;
}

fs::path installed(const std::string& name, const std::vector<std::string>& requirements) {
  fs::create_directories(cache());
  Lock lock(cache() / (name + ".lock"));
  fs::path folder = cache() / name, fresh = cache() / (name + ".new");
  // What is there was made for the same requirements, or is made anew.
  std::string wanted;
  for (const std::string& r : requirements) wanted += r + '\n';
  std::ifstream in(folder / "requirements.txt");
  if (std::string held{std::istreambuf_iterator<char>(in), {}}; held == wanted)
    return folder / "packages";

  fs::remove_all(folder);
  fs::remove_all(fresh);
  fs::create_directories(fresh);
  std::string command =
      "python3 -m pip install --quiet --disable-pip-version-check --no-deps --target " +
      quoted(fresh / "packages");
  for (const std::string& r : requirements) command += ' ' + quoted(r);
  int status = 0;
  std::string said = output_of(command + " 2>&1", status);
  if (status != 0) throw std::runtime_error("pip: " + said);
  std::ofstream(fresh / "requirements.txt") << wanted;
  fs::rename(fresh, folder);
  return folder / "packages";
}

std::vector<std::string> lines_of(const fs::path& file) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error("no " + file.string());
  std::vector<std::string> out;
  for (std::string line; std::getline(in, line);) {
    if (!line.empty() && line.front() != '#') out.push_back(line);
  }
  return out;
}

std::vector<std::vector<std::string>> table(const fs::path& file) {
  std::vector<std::vector<std::string>> out;
  for (const std::string& line : lines_of(file)) {
    auto& row = out.emplace_back();
    for (std::size_t at = 0; at <= line.size();) {
      std::size_t end = std::min(line.find('\t', at), line.size());
      row.push_back(line.substr(at, end - at));
      at = end + 1;
    }
  }
  return out;
}

}  // namespace ungate::corpus

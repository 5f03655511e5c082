#include "cli/subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>

#include "base/text.h"

extern char** environ;

namespace ungate::cli {
namespace {

constexpr std::size_t kMost = 1 << 20;

// Reads until the end or the deadline; true if the end was met.
bool read_until(int descriptor, std::string& into, std::chrono::steady_clock::time_point deadline) {
  char buffer[4096];
  for (;;) {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
                    deadline - std::chrono::steady_clock::now())
                    .count();
    if (left <= 0 || into.size() > kMost) return false;
    pollfd waiting{descriptor, POLLIN, 0};
    if (poll(&waiting, 1, static_cast<int>(left)) <= 0) continue;
    ssize_t n = read(descriptor, buffer, sizeof buffer);
    if (n == 0) return true;
    if (n > 0)
      into.append(buffer, static_cast<std::size_t>(n));
    else if (errno != EINTR)
      return false;
  }
}

}  // namespace

std::optional<std::string> output_of(const std::vector<std::string>& command, int seconds) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  pid_t child = 0;
  int error =
      posix_spawn(&child, command.front().c_str(), &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string out;
  bool whole =
      error == 0 &&
      read_until(ends[0], out, std::chrono::steady_clock::now() + std::chrono::seconds(seconds));
  close(ends[0]);
  if (error != 0) return std::nullopt;
  if (!whole) kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!whole || !WIFEXITED(status) || WEXITSTATUS(status) != 0) return std::nullopt;
  return out;
}

std::string find_program(const std::string& name) {
  const char* path = getenv("PATH");
  for (std::string_view folder : text::split(path == nullptr ? "" : path, ':')) {
    std::string candidate = std::string(folder) + '/' + name;
    if (!folder.empty() && access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return {};
}

}  // namespace ungate::cli

#include "prove/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/file.h"

extern char** environ;

namespace ungate::prove {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kMostMessages = 4u << 20;
constexpr int kPollMs = 100;  // how soon a cancelled program is killed

struct Pipe {
  int ends[2] = {-1, -1};
  bool open() { return pipe2(ends, O_CLOEXEC) == 0; }
  void close_end(int i) {
    if (ends[i] >= 0) close(ends[i]);
    ends[i] = -1;
  }
  ~Pipe() { close_end(0), close_end(1); }
};

// This process's variables, with TMPDIR replaced.
std::vector<std::string> variables(const std::string& scratch) {
  std::vector<std::string> out;
  for (char** v = environ; *v != nullptr; ++v) {
    if (scratch.empty() || std::strncmp(*v, "TMPDIR=", 7) != 0) out.emplace_back(*v);
  }
  if (!scratch.empty()) out.push_back("TMPDIR=" + scratch);
  return out;
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (const std::string& t : texts) out.push_back(const_cast<char*>(t.c_str()));
  out.push_back(nullptr);
  return out;
}

int spawn(const std::vector<std::string>& command, const ProcessOptions& options, Pipe& out, Pipe& err, pid_t& child) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out.ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.ends[1], STDERR_FILENO);
  if (!options.folder.empty()) posix_spawn_file_actions_addchdir_np(&actions, options.folder.c_str());
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);  // ignored here, which children would inherit
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  auto environment = variables(options.scratch);
  int error = posix_spawn(&child, command.front().c_str(), &actions, &attributes, pointers(command).data(),
                          pointers(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

// One read of what is there; false at the end.
bool read_some(int descriptor, std::string& into, std::size_t most) {
  char buffer[1 << 16];
  ssize_t n = read(descriptor, buffer, sizeof buffer);
  if (n > 0 && into.size() < most) into.append(buffer, static_cast<std::size_t>(n));
  return n > 0 || (n < 0 && errno == EINTR);
}

enum class End { closed, cancelled, late };

End drain(Pipe& out, Pipe& err, ProcessResult& result, const ProcessOptions& options, Clock::time_point began) {
  while (out.ends[0] >= 0 || err.ends[0] >= 0) {
    if (options.cancelled != nullptr && *options.cancelled) return End::cancelled;
    if (options.seconds > 0 && Clock::now() - began > std::chrono::seconds(options.seconds)) return End::late;
    pollfd waiting[2] = {{out.ends[0], POLLIN, 0}, {err.ends[0], POLLIN, 0}};
    if (poll(waiting, 2, kPollMs) <= 0) continue;
    if (waiting[0].revents != 0 && !read_some(out.ends[0], result.output, SIZE_MAX)) out.close_end(0);
    if (waiting[1].revents != 0 && !read_some(err.ends[0], result.messages, kMostMessages)) err.close_end(0);
  }
  return End::closed;
}

double seconds_of(const timeval& t) {
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
}

}  // namespace

Result<ProcessResult> run_process(const std::vector<std::string>& command, const ProcessOptions& options) {
  Pipe out, err;
  if (!out.open() || !err.open()) return std::unexpected(os_error("starting", command.front(), errno));
  ProcessResult result;
  auto began = Clock::now();
  pid_t child = 0;
  if (int error = spawn(command, options, out, err, child); error != 0) {
    return fail(ErrorCode::tool_missing, std::string("cannot be started: ") + std::strerror(error), command.front());
  }
  out.close_end(1), err.close_end(1);
  End end = drain(out, err, result, options, began);
  if (end != End::closed) kill(-child, SIGKILL);
  int status = 0;
  rusage usage{};
  while (wait4(child, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  if (end == End::cancelled) return fail(ErrorCode::interrupted, "interrupted");
  if (end == End::late) return fail(ErrorCode::internal, "has not ended in " + std::to_string(options.seconds) + " s", command.front());
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  result.seconds = std::chrono::duration<double>(Clock::now() - began).count();
  result.cpu_seconds = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
  return result;
}

Result<ScratchFolder> ScratchFolder::make() {
  std::error_code ec;
  std::filesystem::path base = std::filesystem::temp_directory_path(ec);
  if (ec) base = "/tmp";
  std::string path = (base / "ungate-prove-XXXXXX").string();
  if (mkdtemp(path.data()) == nullptr) return std::unexpected(os_error("making a folder in", base.string(), errno));
  return ScratchFolder(std::move(path));
}

ScratchFolder::~ScratchFolder() {
  std::error_code ec;
  if (!path_.empty()) std::filesystem::remove_all(path_, ec);
}

}  // namespace ungate::prove

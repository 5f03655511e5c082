#include "cuda/libclang_child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "cuda/libclang_library.h"

namespace ungate::cuda {
namespace {

// What the child writes for each job: a header, then `count` ranges, or `count` bytes of a message.
struct Header {
  enum class What : std::uint32_t { version, no_library, ranges, failed } what;
  std::uint32_t count;
};

bool write_all(int fd, const void* data, std::size_t n) {
  auto at = static_cast<const char*>(data);
  while (n > 0) {
    ssize_t w = write(fd, at, n);
    if (w < 0 && errno == EINTR) continue;
    if (w <= 0) return false;
    at += w;
    n -= static_cast<std::size_t>(w);
  }
  return true;
}

void send(int fd, Header::What what, std::string_view text) {
  Header h{what, static_cast<std::uint32_t>(text.size())};
  write_all(fd, &h, sizeof h);
  write_all(fd, text.data(), text.size());
}

std::vector<source::Range> parse(const LibclangLibrary& lib, CXIndex index, const ClangJob& job,
                                 bool& ok) {
  std::vector<const char*> args;
  for (const std::string& a : job.arguments) args.push_back(a.c_str());
  CXUnsavedFile file{job.name.c_str(), job.text.data(), job.text.size()};
  // Without the preprocessing record there are no skipped ranges, and no error says so. Includes
  // are not cut off by SingleFileParse: that mode reads both arms where a macro is not defined,
  // while here an undefined macro is an answer like any other. They are not found (-nostdinc, a
  // name in no folder).
  unsigned options = CXTranslationUnit_DetailedPreprocessingRecord | CXTranslationUnit_KeepGoing |
                     CXTranslationUnit_SkipFunctionBodies;
  CXTranslationUnit unit = nullptr;
  std::vector<source::Range> out;
  ok = lib.parse(index, job.name.c_str(), args.data(), static_cast<int>(args.size()), &file, 1,
                 options, &unit) == CXError_Success;
  if (!ok || unit == nullptr) return out;
  CXSourceRangeList* ranges = lib.skipped_ranges(unit, lib.get_file(unit, job.name.c_str()));
  for (unsigned i = 0; ranges != nullptr && i < ranges->count; ++i) {
    unsigned begin = 0, end = 0;
    lib.file_location(lib.range_start(ranges->ranges[i]), nullptr, nullptr, nullptr, &begin);
    lib.file_location(lib.range_end(ranges->ranges[i]), nullptr, nullptr, nullptr, &end);
    out.push_back({begin, end});
  }
  if (ranges != nullptr) lib.dispose_ranges(ranges);
  lib.dispose_unit(unit);
  return out;
}

// The child: everything it needs was made before the fork.
[[noreturn]] void child(int fd, const std::vector<ClangJob>& jobs, std::size_t first,
                        const std::vector<std::string>& candidates) {
  int null = open("/dev/null", O_RDWR);
  for (int standard = 0; null >= 0 && standard <= 2; ++standard) dup2(null, standard);
  for (int s : {SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGFPE}) signal(s, SIG_DFL);
  auto library = open_libclang(candidates);
  if (!library) {
    send(fd, Header::What::no_library, library.error().what);
    _exit(0);
  }
  CXString version = library->version();
  send(fd, Header::What::version, library->c_string(version));
  CXIndex index = library->create_index(0, 0);
  for (std::size_t i = first; i < jobs.size(); ++i) {
    bool ok = false;
    std::vector<source::Range> ranges = parse(*library, index, jobs[i], ok);
    if (!ok) {
      send(fd, Header::What::failed, "libclang could not parse the file");
      continue;
    }
    Header h{Header::What::ranges, static_cast<std::uint32_t>(ranges.size())};
    write_all(fd, &h, sizeof h);
    write_all(fd, ranges.data(), ranges.size() * sizeof(source::Range));
  }
  _exit(0);
}

enum class Read { ok, end, timeout };

Read read_all(int fd, void* data, std::size_t n, unsigned timeout_seconds) {
  auto at = static_cast<char*>(data);
  while (n > 0) {
    pollfd p{fd, POLLIN, 0};
    int ready = poll(&p, 1, static_cast<int>(timeout_seconds * 1000));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return Read::timeout;
    ssize_t r = read(fd, at, n);
    if (r < 0 && errno == EINTR) continue;
    if (r <= 0) return Read::end;
    at += r;
    n -= static_cast<std::size_t>(r);
  }
  return Read::ok;
}

// Reads what the child says from job `next` on; gives how it ended.
Read listen(int fd, std::size_t& next, unsigned timeout, ClangRun& run, std::string& no_library) {
  while (next < run.jobs.size()) {
    Header h{};
    if (Read r = read_all(fd, &h, sizeof h, timeout); r != Read::ok) return r;
    ClangSkipped& job = run.jobs[next];
    Read r;
    if (h.what == Header::What::ranges) {
      job.ranges.resize(h.count);
      r = read_all(fd, job.ranges.data(), h.count * sizeof(source::Range), timeout);
      job.done = r == Read::ok;
    } else {
      std::string text(h.count, '\0');
      r = read_all(fd, text.data(), text.size(), timeout);
      if (h.what == Header::What::version) run.version = text;
      if (h.what == Header::What::no_library) no_library = text;
      if (h.what == Header::What::failed) job.reason = text;
    }
    if (r != Read::ok) return r;
    if (!no_library.empty()) return Read::end;
    if (h.what == Header::What::ranges || h.what == Header::What::failed) ++next;
  }
  return Read::ok;
}

std::string ending(Read how, int status) {
  if (how == Read::timeout) return "libclang took too long";
  if (WIFSIGNALED(status))
    return std::string("libclang crashed (") + strsignal(WTERMSIG(status)) + ')';
  return "libclang ended early";
}

}  // namespace

ClangRun run_libclang(const std::vector<ClangJob>& jobs, const std::vector<std::string>& candidates,
                      unsigned timeout_seconds) {
  ClangRun run;
  run.jobs.resize(jobs.size());
  std::string no_library;
  for (std::size_t next = 0; next < jobs.size() && no_library.empty();) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
      no_library = std::string("no pipe: ") + std::strerror(errno);
      break;
    }
    pid_t pid = fork();
    if (pid == 0) {
      close(ends[0]);
      child(ends[1], jobs, next, candidates);
    }
    close(ends[1]);
    if (pid < 0) {
      no_library = std::string("no child process: ") + std::strerror(errno);
      close(ends[0]);
      break;
    }
    Read how = listen(ends[0], next, timeout_seconds, run, no_library);
    close(ends[0]);
    if (how == Read::timeout) kill(pid, SIGKILL);
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (how != Read::ok && no_library.empty()) run.jobs[next++].reason = ending(how, status);
  }
  for (ClangSkipped& job : run.jobs) {
    if (!no_library.empty() && !job.done && job.reason.empty()) job.reason = no_library;
  }
  return run;
}

}  // namespace ungate::cuda

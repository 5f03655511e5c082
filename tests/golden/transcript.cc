#include "golden/transcript.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace ungate::golden {
namespace {

namespace fs = std::filesystem;

// Not TMPDIR: where a line is broken depends on the length of the paths in it.
fs::path new_folder() {
  char name[] = "/tmp/ungate-golden-XXXXXX";
  if (mkdtemp(name) == nullptr) throw std::runtime_error("no folder could be made in /tmp");
  return fs::canonical(name);
}

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != text.npos; at += with.size())
    text.replace(at, what.size(), with);
  return text;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(text.find('\n', at), text.size());
    out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

// Each line behind a mark; blanks at the end would get lost in editors.
std::string marked(const std::string& text, const std::string& mark) {
  std::string out;
  for (const std::string& line : lines_of(text)) {
    std::string shown = mark + line;
    shown.erase(shown.find_last_not_of(' ') + 1);
    out += shown + '\n';
  }
  return out;
}

}  // namespace

Shell::Shell(const std::vector<std::string>& programs)
    : folder_(new_folder()), outputs_(new_folder()) {
  std::string path;
  for (const std::string& p : programs) path += p + ':';
  variables_ = {"PATH=" + path + "/usr/bin:/bin",
                "HOME=" + (folder_ / "home").string(),
                "LC_ALL=C.UTF-8",
                "TERM=dumb",
                // Its version is part of what it says.
                "UNGATE_LIBCLANG=/nonexistent/libclang.so"};
  for (const char* kept : {"ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"}) {
    if (const char* value = getenv(kept)) variables_.push_back(std::string(kept) + '=' + value);
  }
}

Shell::~Shell() {
  std::error_code ignored;
  // A command may have taken rights away.
  for (fs::recursive_directory_iterator it(folder_, ignored), end; it != end; it.increment(ignored)) {
    if (it->is_directory(ignored) && !it->is_symlink(ignored))
      fs::permissions(it->path(), fs::perms::owner_all, fs::perm_options::add, ignored);
  }
  fs::remove_all(folder_, ignored);
  fs::remove_all(outputs_, ignored);
}

Outcome Shell::run(const std::string& command) {
  std::string out = outputs_ / "out", err = outputs_ / "err";
  std::string script = "cd " + folder_.string() + " && " + command;
  std::vector<char*> environment;
  for (std::string& v : variables_) environment.push_back(v.data());
  environment.push_back(nullptr);
  char shell[] = "/bin/sh", flag[] = "-c";
  char* arguments[] = {shell, flag, script.data(), nullptr};

  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  constexpr int kNew = O_WRONLY | O_CREAT | O_TRUNC;
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, out.c_str(), kNew, 0600);
  posix_spawn_file_actions_addopen(&files, 2, err.c_str(), kNew, 0600);
  pid_t child = 0;
  int failed = posix_spawn(&child, shell, &files, nullptr, arguments, environment.data());
  posix_spawn_file_actions_destroy(&files);
  if (failed != 0) throw std::runtime_error("/bin/sh could not be started");
  int status = 0;
  waitpid(child, &status, 0);

  Outcome outcome;
  outcome.out = replaced(read(out), folder_, "DIR");
  outcome.err = replaced(read(err), folder_, "DIR");
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return outcome;
}

std::optional<std::string> replay(const std::string& transcript, Shell& shell) {
  std::string out;
  for (const std::string& line : lines_of(transcript)) {
    if (line.starts_with("? ")) {
      if (shell.run(line.substr(2)).status != 0) return std::nullopt;
      out += line + '\n';
    } else if (line.starts_with("$ ")) {
      Outcome outcome = shell.run(line.substr(2));
      out += line + '\n' + marked(outcome.out, "| ") + marked(outcome.err, "! ");
      if (outcome.status != 0) out += "= " + std::to_string(outcome.status) + '\n';
    } else if (line.empty() || line.starts_with('#')) {
      out += line + '\n';
    }
  }
  return out;
}

}  // namespace ungate::golden

// Runs the built program as a user would, and gives what it said.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <map>
#include <string>
#include <vector>

namespace ungate::testing_support {

struct Ran {
  int status = -1;  // exit status; -1 if a signal ended it
  int signal = 0;
  std::string out, err;

  std::string all() const { return out + err; }
};

// Variables that are set for it; all others that could change what it says are taken away.
using Setting = std::map<std::string, std::string>;

inline std::string read_all(int fd) {
  std::string bytes;
  char buffer[65536];
  lseek(fd, 0, SEEK_SET);
  for (ssize_t n; (n = read(fd, buffer, sizeof buffer)) > 0;)
    bytes.append(buffer, static_cast<std::size_t>(n));
  return bytes;
}

inline Ran run_program(const std::string& program, const std::vector<std::string>& arguments,
                       const Setting& set = {}) {
  std::vector<std::string> environment = {"PATH=" + std::string(getenv("PATH")), "LC_ALL=C.UTF-8"};
  for (const auto& [name, value] : set) environment.push_back(name + '=' + value);
  std::vector<char*> argv = {const_cast<char*>(program.c_str())}, envp;
  for (const std::string& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
  for (const std::string& e : environment) envp.push_back(const_cast<char*>(e.c_str()));
  argv.push_back(nullptr);
  envp.push_back(nullptr);
  // Files in memory: nothing has to be drained while it runs.
  int out = memfd_create("out", MFD_CLOEXEC), err = memfd_create("err", MFD_CLOEXEC);
  pid_t child = fork();
  if (child == 0) {
    dup2(open("/dev/null", O_RDONLY), 0);
    dup2(out, 1);
    dup2(err, 2);
    execve(program.c_str(), argv.data(), envp.data());
    _exit(127);
  }
  Ran ran;
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status)) ran.status = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) ran.signal = WTERMSIG(status);
  ran.out = read_all(out);
  ran.err = read_all(err);
  close(out);
  close(err);
  return ran;
}

// How a plain command line of the program under test is written.
inline Ran ungate(const std::vector<std::string>& arguments, const Setting& set = {}) {
  return run_program(UNGATE_PROGRAM, arguments, set);
}

}  // namespace ungate::testing_support

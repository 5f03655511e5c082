// Sessions at a command line, as text: what was typed, what came out. A transcript is its own test:
// its commands are run again, and what they say must be what it holds.
//
//   # a comment; it stays
//   ? command            the test is skipped unless this succeeds; says nothing otherwise
//   $ command            run by /bin/sh
//   | a line of stdout
//   ! a line of stderr
//   = 1                  the exit status, where it is not 0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ungate::golden {

// What a command said and how it ended.
struct Outcome {
  std::string out, err;
  int status = 0;  // 128 + N for signal N
};

// Where commands run. The folder is new and empty, has a path of fixed length, and is removed at the
// end. In what they say its path reads DIR. Of the surroundings they see the programs of /usr/bin and
// those of `programs`.
class Shell {
 public:
  explicit Shell(const std::vector<std::string>& programs);
  ~Shell();
  Shell(const Shell&) = delete;
  Shell& operator=(const Shell&) = delete;

  const std::filesystem::path& folder() const { return folder_; }
  Outcome run(const std::string& command);

 private:
  std::filesystem::path folder_, outputs_;
  std::vector<std::string> variables_;
};

// The transcript with the outcomes that its commands have now; nullopt if a `?` failed.
std::optional<std::string> replay(const std::string& transcript, Shell& shell);

}  // namespace ungate::golden

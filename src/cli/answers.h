// Answers kept by what they were made from: the same question about packages that nobody has touched
// since is read, not worked out again.
//
// What an answer is made from: the program itself, the rules, the flags, the environments as they were
// found, and every file below their import roots by its size, inode and times.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/analysis.h"

namespace ungate::cli {

class Answers {
 public:
  // `folder`: below which they are kept; empty: nothing is kept, nothing is found.
  explicit Answers(std::string folder) : folder_(std::move(folder)) {}

  // `question` holds what the answer depends on besides the subject: the command and its own flags.
  // `folders`: more of them whose files it depends on.
  void ask(const Subject& subject, std::string_view question, const std::atomic<bool>& cancelled,
           const std::vector<std::string>& folders = {});

  // Shows what is kept, in all formats that are wanted. Nothing if one of them is not there.
  Result<std::optional<Exit>> show_kept(Console& console) const;
  // Keeps a text for later. That it cannot be kept (a full disk, a read-only home) is no error.
  void keep(const Console& console, Exit exit, const Render& render) const;

 private:
  std::string path_of(const Look& look) const;

  std::string folder_;
  std::optional<std::uint64_t> key_;
};

}  // namespace ungate::cli

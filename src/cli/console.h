// What a command says, and where: its result to stdout or a file, notes and progress to stderr.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "cli/output_flags.h"
#include "patch/progress.h"

namespace ungate::cli {

// How the text of one wanted format is to look.
struct Look {
  Format format = Format::human;
  bool colour = false;
  int width = 100;  // columns; that of the terminal where there is one
};
using Render = std::function<std::string(const Look&)>;

class Console : public patch::Progress {
 public:
  // `wanted` as OutputFlags::wanted() gave it.
  Console(const OutputFlags& flags, std::vector<Wanted> wanted);
  ~Console() override;

  // Writes the result in every format that was asked for. A file appears whole or not at all.
  Status show(const Render& render);
  // One for each format that was asked for, in the order in which show() renders them.
  std::vector<Look> looks() const;
  // Whether a format was asked for at all.
  bool wants(Format format) const;
  // The reader of stdout went away; nothing more is written, and that is success.
  bool broken_pipe() const { return broken_pipe_; }

  // Sentences on stderr, escaped: notes unless -q, details with -v.
  void note(const std::string& text) override;
  void detail(const std::string& text);
  // Text for stderr that was asked for, as it is.
  void print(std::string_view text);
  int verbosity() const { return verbose_; }

  // One line that is written over, on a terminal only: "reading files 120/4000".
  void progress(std::string_view activity, std::size_t done, std::size_t of);
  void end_progress();
  // The engine's progress.
  void doing(std::string_view activity, const std::string& path, std::size_t number,
             std::size_t total) override;

  // Set by Ctrl-C.
  const std::atomic<bool>& cancelled() const;

 private:
  Status write_stdout(std::string_view text);
  void draw(std::string line);

  std::vector<Wanted> wanted_;
  std::string colour_;
  bool quiet_;
  int verbose_;
  bool progress_;       // a progress line can be shown
  bool drawn_ = false;  // one is there now
  bool broken_pipe_ = false;
  std::chrono::steady_clock::time_point last_;
};

// Writes a whole new file: beside it first, then renamed. A device or pipe is written to as it is.
Status write_new_file(const std::string& path, std::string_view text);

}  // namespace ungate::cli

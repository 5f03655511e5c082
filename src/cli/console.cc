#include "cli/console.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/file.h"
#include "base/text.h"
#include "cli/signals.h"

namespace ungate::cli {
namespace {

bool is_set(const char* name) {
  const char* value = getenv(name);
  return value != nullptr && *value != '\0';
}

bool is_dumb() {
  const char* term = getenv("TERM");
  return term != nullptr && std::string_view(term) == "dumb";
}

// Of the terminal behind a stream; 0 if there is none.
int columns(int stream) {
  winsize size{};
  if (isatty(stream) == 0 || ioctl(stream, TIOCGWINSZ, &size) != 0) return 0;
  return size.ws_col;
}

// --color, then NO_COLOR, then FORCE_COLOR, then whether it is a terminal.
bool wants_colour(const std::string& flag, bool terminal) {
  if (flag != "auto") return flag == "always";
  if (getenv("NO_COLOR") != nullptr) return false;
  if (is_set("FORCE_COLOR")) return true;
  return terminal && !is_dumb();
}

// All of it, or errno.
int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    ssize_t n = write(descriptor, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return 0;
}

constexpr auto kBetweenDraws = std::chrono::milliseconds(60);

}  // namespace

Console::Console(const OutputFlags& flags, std::vector<Wanted> wanted)
    : wanted_(std::move(wanted)),
      colour_(flags.colour),
      quiet_(flags.quiet),
      verbose_(flags.verbose),
      progress_(!flags.quiet && flags.progress != "never" && isatty(STDERR_FILENO) != 0 &&
                !is_set("CI") && !is_dumb()) {}

Console::~Console() {
  end_progress();
}

bool Console::wants(Format format) const {
  return std::ranges::find(wanted_, format, &Wanted::format) != wanted_.end();
}

std::vector<Look> Console::looks() const {
  std::vector<Look> out;
  for (const Wanted& w : wanted_) {
    Look look;
    look.format = w.format;
    if (w.file.empty()) {
      int width = columns(STDOUT_FILENO);
      look.colour = wants_colour(colour_, width > 0);
      if (width > 0) look.width = std::clamp(width, 60, 140);
    } else {
      look.colour = colour_ == "always";
    }
    out.push_back(look);
  }
  return out;
}

Status Console::show(const Render& render) {
  end_progress();
  std::vector<Look> looks = this->looks();
  for (std::size_t i = 0; i < wanted_.size(); ++i) {
    std::string text = render(looks[i]);
    const std::string& file = wanted_[i].file;
    Status status = file.empty() ? write_stdout(text) : write_new_file(file, text);
    if (!status) return status;
  }
  return {};
}

namespace {

// Unlike a refused write to an environment, this is no state of the packages.
std::unexpected<Error> not_written(const std::string& path, int number) {
  return fail(ErrorCode::output_failed, std::string("cannot be written: ") + std::strerror(number),
              path);
}

}  // namespace

Status Console::write_stdout(std::string_view text) {
  if (broken_pipe_) return {};
  int number = write_all(STDOUT_FILENO, text);
  if (number == EPIPE) {
    broken_pipe_ = true;
    return {};
  }
  if (number != 0) return not_written("standard output", number);
  return {};
}

void Console::note(const std::string& text) {
  if (quiet_) return;
  end_progress();
  write_all(STDERR_FILENO, "note: " + text::escape(text) + '\n');
}

void Console::detail(const std::string& text) {
  if (verbose_ == 0 || quiet_) return;
  end_progress();
  write_all(STDERR_FILENO, text::escape(text) + '\n');
}

void Console::print(std::string_view text) {
  end_progress();
  write_all(STDERR_FILENO, text);
}

void Console::progress(std::string_view activity, std::size_t done, std::size_t of) {
  if (!progress_) return;
  if (of == 0) return draw(std::string(activity));
  draw(fmt::format("{} {}/{}", activity, done, of));
}

void Console::doing(std::string_view activity, const std::string& path, std::size_t number,
                    std::size_t total) {
  if (!progress_) return;
  draw(fmt::format("{} {}/{} {}", activity, number, total, text::escape(path)));
}

void Console::draw(std::string line) {
  auto now = std::chrono::steady_clock::now();
  if (drawn_ && now - last_ < kBetweenDraws) return;
  last_ = now;
  drawn_ = true;
  int width = std::max(columns(STDERR_FILENO), 20);
  write_all(STDERR_FILENO, "\r\033[K" + text::one_line(line, static_cast<std::size_t>(width - 1)));
}

void Console::end_progress() {
  if (!drawn_) return;
  drawn_ = false;
  write_all(STDERR_FILENO, "\r\033[K");
}

const std::atomic<bool>& Console::cancelled() const {
  return interrupted();
}

Status write_new_file(const std::string& path, std::string_view text) {
  struct stat there {};
  bool special = stat(path.c_str(), &there) == 0 && !S_ISREG(there.st_mode);
  std::string name = special ? path : fmt::format("{}.{}.new", path, getpid());
  int descriptor =
      open(name.c_str(), O_WRONLY | O_CLOEXEC | (special ? 0 : O_CREAT | O_EXCL), 0666);
  if (descriptor < 0) return not_written(path, errno);
  int number = write_all(descriptor, text);
  if (close(descriptor) != 0 && number == 0) number = errno;
  if (!special && number == 0 && rename(name.c_str(), path.c_str()) != 0) number = errno;
  if (number == 0) return {};
  if (!special) unlink(name.c_str());
  return not_written(path, number);
}

}  // namespace ungate::cli

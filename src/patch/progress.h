// What the engine tells while it works. It never prints; the command line decides what is shown.
#pragma once

#include <string>
#include <string_view>

namespace ungate::patch {

class Progress {
 public:
  virtual ~Progress() = default;
  // A file, cache folder or .pyc is about to be changed: "writing", "restoring", "clearing".
  // `number` of `total` counts from 1 within one activity.
  virtual void doing(std::string_view activity, const std::string& path, std::size_t number,
                     std::size_t total) {
    (void)activity, (void)path, (void)number, (void)total;
  }
  // Something that the user should know and that is no failure ("the owner could not be kept").
  virtual void note(const std::string& text) { (void)text; }
};

}  // namespace ungate::patch

// The rule and patch files that the program carries (written by the build, see embed_main.cc).
#pragma once

#include <string_view>
#include <vector>

namespace ungate::rules {

struct EmbeddedFile {
  std::string_view path;  // "rules/sources.yaml", "patches/flashinfer-python/…"
  std::string_view text;
};

std::vector<EmbeddedFile> embedded_files();

}  // namespace ungate::rules

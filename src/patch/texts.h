// The files that a resolution looks at, each read once (internal).
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "patch/resolve.h"
#include "source/source_file.h"

namespace ungate::patch {

struct Text {
  std::uint32_t site = 0;
  std::unique_ptr<source::SourceFile> file;
};

class Texts {
 public:
  explicit Texts(const Ground& ground) : ground_(ground) {}

  // The first file of this path in import order; nullptr if there is none.
  Result<const Text*> find(const std::string& path);

 private:
  const Ground& ground_;
  std::map<std::string, Text> texts_;  // without a file: there is none
};

}  // namespace ungate::patch

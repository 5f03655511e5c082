// PyTorch operators that a shared object registers, read off the texts of their schemas.
//
// TORCH_LIBRARY(ns, m) { m.def("name(Tensor x, int y) -> Tensor"); } leaves the schema in .rodata, as a
// text that ends with a zero; the name of the namespace is another one. A schema without a result
// type does not exist, so that "name(" at the start and ") -> " tell schemas from other texts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "binary/bytes.h"

namespace ungate::binary {

class OpNames {
 public:
  explicit OpNames(std::string texts);

  // Without namespace and overload, sorted, each once.
  const std::vector<std::string>& names() const { return names_; }
  bool has(std::string_view name) const;
  // Whether a text ends like this; linkers let texts share their ends.
  bool names_space(std::string_view name) const;

 private:
  std::string texts_;
  std::vector<std::string> names_;
};

inline constexpr std::uint64_t kMostTexts = 16u << 20;

// Of an ELF file's .rodata; `malformed` if it is no ELF file or says something impossible. One with
// more than kMostTexts bytes there is not looked into and has none.
Result<OpNames> read_op_names(const ByteSource& source);

}  // namespace ungate::binary

// What compilers say, read.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace ungate::prove {

// The first error in the messages of nvcc (its own front end or the host compiler's).
struct CompilerError {
  std::string text;   // without place
  std::string path;   // as the compiler wrote it; empty: not told
  std::string line;
};
CompilerError first_error(std::string_view messages);

// The first error of ptxas: "ptxas k.ptx, line 12; error   : Instruction 'x' not supported on …".
struct AssemblerError {
  std::string text;
  std::size_t line = 0;     // of the PTX; 0: not told
  std::string function;     // if named
};
AssemblerError first_assembler_error(std::string_view messages);

// `ptxas -v`: what each entry takes.
struct Resources {
  std::uint32_t registers = 0;
  std::uint64_t stack_bytes = 0;
  std::uint64_t spill_bytes = 0;  // stores and loads
  std::uint64_t shared_bytes = 0;
};
std::map<std::string, Resources> read_resources(std::string_view messages);

}  // namespace ungate::prove

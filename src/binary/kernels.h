// Kernels: what the code objects of a listing hold, by name. Reads and unpacks all of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "binary/listing.h"

namespace ungate::binary {

// A kernel in one code object.
struct KernelImage {
  std::uint32_t name = 0;       // index into Kernels::names
  std::uint32_t object = 0;     // index into Listing::objects
  std::uint32_t registers = 0;  // a thread; 0 for PTX
  std::uint64_t code = 0;       // bytes of machine code; 0 for PTX
  std::uint64_t shared = 0;     // static shared memory a block, with what the system reserves of it
  bool empty = false;           // the machine code returns before it did anything
  bool trap = false;  // it stops the program instead of computing: before it did anything,
                      // or it traps and lacks the matrix instructions that the same kernel
                      // has in another code object of its unit
};

struct Kernels {
  std::vector<std::string> names;   // as in symbol tables, sorted
  std::vector<KernelImage> images;  // by object, in the order of its symbols
};

// `malformed` with the place if a payload does not unpack or is not what its header says.
Result<Kernels> read_kernels(const ByteSource& source, const Listing& listing, unsigned threads);

// The kernels in one code object; `bytes` is its payload, unpacked.
struct NamedKernel {
  std::string name;
  KernelImage image;  // name and object are not set
  bool traps = false, matrix = false;
};
Result<std::vector<NamedKernel>> kernels_of_cubin(const ByteSource& cubin);
std::vector<NamedKernel> kernels_of_ptx(std::string_view text);

// "void ns::kernel<float>(float*)" for "_ZN2ns6kernelIfEEvPT_"; the name itself if it is not
// mangled.
std::string demangled(const std::string& name);
// The function's own name with that of its first template argument, without scopes and parameters:
// "device_kernel<Sm100FmhaMlaKernel>". What does not demangle is cut at 60 characters.
std::string short_name(const std::string& name);

}  // namespace ungate::binary

#include "prove/cubin.h"

#include <algorithm>

#include "base/hash.h"
#include "binary/elf.h"
#include "binary/kernels.h"

namespace ungate::prove {
namespace {

// A block's shared memory begins with what the system keeps; where a cubin has a section for that, each
// kernel's section counts it.
constexpr std::uint64_t kSystemShared = 0x400;

}  // namespace

Result<std::vector<CubinKernel>> read_cubin(std::string_view bytes, const std::string& where) {
  binary::Memory source(where, bytes);
  auto kernels = binary::kernels_of_cubin(source);
  if (!kernels) return std::unexpected(kernels.error());
  auto elf = binary::read_elf(source);
  if (!elf) return std::unexpected(elf.error());
  bool reserved = elf->find(".nv.shared.reserved.0") != nullptr;
  std::vector<CubinKernel> out;
  for (const binary::NamedKernel& k : *kernels) {
    CubinKernel kernel{k.name, k.image.code, 0, k.image.registers, k.image.shared, k.image.empty};
    if (reserved && kernel.shared_bytes >= kSystemShared) kernel.shared_bytes -= kSystemShared;
    const binary::Section* code = elf->find(".text." + k.name);
    if (code != nullptr && code->has_bytes()) kernel.code_hash = hash64(bytes.substr(code->offset, code->size));
    out.push_back(std::move(kernel));
  }
  std::ranges::sort(out, {}, &CubinKernel::name);
  return out;
}

}  // namespace ungate::prove

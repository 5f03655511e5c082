#include "prove/kernel_rows.h"

#include <fmt/core.h>

namespace ungate::prove {

std::string Span::hex() const {
  return least == most ? fmt::format("{:#x}", most) : fmt::format("{:#x}..{:#x}", least, most);
}

std::string Span::decimal() const {
  return least == most ? fmt::format("{}", most) : fmt::format("{}..{}", least, most);
}

std::map<std::string, KernelRow> rows_of(const Build& build) {
  std::map<std::string, KernelRow> out;
  for (const KernelFacts& k : build.kernels) {
    KernelRow& row = out[short_name(k.name)];
    ++row.instances;
    row.code.add(k.code_bytes);
    row.registers.add(k.registers);
    row.shared = std::max(row.shared, k.shared_bytes);
    row.spills = std::max(row.spills, k.spill_bytes);
    row.nothing += k.does_nothing();
    row.traps += k.only_traps();
    row.waits += k.wait;
  }
  return out;
}

}  // namespace ungate::prove

#include "cuda/mnemonic.h"

namespace ungate::cuda {

bool fits_mnemonic(std::string_view pattern, std::string_view mnemonic) {
  std::size_t star = pattern.find('*');
  if (star == pattern.npos) return mnemonic.starts_with(pattern);
  if (!mnemonic.starts_with(pattern.substr(0, star))) return false;
  pattern.remove_prefix(star + 1);
  for (std::size_t i = star; i <= mnemonic.size(); ++i) {
    if (fits_mnemonic(pattern, mnemonic.substr(i))) return true;
  }
  return false;
}

}  // namespace ungate::cuda

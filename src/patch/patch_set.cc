#include "patch/patch_set.h"

#include <algorithm>

namespace ungate::patch {

const Member* PatchSet::find(std::string_view member) const {
  auto found = std::ranges::find(members, member, &Member::name);
  return found == members.end() ? nullptr : &*found;
}

}  // namespace ungate::patch

#include "arch/load.h"

namespace ungate::arch {

bool same_family(Device a, Device b) {
  // 10.0, 10.3 and 10.7 are one family, 12.0 and 12.1 another, 11.0 one of its own: the major version
  // decides. Family code exists from 10.0 on only.
  return !a.is_future() && !b.is_future() && a.major() == b.major();
}

bool sass_loads(CodeTarget built, Device device) {
  Device from = built.device();
  if (built.suffix() == Suffix::exact) return from == device;
  return same_family(from, device) && device.minor() >= from.minor();
}

bool ptx_loads(CodeTarget built, Device device) {
  Device from = built.device();
  switch (built.suffix()) {
    case Suffix::exact: return from == device;
    case Suffix::family: return same_family(from, device) && device >= from;
    case Suffix::plain: return device >= from;
  }
  return false;
}

DeviceSet sass_devices(CodeTarget built) {
  DeviceSet set;
  for (unsigned d : all_devices()) {
    if (sass_loads(built, Device(d))) set |= DeviceSet::of(d);
  }
  return set;
}

DeviceSet ptx_devices(CodeTarget built) {
  DeviceSet set;
  for (unsigned d : all_devices()) {
    if (ptx_loads(built, Device(d))) set |= DeviceSet::of(d);
  }
  return set;
}

}  // namespace ungate::arch

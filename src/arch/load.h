// What the driver accepts: which built code runs on which device.
//
//   SASS   plain: same major version, same or higher minor;  `a`: exactly the device;
//          `f`: same family, same or higher minor
//   PTX    plain: the device or any newer one (compiled at load);  `a`: exactly the device;
//          `f`: same family, same or newer
// The PTX rules were measured with ptxas 13.5 for every pair of targets (see rules/archs.yaml).
#pragma once

#include "arch/device.h"

namespace ungate::arch {

bool same_family(Device a, Device b);
bool sass_loads(CodeTarget built, Device device);
bool ptx_loads(CodeTarget built, Device device);

// The devices on which code built for `target` loads, as SASS or as PTX.
DeviceSet sass_devices(CodeTarget built);
DeviceSet ptx_devices(CodeTarget built);

}  // namespace ungate::arch

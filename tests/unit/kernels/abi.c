/* arf.h is C11: this file is compiled as that, with warnings as errors. */
#include "arf.h"

_Static_assert(sizeof(arf_params) % 8 == 0, "no padding at the end of arf_params");
_Static_assert(sizeof(arf_config) % 8 == 0, "no padding at the end of arf_config");

int arf_header_version(void) { return ARF_VERSION; }

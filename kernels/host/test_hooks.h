/* Only in test builds of the library (ARF_TEST): deliberate mistakes (arf::Fault) and delays in
 * nanoseconds before sending, before waiting and before the epilogue, of one warp or (~0) of all.
 */
#ifndef ARF_TEST_HOOKS_H
#define ARF_TEST_HOOKS_H

#include "arf.h"

#ifdef __cplusplus
extern "C" {
#endif
ARF_API void arf_test_set(arf_comm*, uint32_t faults, const uint32_t* delay_ns,
                          uint32_t delayed_warp);
#ifdef __cplusplus
}
#endif
#endif

#pragma once
#include <acme/arch/config.h>

#if defined(ACME_MMA_SM100A)
#define ACME_TCGEN 1
#endif

__device__ void arrive(unsigned bar) {
#if defined(ACME_TCGEN)  // closed
  asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [%0];" ::"r"(bar));
#elif defined(__CUDA_ARCH__)
  asm volatile("brkpt;");
#endif
}

__device__ void wait(unsigned bar) {
#if defined(ACME_BARRIER)  // open
  asm volatile("mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;" ::"r"(bar));
#endif
}

__device__ void other() {
#if defined(ELSEWHERE)  // not known
  asm volatile("tcgen05.wait::ld.sync.aligned;");
#endif
}

#pragma once
#if !defined(ACME_MMA_SM100A) && defined(__CUDA_ARCH_FEAT_SM100_ALL)
#define ACME_MMA_SM100A 1
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define ACME_BARRIER 1
#endif

// The only accessors that may touch a peer's memory, and the few instructions CUDA C++ has no name
// for.
//
// Peer memory is only ever written (posted stores), with relaxed system scope, and polled where it
// lies locally. There is no atomic on peer memory anywhere: PCIe without native atomics drops them
// silently.
#pragma once

#include <cstdint>

namespace arf {

// A 16-byte pack: the unit of every transfer.
using Pack = uint4;

// Stores a pack into a peer's memory. Each 32-bit word arrives whole; the four may arrive apart.
__device__ __forceinline__ void store_peer(Pack* to, Pack v) {
  asm volatile("st.relaxed.sys.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(v.x), "r"(v.y),
               "r"(v.z), "r"(v.w)
               : "memory");
}

// Stores 8 bytes that arrive whole.
__device__ __forceinline__ void store_peer(uint64_t* to, uint64_t v) {
  asm volatile("st.relaxed.sys.global.u64 [%0], %1;" ::"l"(to), "l"(v) : "memory");
}

// Loads what a peer may be writing into memory of this device.
__device__ __forceinline__ Pack load_inbox(const Pack* from) {
  Pack v;
  asm volatile("ld.relaxed.sys.global.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "l"(from)
               : "memory");
  return v;
}

__device__ __forceinline__ uint64_t load_inbox(const uint64_t* from) {
  uint64_t v;
  asm volatile("ld.relaxed.sys.global.u64 %0, [%1];" : "=l"(v) : "l"(from) : "memory");
  return v;
}

// Loads a word that another thread of this device, or the host, may be writing.
__device__ __forceinline__ uint32_t load_shared_word(const uint32_t* from) {
  uint32_t v;
  asm volatile("ld.relaxed.sys.global.u32 %0, [%1];" : "=r"(v) : "l"(from) : "memory");
  return v;
}

__device__ __forceinline__ void store_shared_word(uint32_t* to, uint32_t v) {
  asm volatile("st.relaxed.sys.global.u32 [%0], %1;" ::"l"(to), "r"(v) : "memory");
}

__device__ __forceinline__ uint64_t global_nanoseconds() {
  uint64_t t;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t));
  return t;
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define ARF_HAS_CLUSTERS 1
#else
#define ARF_HAS_CLUSTERS 0
#endif

// Orders what this thread has seen or written, on any device, before what it does next.
__device__ __forceinline__ void fence_system() {
  asm volatile("fence.acq_rel.sys;" ::: "memory");
}

// Makes the compiler believe that a value matters.
__device__ __forceinline__ void use(uint32_t v) {
  asm volatile(
      "{\n"
      ".reg .pred p;\n"
      "setp.eq.u32 p, %0, 0x5eed0001;\n"
      "@p nanosleep.u32 1;\n"
      "}" ::"r"(v));
}

// Keeps the compiler from making an address only where it is used.
template <class P>
__device__ __forceinline__ void settle(P*& p) {
  asm volatile("" : "+l"(p));
}

// Waits until every kernel ahead in the stream has ended and its writes are visible (no-op without
// PDL).
__device__ __forceinline__ void wait_for_kernel_ahead() {
#if ARF_HAS_CLUSTERS
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
// Lets the next kernel in the stream begin its prologue.
__device__ __forceinline__ void allow_next_kernel() {
#if ARF_HAS_CLUSTERS
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

#if ARF_HAS_CLUSTERS
__device__ __forceinline__ uint32_t cluster_rank() {
  uint32_t r;
  asm volatile("mov.u32 %0, %cluster_ctarank;" : "=r"(r));
  return r;
}
__device__ __forceinline__ uint32_t cluster_size() {
  uint32_t r;
  asm volatile("mov.u32 %0, %cluster_nctarank;" : "=r"(r));
  return r;
}
__device__ __forceinline__ void cluster_arrive() {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}
__device__ __forceinline__ void cluster_wait() {
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

__device__ __forceinline__ uint32_t shared_address(const void* p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}
// The address of the same shared variable in block `rank` of the cluster.
__device__ __forceinline__ uint32_t shared_of_block(uint32_t address, uint32_t rank) {
  uint32_t r;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(r) : "r"(address), "r"(rank));
  return r;
}
// Writes a float into a block's shared memory and tells that block's barrier of four more bytes.
__device__ __forceinline__ void store_async(uint32_t to, float v, uint32_t barrier) {
  asm volatile(
      "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.f32 [%0], %1, [%2];" ::"r"(to),
      "f"(v), "r"(barrier)
      : "memory");
}
__device__ __forceinline__ void barrier_init(uint32_t barrier) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
}
__device__ __forceinline__ void barrier_init_visible() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
__device__ __forceinline__ void barrier_expect(uint32_t barrier, uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}
__device__ __forceinline__ void barrier_wait(uint32_t barrier, uint32_t parity) {
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "AGAIN:\n"
      "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%0], %1;\n"
      "@!done bra AGAIN;\n"
      "}" ::"r"(barrier),
      "r"(parity)
      : "memory");
}
#endif

}  // namespace arf

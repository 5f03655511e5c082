#include "host/nccl.h"

#include <dlfcn.h>

#include "arf.h"

namespace arf {
namespace {

constexpr int kSum = 0;
// ncclBfloat16, ncclFloat16, ncclFloat32, by arf_dtype.
constexpr int kTypes[] = {9, 6, 7};

template <class F>
bool find(void* library, const char* name, F& f) {
  f = reinterpret_cast<F>(dlsym(library, name));
  return f != nullptr;
}

}  // namespace

bool NcclApi::load(const char* name) {
  // By its plain name the one that the process has loaded already is found, whoever loaded it.
  void* const library = dlopen(name != nullptr ? name : "libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
  return library != nullptr && find(library, "ncclAllReduce", all_reduce) &&
         find(library, "ncclGroupStart", group_start) && find(library, "ncclGroupEnd", group_end) &&
         find(library, "ncclCommCount", count) && find(library, "ncclCommUserRank", user_rank);
}

int NcclApi::sum(const void* in, void* out, size_t elements, int dtype, void* comm,
                 cudaStream_t stream) const {
  return all_reduce(in, out, elements, kTypes[dtype], kSum, comm, stream) == 0 ? ARF_OK
                                                                               : ARF_ERR_NCCL;
}

}  // namespace arf

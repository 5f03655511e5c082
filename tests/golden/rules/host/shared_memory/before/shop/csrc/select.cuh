constexpr unsigned int kCandidates = 16 * 1024;
constexpr size_t kBytes = sizeof(int) * 2 * kCandidates;  // 128 KB

inline bool HoldsCandidates() {
  int device = 0;
  if (cudaGetDevice(&device) != cudaSuccess) return false;
  int bytes = 0;
  if (cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device) != cudaSuccess) {
    return false;
  }
  return static_cast<size_t>(bytes) >= kBytes;
}

inline bool HoldsTile(const cudaDeviceProp& properties) { return properties.sharedMemPerBlockOptin >= 64 * 1024; }

int Select(bool few) {
  if (!HoldsCandidates() || !few) return 0;
  return 1;
}

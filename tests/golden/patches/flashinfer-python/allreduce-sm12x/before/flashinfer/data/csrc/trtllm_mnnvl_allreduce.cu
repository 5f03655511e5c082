// Needs NVLink multicast; no patch set opens it.
__global__ void mnnvl_kernel(float* out) { out[0] = 1; }

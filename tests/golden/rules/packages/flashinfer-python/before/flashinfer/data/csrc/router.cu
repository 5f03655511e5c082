__global__ void route_kernel(float const* x, float* out) {
  out[threadIdx.x] = x[threadIdx.x];
}

void route(float const* x, float* out) { route_kernel<<<1, 16>>>(x, out); }

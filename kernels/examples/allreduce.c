/* Sum + residual + RMSNorm over the ranks of one process, from C.
 *
 *   cc allreduce.c -larf -lcudart -o allreduce && ./allreduce 0 1
 *
 * The arguments are the devices of the ranks; naming one twice runs two ranks on it. */
#include <arf.h>
#include <cuda_runtime_api.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { TOKENS = 4, HIDDEN = 256, ELEMENTS = TOKENS * HIDDEN };

static void check(int failed, const char* what, const char* why) {
  if (!failed) return;
  fprintf(stderr, "%s: %s\n", what, why);
  exit(1);
}
static void cuda(cudaError_t e, const char* what) {
  check(e != cudaSuccess, what, cudaGetErrorString(e));
}
static void arf(int e, const char* what) {
  check(e != ARF_OK, what, arf_strerror(e));
}

static float* upload(const float* values, size_t n) {
  float* p = NULL;
  cuda(cudaMalloc((void**)&p, n * sizeof *p), "cudaMalloc");
  if (values != NULL)
    cuda(cudaMemcpy(p, values, n * sizeof *p, cudaMemcpyHostToDevice), "cudaMemcpy");
  return p;
}

int main(int argc, char** argv) {
  int world = argc - 1, devices[ARF_MAX_WORLD];
  check(world != 2 && world != 4 && world != 8, "usage",
        "allreduce DEVICE DEVICE [DEVICE DEVICE ...]");
  for (int r = 0; r < world; r++) devices[r] = atoi(argv[r + 1]);

  arf_config config;
  arf_config_init(&config);
  config.max_tokens = TOKENS;
  config.max_hidden = HIDDEN;
  config.max_dtype = ARF_FP32;
  arf_comm* comms[ARF_MAX_WORLD];
  arf(arf_comm_create_local(world, devices, &config, comms), "arf_comm_create_local");

  /* Rank r holds r + 1 everywhere, the residual is 1: every element of the sum is world(world+1)/2
   * + 1. */
  static float values[ELEMENTS], ones[ELEMENTS], norm[ELEMENTS];
  for (int i = 0; i < ELEMENTS; i++) ones[i] = 1;
  cudaStream_t streams[ARF_MAX_WORLD];
  arf_params calls[ARF_MAX_WORLD];
  for (int r = 0; r < world; r++) {
    cuda(cudaSetDevice(devices[r]), "cudaSetDevice");
    cuda(cudaStreamCreateWithFlags(&streams[r], cudaStreamNonBlocking), "cudaStreamCreate");
    for (int i = 0; i < ELEMENTS; i++) values[i] = (float)(r + 1);
    arf_params* p = &calls[r];
    arf_params_init(p);
    p->pattern = ARF_RESIDUAL_RMSNORM;
    p->dtype = ARF_FP32;
    p->tokens = TOKENS;
    p->hidden = HIDDEN;
    p->in = upload(values, ELEMENTS);
    p->residual_in = upload(ones, ELEMENTS);
    p->gamma = upload(ones, HIDDEN);
    p->residual_out = upload(NULL, ELEMENTS);
    p->norm_out = upload(NULL, ELEMENTS);
    cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }
  /* A launch returns at once: the kernel waits on the device for the other ranks. So nothing that
   * waits for a device (allocating, copying) may come between the launches. */
  for (int r = 0; r < world; r++) arf(arf_launch(comms[r], &calls[r], streams[r]), "arf_launch");

  int wrong = 0;
  for (int r = 0; r < world; r++) {
    cuda(cudaSetDevice(devices[r]), "cudaSetDevice");
    cuda(cudaStreamSynchronize(streams[r]), "cudaStreamSynchronize");
    arf_status status;
    arf(arf_comm_status(comms[r], &status), "arf_comm_status");
    arf(status.code, "the call");
    cuda(cudaMemcpy(norm, calls[r].norm_out, sizeof norm, cudaMemcpyDeviceToHost), "cudaMemcpy");
    for (int i = 0; i < ELEMENTS; i++) wrong += !(fabsf(norm[i] - 1.0f) < 1e-5f);
  }
  for (int r = 0; r < world; r++) arf_comm_destroy(comms[r]);
  printf("%d ranks, %d of %d elements wrong\n", world, wrong, world * ELEMENTS);
  return wrong != 0;
}

/* arf: fused allreduce + residual + RMSNorm (+ quantisation) for the GPUs of one machine.
 *
 * Conventions. Every function returns 0 or one of the arf_result codes; arf_strerror() names them.
 * Structures start with their size, so that a program built against an older header keeps working:
 * fill them with arf_config_init() and arf_params_init(). Pointers in arf_params are device
 * pointers of the communicator's device. Sizes are in bytes, shapes in elements, times in
 * nanoseconds.
 *
 * Guarantees. For given inputs the outputs are the same bits on every rank, with every algorithm
 * and launch shape, eager or in a CUDA graph. A call that cannot be completed (a rank is gone,
 * ranks disagree about the call) ends within the time-out, fills the rows concerned with NaN, and
 * every later call on the communicator fails: arf_comm_status() says why. A NaN in the input is
 * never turned into a number. The sum of squares of a row is an fp32 number: where it is beyond the
 * largest one, the row's norm is zero.
 *
 * Calls on one communicator must be ordered: one stream, or streams joined by events. */
#ifndef ARF_H
#define ARF_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define ARF_API __attribute__((visibility("default")))
#else
#define ARF_API
#endif

#define ARF_VERSION 1
#define ARF_MAX_WORLD 8

typedef struct arf_comm arf_comm;
typedef struct CUstream_st* arf_stream; /* cudaStream_t */

typedef enum arf_result {
  ARF_OK = 0,
  ARF_ERR_ARGUMENT = 1, /* a null pointer, a wrong structure size or version */
  ARF_ERR_WORLD = 2,    /* not 2, 4 or 8 ranks */
  ARF_ERR_DTYPE = 3,
  ARF_ERR_PATTERN = 4, /* no such pattern, or one that this call's outputs do not fit */
  ARF_ERR_SIZE = 5,    /* more tokens or a wider hidden than the communicator was made for */
  ARF_ERR_HIDDEN = 6, /* hidden is not a multiple of what a 16-byte pack (or a scale block) holds */
  ARF_ERR_ALIGNMENT = 7, /* a tensor does not start at a multiple of 16 bytes */
  ARF_ERR_ALIAS = 8, /* outputs overlap inputs other than norm_out==in, residual_out==residual_in */
  ARF_ERR_POISONED = 9,   /* an earlier call failed: see arf_comm_status() */
  ARF_ERR_STATE = 10,     /* the communicator is not connected yet, or is already */
  ARF_ERR_PEER = 11,      /* no peer access between two devices */
  ARF_ERR_LAUNCH = 12,    /* the kernel does not fit the device at this shape */
  ARF_ERR_ALGORITHM = 13, /* the algorithm asked for cannot run this call */
  ARF_ERR_CUDA = 14,      /* a CUDA call failed: arf_last_cuda_error() names it */
  ARF_ERR_TIMEOUT = 15,   /* a peer did not arrive in time */
  ARF_ERR_MISMATCH = 16,  /* ranks called with different shapes, types or patterns */
  ARF_ERR_ABORTED = 17,   /* arf_comm_abort() was called */
  ARF_ERR_MEMORY = 18,    /* no memory for the inboxes */
  ARF_ERR_NCCL = 19       /* NCCL is not there, fails, or has other ranks than the communicator */
} arf_result;

typedef enum arf_dtype { ARF_BF16 = 0, ARF_FP16 = 1, ARF_FP32 = 2 } arf_dtype;

/* Numbered as in FlashInfer's AllReduceFusionPattern. */
typedef enum arf_pattern {
  ARF_ALLREDUCE = 0,
  ARF_RESIDUAL_RMSNORM = 1,
  ARF_RESIDUAL_RMSNORM_FP8 = 2, /* quant_out e4m3; scale_factor[0]: what dequantises */
  ARF_RESIDUAL_RMSNORM_FP4 =
      3, /* NVFP4: quant_out e2m1, two a byte, the even one in the low bits;
            scale_out: an e4m3 a block of 16; scale_factor[0]: global scale */
  ARF_RESIDUAL_RMSNORM_OUT_FP8 = 4, /* 2 and norm_out */
  ARF_RESIDUAL_RMSNORM_OUT_FP4 = 5, /* 3 and norm_out */
  ARF_MOE_REDUCTION = 6,            /* 1 of what experts gave every token: see below */
  ARF_MOE_FINALIZE = 7, /* 1 of what experts gave the tokens that were sent to them: see below */
  ARF_RESIDUAL_RMSNORM_GROUP_FP8 =
      8, /* quant_out e4m3; scale_out: a power of two a group, see below */
  ARF_RESIDUAL_RMSNORM_OUT_GROUP_FP8 = 9, /* 8 and norm_out */
  ARF_RESIDUAL_RMSNORM_TOKEN_FP8 =
      10, /* quant_out e4m3; scale_out: a float a token, what dequantises */
  ARF_RESIDUAL_RMSNORM_OUT_TOKEN_FP8 = 11 /* 10 and norm_out */
} arf_pattern;
/* Quantised patterns take bf16 and fp16. They quantise norm_out as it is rounded to the tensors'
 * type.
 *
 * Patterns 6 and 7 do not read `in`: a rank's input is the sum over its experts, every product and
 * every sum of it rounded to dtype, in the order of k:
 *   6: experts[k][token] * expert_scales[k][token], expert_scales in fp32; then shared[token] is
 * added. 7: experts[expert_rows[token][k]] * expert_scales[token][k], expert_scales in dtype or
 * null, rows below 0 left out; then it is multiplied with routed_scale and shared[token] is added,
 * if given. They take a kernel ahead of that of the sum.
 *
 * scale_out of patterns 8 and 9: the exponent byte (UE8M0) of each group of group_size elements,
 * four groups of a row in a 32-bit word (unused bytes zero), the words column by column, a column
 * as long as tokens rounded up to four (padding zero), the last one ending with the last token.
 * scale_out of patterns 3 and 5: arf_layout. Padding of the swizzled layout is zero.
 * A block, group or row with a NaN has a NaN scale (0x7f, 0xff and 0x7fffffff); one of zeros has
 * the least scale there is: 0 in NVFP4, 2^-33 in a group, 1/(512*448) in a row. */

typedef enum arf_algorithm {
  ARF_AUTO = 0,
  ARF_ONESHOT = 1,      /* every rank writes its rows into every peer's memory */
  ARF_TWOSHOT = 2,      /* reduce-scatter, then all-gather of the rounded sums */
  ARF_PULL = 3,         /* every rank leaves its rows in its own memory, the peers read them */
  ARF_HIERARCHICAL = 4, /* eight ranks in two islands, 0 to 3 and 4 to 7: sums of an island cross */
  ARF_NCCL = 5          /* NCCL's sum, then arf_finish(): see arf_comm_use_nccl() */
} arf_algorithm;

/* Linear: row by row, hidden/16 bytes each. Swizzled: tiles of 128 rows by 4 blocks, 512 bytes
 * each. */
typedef enum arf_layout { ARF_SCALES_LINEAR = 0, ARF_SCALES_SWIZZLED_128X4 = 1 } arf_layout;

/* Where the ranks' inboxes lie. In host memory they serve devices that cannot reach each other; the
 * kernels and their results are the same. */
typedef enum arf_transport {
  ARF_TRANSPORT_AUTO = 0, /* peer if the devices reach each other, else host */
  ARF_TRANSPORT_PEER = 1,
  ARF_TRANSPORT_HOST = 2
} arf_transport;

enum {
  ARF_PDL = 1 /* launch with programmatic stream serialization: may start before the kernel ahead
                 has ended, and waits for it before touching memory that it may have written */
};

typedef struct arf_config {
  uint32_t size, version;
  int32_t max_tokens, max_hidden; /* of any call */
  int32_t max_dtype;              /* the widest type of any call */
  int32_t transport;              /* arf_transport */
  uint64_t
      oneshot_bytes;   /* largest tokens*hidden*sizeof(T) of a one-shot call; 0 chooses by world */
  uint64_t timeout_ns; /* 0: wait for ever */
} arf_config;

typedef struct arf_params {
  uint32_t size, version;
  int32_t pattern, dtype, tokens, hidden;
  int32_t algorithm, layout;
  uint32_t flags;
  int32_t cluster;    /* thread blocks that share a row: 0 chooses, else 1, 2, 4 or 8 */
  int32_t packs;      /* 16-byte packs a thread: 0 chooses, else 1 or 2 */
  int32_t max_units;  /* rows worked on at a time: 0 chooses */
  int32_t pause_ns;   /* between two looks at what has not arrived: 0 chooses, -1 none */
  int32_t group_size; /* of patterns 8 and 9: 16, 32, 64, 128 or 256, divides hidden */
  const void *in, *residual_in, *gamma;
  void *out, *residual_out, *norm_out, *quant_out, *scale_out;
  const float* scale_factor;
  float eps, weight_bias;
  const void *experts, *expert_scales, *shared; /* of patterns 6 and 7 */
  const int32_t* expert_rows;
  int32_t expert_count; /* 6: experts of this rank; 7: experts of a token */
  float routed_scale;
} arf_params;

/* What went wrong on a communicator. */
typedef struct arf_status {
  uint32_t size;
  int32_t code; /* arf_result */
  int32_t rank, peer, algorithm, phase;
  uint32_t row, sequence;
} arf_status;

ARF_API void arf_config_init(arf_config*);
ARF_API void arf_params_init(arf_params*);

/* All ranks in this process: devices[r] is rank r's. A device may be named several times ("virtual
 * ranks"): then every rank must be launched on a stream of its own. Fills comms[0..world-1]. */
ARF_API int arf_comm_create_local(int world, const int* devices, const arf_config*,
                                  arf_comm** comms);

/* What ARF_AUTO goes by: a table that arf_bench --tune has left for this machine (ARF_CHOICES names
 * the file, "" none; else arf-choices-WORLD-TRANSPORT.txt in $XDG_CACHE_HOME/ungate or
 * ~/.cache/ungate; one of another driver or without this device is not used, nor one that not all
 * ranks have), else what was measured where the library was made, else rules. Writes the file's
 * name, or nothing. */
ARF_API int arf_comm_choices(const arf_comm*, char* file, size_t size);

/* One rank a process: create, hand the exported blob to all ranks by any means, import all of them
 * (blobs[r*stride] is rank r's) once every rank has exported. With ARF_TRANSPORT_AUTO a rank
 * decides by the devices that its process sees; if ranks decide differently, import fails on all of
 * them with ARF_ERR_PEER. Processes of one user and one PID namespace. */
ARF_API int arf_comm_create(int rank, int world, int device, const arf_config*, arf_comm**);
ARF_API int arf_comm_export(arf_comm*, void* blob, size_t* length);
ARF_API int arf_comm_import(arf_comm*, const void* blobs, size_t stride);

/* Checks everything, then launches exactly one kernel (two with patterns 6 and 7, or NCCL's and one
 * more), or returns an error and launches nothing. */
ARF_API int arf_launch(arf_comm*, const arf_params*, arf_stream);
/* The same for all ranks of this process, in one call. */
ARF_API int arf_launch_all(int world, arf_comm* const* comms, const arf_params* params,
                           const arf_stream* streams);

/* Lets calls use NCCL where the table of measured choices says that it is faster, or where they ask
 * for it (ARF_NCCL). nccl_comm is an ncclComm_t of the same ranks on the same devices, which
 * outlives this use; library names the file it came from, null is libnccl.so.2. All ranks or none.
 * NCCL adds in an order of its own: such a call's bits are not those of the other algorithms. Ranks
 * of one process use NCCL in arf_launch_all() only. */
ARF_API int arf_comm_use_nccl(arf_comm*, const char* library, void* nccl_comm);

/* What a call does after the sum, where something else has made the sum (NCCL: ranks on several
 * machines, or more of them than a communicator takes): `in` is the sum, rounded to dtype. On the
 * current device, without a communicator; every pattern but 0, 6 and 7; algorithm and launch shape
 * are ignored. Outputs are the bits that arf_launch() gives for the same sum. */
ARF_API int arf_finish(const arf_params*, arf_stream);

/* The first failure since creation, without synchronising with the device. */
ARF_API int arf_comm_status(arf_comm*, arf_status*);
/* Makes waiting kernels of this rank give up soon; may be called from any thread. */
ARF_API int arf_comm_abort(arf_comm*);
/* Every rank must have finished its calls before any rank destroys its communicator. */
ARF_API int arf_comm_destroy(arf_comm*);

ARF_API const char* arf_strerror(int);
ARF_API const char* arf_last_cuda_error(void);
ARF_API const char* arf_build_info(void);

#ifdef __cplusplus
}
#endif
#endif

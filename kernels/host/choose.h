// Chooses the algorithm and the launch shape of a call.
#pragma once

#include "arf.h"

struct arf_comm;

namespace arf {

struct Shape {
  int algorithm = 0;
  int cluster = 1, packs = 1;  // blocks a row; packs a thread
  int threads = 0, units = 0;  // of a block; rows worked on at a time
  int pause_ns = 0;            // between polls
  const void* kernel = nullptr;
};

// What the caller left open is taken from the tables of measured choices (choices.h) where one has
// an entry which fits the call and the device, else by rule; `nccl`: whether NCCL may be chosen,
// which has no shape. ARF_OK, or why the call cannot run.
int choose_shape(arf_comm& comm, const arf_params& p, int packs_of_row, bool nccl, Shape& out);

}  // namespace arf

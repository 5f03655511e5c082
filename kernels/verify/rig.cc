#include "verify/rig.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "verify/numbers.h"

namespace arf::verify {
namespace {

constexpr int kPoison = 0xee;

std::string text(const char* format, auto... values) {
  char buffer[512];
  std::snprintf(buffer, sizeof buffer, format, values...);
  return buffer;
}

const char* name_of(int dtype) { return dtype == ARF_BF16 ? "bf16" : dtype == ARF_FP16 ? "fp16" : "fp32"; }

std::string wrong(const char* what, int rank, const Problem& p, const Difference& d) {
  return text("%s of rank %d: %llu wrong, first at token %llu column %llu: got %#x (%g), want %#x (%g)", what, rank,
              static_cast<unsigned long long>(d.wrong),
              static_cast<unsigned long long>(d.first / static_cast<uint64_t>(p.hidden)),
              static_cast<unsigned long long>(d.first % static_cast<uint64_t>(p.hidden)), d.got,
              static_cast<double>(to_float(p.dtype, d.got)), d.want, static_cast<double>(to_float(p.dtype, d.want)));
}

}  // namespace

void cuda_or_exit(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(2);
}

std::string describe(const Problem& p, const Manner& m) {
  return text("pattern %d %s world %d tokens %d hidden %d algorithm %d cluster %d packs %d units %d%s%s data %d call %u",
              p.pattern, name_of(p.dtype), p.world, p.tokens, p.hidden, m.algorithm, m.cluster, m.packs, m.max_units,
              m.pdl ? " pdl" : "", m.in_place ? " in place" : "", static_cast<int>(p.data), p.call);
}

void GuardedTensor::allocate(size_t capacity) {
  cuda_or_exit(cudaMalloc(reinterpret_cast<void**>(&base_), capacity + 2 * kGuard), "cudaMalloc");
}
void GuardedTensor::release() { (void)cudaFree(base_); }

void GuardedTensor::poison(size_t bytes, cudaStream_t stream) {
  bytes_ = bytes;
  cuda_or_exit(cudaMemsetAsync(base_, kPoison, bytes + 2 * kGuard, stream), "cudaMemset");
}

bool GuardedTensor::intact() const {
  uint8_t guards[2 * kGuard];
  cuda_or_exit(cudaMemcpy(guards, base_, kGuard, cudaMemcpyDeviceToHost), "cudaMemcpy");
  cuda_or_exit(cudaMemcpy(guards + kGuard, base_ + kGuard + bytes_, kGuard, cudaMemcpyDeviceToHost), "cudaMemcpy");
  for (const uint8_t b : guards)
    if (b != kPoison) return false;
  return true;
}

Bytes GuardedTensor::read() const {
  Bytes out(bytes_);
  cuda_or_exit(cudaMemcpy(out.data(), data(), bytes_, cudaMemcpyDeviceToHost), "cudaMemcpy");
  return out;
}

void GuardedTensor::write(const Bytes& from, cudaStream_t stream) {
  bytes_ = from.size();
  cuda_or_exit(cudaMemsetAsync(base_, kPoison, kGuard, stream), "cudaMemset");
  cuda_or_exit(cudaMemsetAsync(base_ + kGuard + bytes_, kPoison, kGuard, stream), "cudaMemset");
  cuda_or_exit(cudaMemcpyAsync(data(), from.data(), from.size(), cudaMemcpyHostToDevice, stream), "cudaMemcpy");
}

Rig::Rig(const std::vector<int>& devices, const arf_config& config) {
  ranks_.resize(devices.size());
  std::vector<arf_comm*> comms(devices.size());
  if (int e = arf_comm_create_local(world(), devices.data(), &config, comms.data())) {
    std::fprintf(stderr, "arf_comm_create_local: %s (%s)\n", arf_strerror(e), arf_last_cuda_error());
    std::exit(2);
  }
  capacity_ = static_cast<size_t>(config.max_tokens) * static_cast<size_t>(config.max_hidden) *
              static_cast<size_t>(size_of(config.max_dtype));
  for (int r = 0; r < world(); r++) {
    Rank& k = rank(r);
    k.device = devices[static_cast<size_t>(r)];
    k.comm = comms[static_cast<size_t>(r)];
    cuda_or_exit(cudaSetDevice(k.device), "cudaSetDevice");
    cuda_or_exit(cudaStreamCreateWithFlags(&k.stream, cudaStreamNonBlocking), "cudaStreamCreate");
    for (GuardedTensor* t : {&k.in, &k.residual_in, &k.out, &k.residual_out, &k.norm_out}) t->allocate(capacity_);
    k.gamma.allocate(static_cast<size_t>(config.max_hidden) * static_cast<size_t>(size_of(config.max_dtype)));
  }
}

Rig::~Rig() {
  synchronise();
  for (Rank& k : ranks_) {
    (void)cudaSetDevice(k.device);
    for (GuardedTensor* t : {&k.in, &k.residual_in, &k.gamma, &k.out, &k.residual_out, &k.norm_out}) t->release();
    (void)cudaStreamDestroy(k.stream);
    arf_comm_destroy(k.comm);
  }
}

void Rig::load(const Problem& p, const Inputs& in) {
  const size_t bytes = in.in[0].size();
  for (int r = 0; r < world(); r++) {
    Rank& k = rank(r);
    cuda_or_exit(cudaSetDevice(k.device), "cudaSetDevice");
    k.in.write(in.in[static_cast<size_t>(r)], k.stream);
    if (p.pattern != ARF_ALLREDUCE) {
      k.residual_in.write(in.residual, k.stream);
      k.gamma.write(in.gamma, k.stream);
      k.residual_out.poison(bytes, k.stream);
      k.norm_out.poison(bytes, k.stream);
    } else {
      k.out.poison(bytes, k.stream);
    }
  }
  synchronise();
}

arf_params Rig::params(const Problem& p, const Manner& m, int r) {
  Rank& k = rank(r);
  arf_params a;
  arf_params_init(&a);
  a.pattern = p.pattern;
  a.dtype = p.dtype;
  a.tokens = p.tokens;
  a.hidden = p.hidden;
  a.algorithm = m.algorithm;
  a.cluster = m.cluster;
  a.packs = m.packs;
  a.max_units = m.max_units;
  a.flags = m.pdl ? ARF_PDL : 0;
  a.eps = p.eps;
  a.weight_bias = p.weight_bias;
  a.in = k.in.data();
  if (p.pattern == ARF_ALLREDUCE) {
    a.out = m.in_place ? k.in.data() : k.out.data();
    return a;
  }
  a.residual_in = k.residual_in.data();
  a.gamma = k.gamma.data();
  a.residual_out = m.in_place ? k.residual_in.data() : k.residual_out.data();
  a.norm_out = m.in_place ? k.in.data() : k.norm_out.data();
  return a;
}

int Rig::launch(const Problem& p, const Manner& m, int absent) {
  for (int r = 0; r < world(); r++) {
    if (r == absent) continue;
    const arf_params a = params(p, m, r);
    if (int e = arf_launch(rank(r).comm, &a, rank(r).stream)) return e;
  }
  return ARF_OK;
}

void Rig::synchronise() {
  for (Rank& k : ranks_) {
    cuda_or_exit(cudaSetDevice(k.device), "cudaSetDevice");
    cuda_or_exit(cudaStreamSynchronize(k.stream), "cudaStreamSynchronize");
  }
}

std::string Rig::failure() {
  for (Rank& k : ranks_) {
    arf_status s;
    arf_comm_status(k.comm, &s);
    if (s.code != 0)
      return text("%s (rank %d, peer %d, algorithm %d, phase %d, row %u, sequence %u)", arf_strerror(s.code), s.rank,
                  s.peer, s.algorithm, s.phase, s.row, s.sequence);
  }
  return {};
}

std::string Rig::check(const Problem& p, const Manner& m, const Inputs& in) {
  if (std::string f = failure(); !f.empty()) return f;
  const Expected e = expect(p, in);
  if (e.off_bound != 0) return "the reference itself is off its bound";
  Bytes first;
  for (int r = 0; r < world(); r++) {
    Rank& k = rank(r);
    cuda_or_exit(cudaSetDevice(k.device), "cudaSetDevice");
    const bool norm = p.pattern != ARF_ALLREDUCE;
    GuardedTensor& x = m.in_place ? k.in : norm ? k.norm_out : k.out;
    if (!x.intact() || !k.in.intact()) return text("guard band of rank %d overwritten", r);
    Bytes got = x.read();
    if (!norm) {
      if (const Difference d = compare_exact(p.dtype, got, e.sum); d.wrong) return wrong("out", r, p, d);
    } else {
      GuardedTensor& y = m.in_place ? k.residual_in : k.residual_out;
      if (!y.intact()) return text("guard band of rank %d overwritten", r);
      const Bytes residual = y.read();
      if (const Difference d = compare_exact(p.dtype, residual, e.residual_out); d.wrong)
        return wrong("residual_out", r, p, d);
      if (r == 0) {
        const Difference d = compare_norm(p, got, residual, in.gamma);
        if (d.wrong) return wrong("norm_out", r, p, d);
        inexact += d.inexact;
        elements += p.elements();
        if (p.elements() > 20000 && static_cast<double>(d.inexact) > max_inexact(p.dtype) * static_cast<double>(p.elements()))
          return text("norm_out: %llu of %llu elements one step off", static_cast<unsigned long long>(d.inexact),
                      static_cast<unsigned long long>(p.elements()));
      }
    }
    if (r == 0)
      first = std::move(got);
    else if (std::memcmp(first.data(), got.data(), first.size()) != 0)
      return text("ranks 0 and %d differ", r);
  }
  return {};
}

std::string Rig::run(const Problem& p, const Manner& m) {
  const Inputs in = make_inputs(p);
  load(p, in);
  if (int e = launch(p, m)) return text("arf_launch: %s (%s)", arf_strerror(e), arf_last_cuda_error());
  synchronise();
  return check(p, m, in);
}

}  // namespace arf::verify

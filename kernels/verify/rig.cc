#include "verify/rig.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "pattern.h"
#include "verify/experts.h"
#include "verify/numbers.h"
#include "verify/quantise.h"

namespace arf::verify {
namespace {

std::string text(const char* format, auto... values) {
  char buffer[512];
  std::snprintf(buffer, sizeof buffer, format, values...);
  return buffer;
}

const char* name_of(int dtype) {
  return dtype == ARF_BF16 ? "bf16" : dtype == ARF_FP16 ? "fp16" : "fp32";
}

std::string wrong(const char* what, int rank, const Problem& p, const Difference& d) {
  return text(
      "%s of rank %d: %llu wrong, first at token %llu column %llu: got %#x (%g), want %#x (%g)",
      what, rank, static_cast<unsigned long long>(d.wrong),
      static_cast<unsigned long long>(d.first / static_cast<uint64_t>(p.hidden)),
      static_cast<unsigned long long>(d.first % static_cast<uint64_t>(p.hidden)), d.got,
      static_cast<double>(to_float(p.dtype, d.got)), d.want,
      static_cast<double>(to_float(p.dtype, d.want)));
}

}  // namespace

std::string describe(const Problem& p, const Manner& m) {
  return text(
      "pattern %d %s world %d tokens %d hidden %d layout %d group %d algorithm %d cluster %d packs "
      "%d units %d%s%s data %d call %u",
      p.pattern, name_of(p.dtype), p.world, p.tokens, p.hidden, p.layout, p.group_size, m.algorithm,
      m.cluster, m.packs, m.max_units, m.pdl ? " pdl" : "", m.in_place ? " in place" : "",
      static_cast<int>(p.data), p.call);
}

Rig::Rig(const std::vector<int>& devices, const arf_config& config)
    : world_(static_cast<int>(devices.size())) {
  ranks_.resize(devices.size());
  std::vector<arf_comm*> comms(devices.size());
  if (int e = arf_comm_create_local(world(), devices.data(), &config, comms.data())) {
    std::fprintf(stderr, "arf_comm_create_local: %s (%s)\n", arf_strerror(e),
                 arf_last_cuda_error());
    std::exit(2);
  }
  for (int r = 0; r < world(); r++) {
    Rank& k = rank(r);
    k.device = devices[static_cast<size_t>(r)];
    k.comm = comms[static_cast<size_t>(r)];
    allocate(k, config);
  }
}

Rig::Rig(int rank, int world, int device, arf_comm* comm, const arf_config& config)
    : world_(world), first_(rank), ranks_(1) {
  ranks_[0].device = device;
  ranks_[0].comm = comm;
  allocate(ranks_[0], config);
}

void Rig::allocate(Rank& k, const arf_config& config) {
  const size_t capacity = static_cast<size_t>(config.max_tokens) *
                          static_cast<size_t>(config.max_hidden) *
                          static_cast<size_t>(size_of(config.max_dtype));
  // Swizzled scales are padded to 128 rows.
  const size_t scales = (static_cast<size_t>(config.max_tokens) + 128) *
                        (static_cast<size_t>(config.max_hidden) / 4 + 64);
  cuda_or_exit(cudaSetDevice(k.device), "cudaSetDevice");
  cuda_or_exit(cudaStreamCreateWithFlags(&k.stream, cudaStreamNonBlocking), "cudaStreamCreate");
  for (GuardedTensor* t : k.tensors())
    t->allocate(t == &k.scale_out ? scales : t == &k.experts ? kMostExperts * capacity : capacity);
}

Rig::~Rig() {
  synchronise();
  for (Rank& k : ranks_) {
    (void)cudaSetDevice(k.device);
    for (GuardedTensor* t : k.tensors()) t->release();
    (void)cudaStreamDestroy(k.stream);
    arf_comm_destroy(k.comm);
  }
}

void Rig::load(const Problem& p, const Inputs& in) {
  const size_t bytes = in.in[0].size();
  for (int r = first_; r < end(); r++) {
    Rank& k = rank(r);
    cuda_or_exit(cudaSetDevice(k.device), "cudaSetDevice");
    k.in.write(in.in[static_cast<size_t>(r)], k.stream);
    if (is_moe(p.pattern)) {
      const Experts e = make_experts(p, r);
      k.experts.write(e.experts, k.stream);
      k.expert_scales.write(e.scales, k.stream);
      k.expert_rows.write(e.rows, k.stream);
      k.shared.write(e.shared, k.stream);
      cuda_or_exit(cudaStreamSynchronize(k.stream), "cudaStreamSynchronize");
    }
    if (p.pattern != ARF_ALLREDUCE) {
      k.residual_in.write(in.residual, k.stream);
      k.gamma.write(in.gamma, k.stream);
      k.residual_out.poison(bytes, k.stream);
      k.norm_out.poison(bytes, k.stream);
      const auto tokens = static_cast<uint64_t>(p.tokens), hidden = static_cast<uint64_t>(p.hidden);
      k.quant_out.poison(quant_bytes(p.pattern, tokens, hidden), k.stream);
      k.scale_out.poison(scale_bytes(p.pattern, tokens, hidden, p.layout, p.group_size), k.stream);
      const float factor = scale_factor_of(p);
      Bytes bits(4);
      std::memcpy(bits.data(), &factor, 4);
      k.scale_factor.write(bits, k.stream);
      cuda_or_exit(cudaStreamSynchronize(k.stream), "cudaStreamSynchronize");
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
  a.pause_ns = m.pause_ns;
  a.layout = p.layout;
  a.group_size = p.group_size;
  if (is_moe(p.pattern)) {
    // Which of them a call has does not depend on the rank.
    const Experts e = make_experts(p, r);
    a.in = nullptr;
    a.experts = k.experts.data();
    a.expert_scales = e.scales.empty() ? nullptr : k.expert_scales.data();
    a.expert_rows = static_cast<const int32_t*>(e.rows.empty() ? nullptr : k.expert_rows.data());
    a.shared = e.shared.empty() ? nullptr : k.shared.data();
    a.expert_count = e.count;
    a.routed_scale = e.routed_scale;
  }
  if (quantiser_of(p.pattern) == kNotQuantised) return a;
  if (!gives_norm(p.pattern)) a.norm_out = nullptr;
  a.quant_out = k.quant_out.data();
  a.scale_out = k.scale_out.data();
  a.scale_factor = static_cast<const float*>(k.scale_factor.data());
  return a;
}

int Rig::launch(const Problem& p, const Manner& m, int absent) {
  for (int r = first_; r < end(); r++) {
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
      return text("%s (rank %d, peer %d, algorithm %d, phase %d, row %u, sequence %u)",
                  arf_strerror(s.code), s.rank, s.peer, s.algorithm, s.phase, s.row, s.sequence);
  }
  return {};
}

Outputs Rig::outputs(const Problem& p, const Manner& m, int r, bool& broken) {
  Rank& k = rank(r);
  cuda_or_exit(cudaSetDevice(k.device), "cudaSetDevice");
  Outputs o;
  const auto take = [&broken](GuardedTensor& t) {
    broken = broken || !t.intact();
    return t.read();
  };
  broken = !k.in.intact();
  if (p.pattern == ARF_ALLREDUCE) {
    o.out = take(m.in_place ? k.in : k.out);
    return o;
  }
  o.residual = take(m.in_place ? k.residual_in : k.residual_out);
  if (gives_norm(p.pattern)) o.norm = take(m.in_place ? k.in : k.norm_out);
  if (quantiser_of(p.pattern) == kNotQuantised) return o;
  o.codes = take(k.quant_out);
  o.scales = take(k.scale_out);
  return o;
}

std::string Rig::check(const Problem& p, const Manner& m, const Inputs& in) {
  if (std::string f = failure(); !f.empty()) return f;
  const Expected e = expect(p, in);
  if (e.off_bound != 0) return "the reference itself is off its bound";
  Outputs first;
  for (int r = first_; r < end(); r++) {
    bool broken = false;
    Outputs o = outputs(p, m, r, broken);
    if (broken) return text("guard band of rank %d overwritten", r);
    if (p.pattern == ARF_ALLREDUCE) {
      if (const Difference d = compare_exact(p.dtype, o.out, e.sum); d.wrong)
        return wrong("out", r, p, d);
    } else if (const Difference d = compare_exact(p.dtype, o.residual, e.residual_out); d.wrong) {
      return wrong("residual_out", r, p, d);
    }
    if (r == first_)
      first = std::move(o);
    else if (first.out != o.out || first.residual != o.residual || first.norm != o.norm ||
             first.codes != o.codes || first.scales != o.scales)
      return text("ranks %d and %d differ", first_, r);
  }
  return p.pattern == ARF_ALLREDUCE ? "" : check_norm(p, m, in, first);
}

std::string Rig::check_norm(const Problem& p, const Manner& m, const Inputs& in, const Outputs& o) {
  Bytes norm = o.norm;
  if (norm.empty()) {
    // The pattern keeps its norm to itself: it must be that of pattern 1.
    Problem plain = p;
    plain.pattern = ARF_RESIDUAL_RMSNORM;
    load(plain, in);
    if (int e = launch(plain, m))
      return text("arf_launch: %s (%s)", arf_strerror(e), arf_last_cuda_error());
    synchronise();
    bool broken = false;
    norm = outputs(plain, m, first_, broken).norm;
  }
  const Difference d = compare_norm(p, norm, o.residual, in.gamma);
  if (d.wrong) return wrong("norm_out", first_, p, d);
  inexact += d.inexact;
  elements += p.elements();
  most_steps = std::max(most_steps, d.most_steps);
  if (p.elements() > 20000 &&
      static_cast<double>(d.inexact) > max_inexact(p.dtype) * static_cast<double>(p.elements()))
    return text("norm_out: %llu of %llu elements off", static_cast<unsigned long long>(d.inexact),
                static_cast<unsigned long long>(p.elements()));
  return quantiser_of(p.pattern) == kNotQuantised ? "" : check_quantised(p, norm, o);
}

std::string Rig::check_quantised(const Problem& p, const Bytes& norm, const Outputs& o) {
  const Quantised want = quantise(p, norm, scale_factor_of(p));
  const auto compare = [](const char* what, const Bytes& got, const Bytes& wanted) -> std::string {
    uint64_t differing = 0, first = 0;
    for (size_t i = wanted.size(); i-- > 0;)
      if (got[i] != wanted[i]) differing++, first = i;
    if (differing == 0) return {};
    return text("%s: %llu of %llu bytes wrong, first %llu: got %#x, want %#x", what,
                static_cast<unsigned long long>(differing),
                static_cast<unsigned long long>(wanted.size()),
                static_cast<unsigned long long>(first), got[first], wanted[first]);
  };
  if (std::string e = compare("scale_out", o.scales, want.scales); !e.empty()) return e;
  return compare("quant_out", o.codes, want.codes);
}

std::string Rig::run(const Problem& p, const Manner& m) {
  const Inputs in = make_inputs(p);
  load(p, in);
  if (int e = launch(p, m))
    return text("arf_launch: %s (%s)", arf_strerror(e), arf_last_cuda_error());
  synchronise();
  return check(p, m, in);
}

}  // namespace arf::verify

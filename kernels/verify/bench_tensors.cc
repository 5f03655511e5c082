#include "verify/bench_tensors.h"

#include "pattern.h"
#include "verify/quantise.h"

namespace arf::verify {
namespace {

char* device_memory(size_t bytes) {
  void* p = nullptr;
  cuda_or_exit(cudaMalloc(&p, bytes), "cudaMalloc");
  return static_cast<char*>(p);
}

void copy_in(void* to, const void* from, size_t bytes) {
  cuda_or_exit(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
}

float factor(int pattern) {
  Problem p;
  p.pattern = pattern;
  return scale_factor_of(p);
}

}  // namespace

BenchTensors::BenchTensors(const std::vector<int>& devices, int max_tokens, int max_hidden)
    : devices_(devices),
      tensors_(devices.size()),
      max_tokens_(max_tokens),
      tokens_(max_tokens),
      hidden_(max_hidden) {
  const auto tokens = static_cast<size_t>(max_tokens), hidden = static_cast<size_t>(max_hidden);
  set_bytes_ = tokens * hidden * 2;
  // Swizzled scales are padded to 128 rows.
  scale_capacity_ = (tokens + 128) * (hidden / 4 + 64);
  for (size_t r = 0; r < world(); r++) {
    on(r);
    Tensors& t = tensors_[r];
    for (char** p : {&t.in, &t.residual, &t.residual_out, &t.norm_out, &t.sum, &t.codes})
      *p = device_memory(kSets * set_bytes_);
    t.gamma = device_memory(hidden * 2);
    t.scales = device_memory(kSets * scale_capacity_);
    t.scale_factors = reinterpret_cast<float*>(device_memory(2 * sizeof(float)));
  }
}

void BenchTensors::load(int hidden, const std::vector<void*>& more_in) {
  hidden_ = hidden;
  tokens_ = max_tokens_;
  inputs_.clear();
  expected_.clear();
  for (int s = 0; s < kSets; s++) {
    inputs_.push_back(make_inputs(problem(s)));
    expected_.push_back(expect(problem(s), inputs_.back()));
  }
  const float factors[] = {factor(ARF_RESIDUAL_RMSNORM_FP8), factor(ARF_RESIDUAL_RMSNORM_FP4)};
  for (size_t r = 0; r < world(); r++) {
    on(r);
    for (int s = 0; s < kSets; s++) {
      const Inputs& in = inputs_[static_cast<size_t>(s)];
      copy_in(tensors_[r].in + set(s), in.in[r].data(), in.in[r].size());
      copy_in(tensors_[r].residual + set(s), in.residual.data(), in.residual.size());
      if (!more_in.empty())
        copy_in(static_cast<char*>(more_in[r]) + set(s), in.in[r].data(), in.in[r].size());
    }
    copy_in(tensors_[r].gamma, inputs_[0].gamma.data(), inputs_[0].gamma.size());
    copy_in(tensors_[r].scale_factors, factors, sizeof factors);
  }
}

void BenchTensors::use(int tokens) {
  tokens_ = tokens;
  verified_.assign(kSets, {});
}

Problem BenchTensors::problem(int k) const {
  Problem p;
  p.pattern = ARF_RESIDUAL_RMSNORM;
  p.world = static_cast<int>(world());
  p.tokens = tokens_;
  p.hidden = hidden_;
  p.call = static_cast<uint32_t>(k % kSets);
  return p;
}

void BenchTensors::poison() {
  for (size_t r = 0; r < world(); r++) {
    on(r);
    for (char* output : {tensors_[r].residual_out, tensors_[r].norm_out, tensors_[r].codes})
      cuda_or_exit(cudaMemset(output, 0xff, kSets * set_bytes_), "memset");
    cuda_or_exit(cudaMemset(tensors_[r].scales, 0xff, kSets * scale_capacity_), "memset");
    cuda_or_exit(cudaDeviceSynchronize(), "synchronize");
  }
}

Bytes BenchTensors::copy_out(const char* from, size_t bytes) {
  Bytes out(bytes);
  if (bytes != 0)
    cuda_or_exit(cudaMemcpy(out.data(), from, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
  return out;
}

std::string BenchTensors::check(bool exact, int pattern) {
  for (int s = 0; s < kSets; s++) {
    Bytes first;
    for (size_t r = 0; r < world(); r++)
      if (std::string problem = check_one(exact, pattern, s, r, first); !problem.empty())
        return problem;
  }
  return "ok";
}

// gamma and scale_factor are those of set 0 for all. The fused kernels give the same bits every
// time, so a norm is compared with the reference once a size.
std::string BenchTensors::check_one(bool exact, int pattern, int s, size_t r, Bytes& first) {
  on(r);
  const Tensors& t = tensors_[r];
  Problem p = problem(s);
  p.pattern = pattern;
  const auto bytes = static_cast<size_t>(tokens_) * static_cast<size_t>(hidden_) * 2;
  const Bytes& all = expected_[static_cast<size_t>(s)].residual_out;
  const Bytes want(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(bytes));
  const Bytes residual = copy_out(t.residual_out + set(s), bytes);
  if (exact && compare_exact(ARF_BF16, residual, want).wrong) return "WRONG residual_out";
  Bytes& verified = verified_[static_cast<size_t>(s)];
  if (!gives_norm(pattern)) {
    if (verified.empty()) return "WRONG unverified: time pattern 1 first";
    const Quantised q = quantise(p, verified, factor(pattern));
    if (copy_out(t.scales + scale_set(s), q.scales.size()) != q.scales) return "WRONG scale_out";
    return copy_out(t.codes + set(s), q.codes.size()) != q.codes ? "WRONG quant_out" : "";
  }
  const Bytes norm = copy_out(t.norm_out + set(s), bytes);
  if (exact && norm == verified) return {};
  if (r == 0 && compare_norm(p, norm, residual, inputs_[0].gamma).wrong) return "WRONG norm_out";
  if (r == 0) first = norm;
  if (norm != first || (exact && !verified.empty())) return "WRONG ranks or variants differ";
  if (exact && r + 1 == world()) verified = norm;
  return {};
}

}  // namespace arf::verify

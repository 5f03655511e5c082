#include "host/check.h"

#include <cstddef>
#include <initializer_list>

#include "host/layout.h"
#include "pattern.h"

namespace arf {
namespace {

bool aligned(const void* p) {
  return (reinterpret_cast<uintptr_t>(p) & 15) == 0;
}

// A tensor of a call.
struct Extent {
  const void* at;
  size_t bytes;
};

bool overlap(const Extent& a, const Extent& b) {
  const auto x = reinterpret_cast<uintptr_t>(a.at), y = reinterpret_cast<uintptr_t>(b.at);
  return a.at != nullptr && b.at != nullptr && x < y + b.bytes && y < x + a.bytes;
}

int check_shape(const Limits& most, const arf_params& p) {
  if (p.tokens <= 0 || p.hidden <= 0 || p.tokens > most.tokens) return ARF_ERR_SIZE;
  const auto row = static_cast<size_t>(p.hidden) * static_cast<size_t>(element_size(p.dtype));
  if (row > static_cast<size_t>(most.row_packs) * 16) return ARF_ERR_SIZE;
  if (row % 16 != 0) return ARF_ERR_HIDDEN;
  const Quantiser q = quantiser_of(p.pattern);
  if (q == kNotQuantised) return ARF_OK;
  if (element_size(p.dtype) != 2) return ARF_ERR_DTYPE;
  if (q == kFp4 && p.hidden % 16 != 0) return ARF_ERR_HIDDEN;
  if (q == kFp4 && p.layout != ARF_SCALES_LINEAR && p.layout != ARF_SCALES_SWIZZLED_128X4)
    return ARF_ERR_ARGUMENT;
  if (q != kFp8Group) return ARF_OK;
  bool known = false;
  for (const int size : {16, 32, 64, 128, 256}) known = known || p.group_size == size;
  if (!known) return ARF_ERR_ARGUMENT;
  return p.hidden % p.group_size == 0 ? ARF_OK : ARF_ERR_HIDDEN;
}

constexpr int kMaxExperts = 1024;

bool has_experts(const arf_params& p) {
  if (p.experts == nullptr || p.expert_count < 1 || p.expert_count > kMaxExperts) return false;
  return p.pattern == ARF_MOE_FINALIZE ? p.expert_rows != nullptr
                                       : p.expert_scales != nullptr && p.shared != nullptr;
}

bool has_tensors(const arf_params& p) {
  if (is_moe(p.pattern) ? !has_experts(p) : p.in == nullptr) return false;
  if (p.pattern == ARF_ALLREDUCE) return p.out != nullptr;
  if (!(p.residual_in && p.gamma && p.residual_out)) return false;
  if (gives_norm(p.pattern) && !p.norm_out) return false;
  const Quantiser q = quantiser_of(p.pattern);
  if (q == kNotQuantised) return true;
  const bool given = q == kFp8Static || q == kFp4;
  return p.quant_out && (!given || p.scale_factor) && (q == kFp8Static || p.scale_out);
}

}  // namespace

int check_params(const Limits& most, const arf_params& p) {
  if (p.dtype < ARF_BF16 || p.dtype > ARF_FP32) return ARF_ERR_DTYPE;
  if (!is_pattern(p.pattern)) return ARF_ERR_PATTERN;
  if (const int e = check_shape(most, p)) return e;
  if (!has_tensors(p)) return ARF_ERR_ARGUMENT;
  const auto tokens = static_cast<size_t>(p.tokens), hidden = static_cast<size_t>(p.hidden);
  const size_t row = hidden * static_cast<size_t>(element_size(p.dtype)), bytes = tokens * row;
  if (p.pattern == ARF_ALLREDUCE) {
    if (!aligned(p.in) || !aligned(p.out)) return ARF_ERR_ALIGNMENT;
    return p.out != p.in && overlap({p.in, bytes}, {p.out, bytes}) ? ARF_ERR_ALIAS : ARF_OK;
  }
  const bool moe = is_moe(p.pattern);
  // How many rows there are to choose from in pattern 7 is not known here.
  const size_t experts = p.pattern == ARF_MOE_REDUCTION ? static_cast<size_t>(p.expert_count) : 0;
  // norm_out may take the place of `in` only: nobody writes over an expert's rows.
  const Extent inputs[] = {{moe ? nullptr : p.in, bytes},
                           {p.residual_in, bytes},
                           {p.gamma, row},
                           {p.scale_factor, 4},
                           {moe ? p.experts : nullptr, experts * bytes},
                           {moe ? p.shared : nullptr, bytes}};
  const Extent outputs[] = {
      {gives_norm(p.pattern) ? p.norm_out : nullptr, bytes},
      {p.residual_out, bytes},
      {p.quant_out, quant_bytes(p.pattern, tokens, hidden)},
      {p.scale_out, scale_bytes(p.pattern, tokens, hidden, p.layout, p.group_size)}};
  for (size_t i = 0; i < 6; i++)
    if (i != 3 && !aligned(inputs[i].at)) return ARF_ERR_ALIGNMENT;
  for (size_t i = 0; i < 4; i++) {
    if (!aligned(outputs[i].at)) return ARF_ERR_ALIGNMENT;
    for (size_t k = 0; k < i; k++)
      if (overlap(outputs[i], outputs[k])) return ARF_ERR_ALIAS;
    // A row's norm may take the place of its input, its sum with the residual that of the residual.
    for (size_t k = 0; k < 6; k++)
      if (overlap(outputs[i], inputs[k]) && !(i == k && i < 2 && outputs[i].at == inputs[k].at))
        return ARF_ERR_ALIAS;
  }
  return ARF_OK;
}

}  // namespace arf

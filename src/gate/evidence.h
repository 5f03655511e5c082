// Instructions in the way: what a module's sources hold that a code target does not have (internal).
#pragma once

#include <memory>
#include <unordered_map>

#include "gate/knowledge.h"
#include "gate/modules.h"

namespace ungate::gate {

// The longest piece of a pattern without '*': what a text must hold to match it.
std::string longest_piece(std::string_view pattern);

bool has_mnemonic(const Feature& feature, std::string_view mnemonic);

// Looks for the instructions and intrinsics of features that one code target lacks.
class LackingFeatures {
 public:
  LackingFeatures(const std::vector<Feature>& features, arch::CodeTarget target);
  ~LackingFeatures();

  // Adds what stands in text of the file that is compiled for the target, or would be once the arms that
  // are gates are out of the way; stops when `out` holds kEnough.
  static constexpr std::size_t kEnough = 4;
  void find(const std::string& path, const cuda::FileResult& result, const std::vector<std::uint32_t>& gate_arms,
            CudaFiles& files, std::vector<Evidence>& out) const;

 private:
  struct Pattern;
  void read(const std::string& path, source::Range piece, CudaFiles& files, std::vector<Evidence>& out) const;

  std::vector<const Feature*> features_;
  arch::CodeTarget target_;
  std::unique_ptr<Pattern> any_;   // a quick look before a piece is read
};

}  // namespace ungate::gate

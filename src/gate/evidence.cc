#include "gate/evidence.h"

#include <re2/re2.h>

#include <algorithm>

#include <fmt/core.h>

#include "base/text.h"
#include "cuda/mnemonic.h"

namespace ungate::gate {
namespace {

// Per arm: whether its text is compiled for the target, or would be without the gates. An arm that was
// never reached hangs on one further out.
std::vector<char> reached_arms(const cuda::FileResult& result, const cuda::Directives& d, arch::CodeTarget target,
                               const std::vector<std::uint32_t>& gate_arms) {
  std::vector<char> out(d.arms.size(), 0);
  for (std::size_t a = 0; a < d.arms.size(); ++a) {
    const cuda::Outcome& condition = result.arms[a].condition.at(target.index());
    bool open = condition.may_be_true() || condition.is(value::kNever) || std::ranges::find(gate_arms, a) != gate_arms.end();
    out[a] = open && (d.arms[a].parent == cuda::kNone || out[d.arms[a].parent]);
  }
  return out;
}

}  // namespace

std::string longest_piece(std::string_view pattern) {
  std::string_view best;
  for (std::string_view piece : text::split(pattern, '*')) {
    if (piece.size() > best.size()) best = piece;
  }
  return std::string(best);
}

bool has_mnemonic(const Feature& f, std::string_view mnemonic) {
  return std::ranges::any_of(f.instructions, [&](const std::string& p) { return cuda::fits_mnemonic(p, mnemonic); });
}

struct LackingFeatures::Pattern {
  RE2 expression;
};

LackingFeatures::LackingFeatures(const std::vector<Feature>& features, arch::CodeTarget target) : target_(target) {
  std::string stems;
  auto add = [&](const std::string& stem) { stems += (stems.empty() ? "" : "|") + RE2::QuoteMeta(stem); };
  for (const Feature& f : features) {
    if (f.targets.has(target.index())) continue;
    features_.push_back(&f);
    for (const std::string& i : f.instructions) add(longest_piece(i));
    for (const std::string& w : f.words) add(w);
  }
  if (!stems.empty()) any_.reset(new Pattern{RE2(stems)});
}

LackingFeatures::~LackingFeatures() = default;

void LackingFeatures::find(const std::string& path, const cuda::FileResult& result, const std::vector<std::uint32_t>& gate_arms,
                           CudaFiles& files, std::vector<Evidence>& out) const {
  if (any_ == nullptr || out.size() >= kEnough) return;
  std::string_view text = files.file(path)->text();
  const cuda::Directives& d = files.directives(path);
  std::vector<char> reached = reached_arms(result, d, target_, gate_arms);
  // The pieces between directives; each belongs to one arm.
  std::uint32_t begin = 0;
  for (std::size_t i = 0; i <= d.list.size() && out.size() < kEnough; ++i) {
    source::Range piece{begin, i < d.list.size() ? d.list[i].range.begin : static_cast<std::uint32_t>(text.size())};
    if (i < d.list.size()) begin = d.list[i].range.end;
    if (piece.begin >= piece.end) continue;
    std::uint32_t arm = cuda::arm_at(d, piece.begin);
    if (arm != cuda::kNone && !reached[arm]) continue;
    if (RE2::PartialMatch(re2::StringPiece(text.data() + piece.begin, piece.size()), any_->expression)) read(path, piece, files, out);
  }
}

void LackingFeatures::read(const std::string& path, source::Range piece, CudaFiles& files, std::vector<Evidence>& out) const {
  const source::SourceFile& file = *files.file(path);
  cuda::Structure s = cuda::read_piece(file.text(), piece, files.vocabulary());
  auto add = [&](std::string_view what, const Feature& f, std::uint32_t at) {
    if (out.size() < kEnough) out.push_back({fmt::format("{} ({}) is not there on {}", what, f.name, target_.name()), file.at(at)});
  };
  for (const Feature* f : features_) {
    for (const cuda::Assembly& a : s.assembly) {
      for (Symbol mnemonic : a.mnemonics) {
        if (has_mnemonic(*f, mnemonic.text())) add(mnemonic.text(), *f, a.range.begin);
      }
    }
    for (const cuda::Call& call : s.calls) {
      if (std::ranges::find(f->words, call.name.text()) != f->words.end()) add(call.name.text(), *f, call.range.begin);
    }
  }
}

}  // namespace ungate::gate

#include "gate/foreign_code.h"

#include <algorithm>

#include <fmt/core.h>
#include <re2/re2.h>

#include "base/text.h"
#include "cuda/lexeme.h"
#include "gate/evidence.h"
#include "gate/parts.h"

namespace ungate::gate {
namespace {

using cuda::Lexeme;
using cuda::Lexemes;

// It comes out in one way for the device's exact code target, and in the other for another.
bool tells_apart(const cuda::Outcomes& condition, arch::Device device, value::Truth mine, value::Truth other) {
  auto exact = arch::find_code_target(device, arch::Suffix::exact);
  return exact && condition.at(exact->index()).is(mine) && !cuda::targets_with(condition, other).empty();
}

}  // namespace

bool lets_in(const cuda::Outcomes& condition, arch::Device device) { return tells_apart(condition, device, value::kTrue, value::kFalse); }
bool spares(const cuda::Outcomes& condition, arch::Device device) { return tells_apart(condition, device, value::kFalse, value::kTrue); }

struct ForeignCode::Words {
  std::vector<const Feature*> features;
  std::vector<const PackagePart*> parts;
  std::unique_ptr<RE2> any;
};

ForeignCode::ForeignCode(const Knowledge& knowledge, CudaFiles& files) : knowledge_(knowledge), files_(files) {}
ForeignCode::~ForeignCode() = default;

const ForeignCode::Words& ForeignCode::words_for(arch::Device device) {
  std::unique_ptr<Words>& words = words_[device.index()];
  if (words != nullptr) return *words;
  words = std::make_unique<Words>();
  std::string stems;
  auto add = [&](const std::string& stem) { stems += (stems.empty() ? "" : "|") + RE2::QuoteMeta(stem); };
  for (const Feature& f : knowledge_.features) {
    if (!(f.targets & arch::code_targets_of(device)).empty()) continue;
    words->features.push_back(&f);
    for (const std::string& i : f.instructions) add(longest_piece(i));
    for (const std::string& w : f.words) add(w);
  }
  for (const PackageRules& package : knowledge_.packages) {
    for (const PackagePart& part : package.parts) {
      if (!part.in_kernels || !concerns(part, device)) continue;
      words->parts.push_back(&part);
      for (const std::string& name : part.names) add(longest_piece(name));
    }
  }
  RE2::Options options;
  options.set_case_sensitive(false);
  if (!stems.empty()) words->any = std::make_unique<RE2>(stems, options);
  return *words;
}

bool ForeignCode::may_hold(std::string_view text, arch::Device device) {
  const Words& words = words_for(device);
  return words.any != nullptr && RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *words.any);
}

std::vector<Evidence> ForeignCode::find(const std::string& path, const cuda::FileResult& result, source::Range range, arch::Device device) {
  std::vector<Evidence> out;
  const source::SourceFile& file = *files_.file(path);
  const cuda::Directives& d = files_.directives(path);
  auto exact = arch::find_code_target(device, arch::Suffix::exact);
  if (!exact || !may_hold(file.text(range), device)) return out;
  const Words& words = words_for(device);
  auto compiled = [&](std::uint32_t offset) {
    for (std::uint32_t a = cuda::arm_at(d, offset); a != cuda::kNone && !d.arms[a].text.contains(range); a = d.arms[a].parent) {
      if (!result.arms[a].condition.at(exact->index()).is(value::kTrue)) return false;
    }
    return true;
  };
  auto add = [&](const Evidence& e) {
    if (out.size() < LackingFeatures::kEnough && std::ranges::find(out, e.what, &Evidence::what) == out.end()) out.push_back(e);
  };
  Lexemes lexemes = cuda::lex_code(file.text(), d, range);
  cuda::Structure piece = cuda::read_piece(file.text(), range, files_.vocabulary());
  for (std::size_t i = 0; i < lexemes.size();) {
    if (std::size_t end = cuda::after_constexpr(lexemes, i); end != i) {
      i = end;
      continue;
    }
    const Lexeme& l = lexemes[i++];
    if (!l.is_identifier() || !compiled(l.begin)) continue;
    // `asm volatile("tcgen05.…")`
    if (l.is("asm") || l.is("__asm__")) {
      for (const cuda::Assembly& a : piece.assembly) {
        if (!a.range.contains(source::Range{l.begin, l.end})) continue;
        for (const Feature* f : words.features) {
          for (Symbol m : a.mnemonics) {
            if (has_mnemonic(*f, m.text())) add({fmt::format("{} ({}) is on no code target of {}", m.text(), f->name, device.name()), file.at(l.begin)});
          }
        }
      }
      continue;
    }
    for (const Feature* f : words.features) {
      if (std::ranges::find(f->words, l.text) == f->words.end()) continue;
      add({fmt::format("{} ({}) is on no code target of {}", l.text, f->name, device.name()), file.at(l.begin)});
    }
    std::string name = text::lower(l.text);
    for (const PackagePart* part : words.parts) {
      if (stands_for(*part, name)) add({fmt::format("{}: {}", l.text, part->text), file.at(l.begin)});
    }
  }
  return out;
}

}  // namespace ungate::gate

#include "report/objects_kernels.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "binary/kernel_coverage.h"

namespace ungate::report {
namespace {

using binary::Use;

constexpr std::size_t kMostNames = 12;

// "ns::kernel" of "_ZN2ns6kernelI…": the names in front, for symbols that are beyond the demangler.
std::string leading_names(std::string_view symbol) {
  std::string out;
  if (!symbol.starts_with("_ZN")) return std::string(symbol);
  for (std::string_view rest = symbol.substr(3); !rest.empty();) {
    std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
    std::int64_t length = 0;
    if (!text::parse_int(rest.substr(0, digits), length)) break;
    rest.remove_prefix(digits);
    if (static_cast<std::size_t>(length) > rest.size()) break;
    out += (out.empty() ? "" : "::") + std::string(rest.substr(0, static_cast<std::size_t>(length)));
    rest.remove_prefix(static_cast<std::size_t>(length));
  }
  return out.empty() ? std::string(symbol) : out;
}

// "ns::kernel" of "void ns::kernel<float>(float*)".
std::string template_of(const std::string& symbol) {
  std::string name = binary::demangled(symbol);
  if (name == symbol) return leading_names(symbol);
  name = text::replace_all(name, "(anonymous namespace)", "{anonymous}");
  name.resize(std::min(name.size(), name.find_first_of("<(")));
  std::size_t blank = name.rfind(' ');
  return blank == name.npos ? name : name.substr(blank + 1);
}

// "a ×64, b, and 3 others", most frequent first.
std::string gathered(const std::map<std::string, std::size_t>& names) {
  std::vector<std::pair<std::string, std::size_t>> sorted(names.begin(), names.end());
  std::ranges::stable_sort(sorted, std::greater(), [](const auto& n) { return n.second; });
  std::vector<std::string> parts;
  for (const auto& [name, n] : sorted) {
    if (parts.size() == kMostNames) break;
    std::string part = cut(text::escape(name), 60);
    parts.push_back(n == 1 ? part : fmt::format("{} ×{}", part, grouped(n)));
  }
  std::string out = text::join(parts, ", ");
  if (sorted.size() > kMostNames) {
    out += fmt::format(", and {} other names", grouped(sorted.size() - kMostNames));
  }
  return out;
}

std::string summary(const binary::KernelCounts& n) {
  std::vector<std::string> parts;
  auto add = [&](std::size_t count, std::string_view what) {
    if (count != 0) parts.push_back(grouped(count) + ' ' + std::string(what));
  };
  add(n.code, "with machine code");
  add(n.jit, "compiled from PTX");
  add(n.empty, "with an empty body");
  add(n.trap, "that only trap");
  add(n.none, "without code");
  return text::count(n.names, "kernel") + ": " + text::join(parts, ", ");
}

std::string built_for(const std::vector<binary::BuiltCounts>& counts) {
  std::vector<std::string> parts;
  for (const binary::BuiltCounts& b : counts) {
    if (b.code + b.jit == b.names) continue;
    parts.push_back(fmt::format("{} {} ({} usable)", b.built.name(), grouped(b.names),
                                grouped(b.code + b.jit)));
  }
  return text::join(parts, ", ");
}

}  // namespace

std::string kernels_of(const ObjectsOf& of, arch::Device target, const ObjectsStyle& style) {
  Paint paint(style.colour);
  auto width = static_cast<std::size_t>(std::max(style.width, 60));
  std::string out;
  for (const audit::ObjectFile& file : of.objects.files) {
    if (!file.kernels || file.kernels->names.empty()) continue;
    auto uses = binary::kernel_uses(file.listing, *file.kernels, target);
    binary::KernelCounts n = binary::count(uses);
    out += "  " + text::escape(file.path) + '\n' + wrapped(summary(n), 4, width);
    std::map<Use, std::map<std::string, std::size_t>> lost;
    for (std::size_t i = 0; i < uses.size(); ++i) {
      if (uses[i].use < Use::jit) ++lost[uses[i].use][template_of(file.kernels->names[i])];
    }
    auto line = [&](std::string_view label, const std::string& text) {
      if (text.empty()) return;
      std::string body = wrapped(text, 16, width);
      out += "    " + padded(std::string(label), 12) + body.substr(16);
    };
    for (Use use : {Use::none, Use::trap, Use::empty}) {
      if (lost.contains(use)) line(name_of(use), gathered(lost[use]));
    }
    line("built for", built_for(binary::count_by_target(file.listing, *file.kernels, uses)));
  }
  return out.empty() ? out : paint.bold("Kernels on " + target.name()) + '\n' + out;
}

}  // namespace ungate::report

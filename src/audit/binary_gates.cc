#include "audit/binary_gates.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "arch/load.h"
#include "base/hash.h"
#include "base/text.h"
#include "binary/coverage.h"
#include "binary/kernel_coverage.h"

namespace ungate::audit {
namespace {

using binary::State;

std::string names_of(const std::vector<binary::Built>& built) {
  std::vector<std::string> names;
  for (const binary::Built& b : built) names.push_back(b.name());
  return text::join(names, ", ");
}

// What a build for the device would name: its family from the first member on where there are
// families.
std::string wanted_target(arch::Device device) {
  std::string own = device.name();
  auto first = arch::find_device(device.major(), 0);
  if (!first || !first->facts().family_code) return own;
  auto family = arch::find_code_target(*first, arch::Suffix::family);
  return family
             ? fmt::format(
                   "{}, or {}, which runs on {} too", own, family->name(),
                   arch::to_text(arch::sass_devices(*family) - arch::DeviceSet::of(device.index())))
             : own;
}

// Why code of the device's own generation does not load: the suffix, as a rule.
std::string near_miss(const std::vector<binary::Built>& lost, arch::Device device) {
  for (const binary::Built& b : lost) {
    if (static_cast<int>(b.cc / 10) != device.major()) continue;
    if (b.suffix == arch::Suffix::exact) {
      return fmt::format("{} code runs on {}.{} alone", b.name(), b.cc / 10, b.cc % 10);
    }
    if (static_cast<int>(b.cc) > device.cc()) {
      return fmt::format("{} code does not run on older {}.{}", b.name(), device.major(),
                         device.minor());
    }
  }
  return {};
}

// "flash_fwd_kernel<Flash_fwd_kernel_traits> (12), …": the commonest names among kernels of one use.
std::string examples_of(const binary::Kernels& kernels, const std::vector<binary::KernelUse>& uses,
                        binary::Use use) {
  constexpr std::size_t kMost = 3;
  std::map<std::string, std::size_t> counts;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    if (uses[i].use == use) ++counts[binary::short_name(kernels.names[i])];
  }
  std::vector<std::pair<std::string, std::size_t>> sorted(counts.begin(), counts.end());
  std::ranges::stable_sort(sorted, std::greater(), &std::pair<std::string, std::size_t>::second);
  std::string out;
  for (std::size_t i = 0; i < sorted.size() && i < kMost; ++i) {
    out += fmt::format("{}{} ({})", i == 0 ? "" : ", ", sorted[i].first, sorted[i].second);
  }
  return out + (sorted.size() > kMost ? ", …" : "");
}

// What the device meets of the kernels, where they were looked into.
void add_kernels(gate::Standing& s, const ObjectFile& file, const std::string& path) {
  auto uses = binary::kernel_uses(file.listing, *file.kernels, s.device);
  binary::KernelCounts c = binary::count(uses);
  if (c.names == 0) return;
  std::string what = fmt::format("of {}, {} have machine code that loads", text::count(c.names, "kernel"), c.code);
  auto add = [&](std::size_t n, binary::Use use, std::string_view sentence) {
    if (n != 0) what += fmt::format("; {} {}: {}", n, sentence, examples_of(*file.kernels, uses, use));
  };
  add(c.jit, binary::Use::jit, "are compiled from PTX");
  add(c.none, binary::Use::none, "have nothing");
  add(c.trap, binary::Use::trap, "only stop the program");
  add(c.empty, binary::Use::empty, "are empty");
  s.evidence.push_back({what, path});
  if (s.admits == gate::Admits::yes && c.code != c.names) {
    s.admits = gate::Admits::unknown;
    s.effect = c.jit == c.names - c.code ? gate::Effect::slower : gate::Effect::no_code;
    s.verdict = gate::Verdict::unknown;
    s.unknown_because.push_back("which of the kernels a program calls decides");
  }
}

gate::Standing standing_of(const ObjectFile& file, const std::string& path, arch::Device device) {
  const binary::Listing& listing = file.listing;
  gate::Standing s;
  s.device = device;
  binary::Coverage c = binary::coverage_of(listing, device);
  auto say = [&](std::string what) { s.evidence.push_back({std::move(what), path}); };
  std::string units = text::count(c.units, "code object set");
  switch (c.state) {
    case State::covered:
    case State::no_device_code:
      s.admits = gate::Admits::yes;
      break;
    case State::no_code:
      s.admits = gate::Admits::no;
      s.effect = gate::Effect::no_code;
      s.verdict = gate::Verdict::capability;
      say(fmt::format("{}, none with code that loads: there is {}", units, names_of(c.lost)));
      if (std::string why = near_miss(c.lost, device); !why.empty()) say(why);
      say("needs a build for " + wanted_target(device));
      break;
    case State::jit_only:
      s.effect = gate::Effect::slower;
      s.verdict = gate::Verdict::unknown;
      s.unknown_because.push_back(
          fmt::format("the driver compiles it from PTX for {} when it is first used, without "
                      "features that only a "
                      "and f targets have; such code has been seen to give wrong results",
                      names_of(c.ptx)));
      break;
    case State::partly:
      s.effect = c.none != 0 ? gate::Effect::no_code : gate::Effect::slower;
      s.verdict = gate::Verdict::unknown;
      s.unknown_because.push_back(
          fmt::format("of {}, {} load, {} are compiled from PTX, {} have nothing; `ungate objects "
                      "--kernels` names "
                      "the kernels",
                      units, c.loaded, c.jit, c.none));
      if (c.none != 0) say("the rest is for " + names_of(c.lost));
      break;
  }
  if (file.kernels && s.admits != gate::Admits::no) add_kernels(s, file, path);
  return s;
}

arch::DeviceSet admitted_by(const binary::Listing& listing) {
  arch::DeviceSet set;
  for (unsigned d : arch::all_devices()) {
    State state = binary::coverage_of(listing, arch::Device(d)).state;
    if (state != State::no_code) set |= arch::DeviceSet::of(d);
  }
  return set;
}

bool is_loaded(binary::FileKind kind) {
  return kind == binary::FileKind::shared_object || kind == binary::FileKind::cubin ||
         kind == binary::FileKind::fatbin || kind == binary::FileKind::ptx;
}

gate::Gate gate_of(const ObjectFile& file, std::string path, std::size_t files,
                   const std::vector<arch::Device>& targets) {
  gate::Gate g;
  g.site = file.site;
  g.path = std::move(path);
  g.begin = g.end = {1, 1};
  g.package = file.package;
  g.version = file.version;
  g.form = "binary-objects";
  g.expression = text::one_line(code_of(file.listing), 200);
  g.admitted = admitted_by(file.listing);
  g.guards = files > 1 ? fmt::format("{} {} files", files, binary::name_of(file.listing.kind))
                       : text::count(file.listing.objects.size(), "code object");
  g.id = hex(hash64(g.form + '\0' + g.expression + '\0' + g.path +
                    "\0\0"
                    "0"),
             8);
  for (arch::Device d : targets) g.standings.push_back(standing_of(file, g.path, d));
  return g;
}

std::string folder_of(const std::string& path) {
  std::size_t slash = path.rfind('/');
  return slash == path.npos ? "." : path.substr(0, slash);
}

}  // namespace

std::string code_of(const binary::Listing& listing) {
  std::set<binary::Built> sass, ptx;
  for (const binary::CodeObject& o : listing.objects) {
    if (!binary::counts(listing, listing.units[o.unit])) continue;
    if (o.kind == binary::CodeKind::elf) sass.insert(o.built);
    if (o.kind == binary::CodeKind::ptx) ptx.insert(o.built);
  }
  std::string out;
  for (const binary::Built& b : sass) out += (out.empty() ? "" : " ") + b.name();
  for (bool first = true; const binary::Built& b : ptx) {
    out += first ? (out.empty() ? "PTX " : "; PTX ") : " ";
    out += b.name();
    first = false;
  }
  return out;
}

std::vector<gate::Gate> binary_gates(const Objects& objects,
                                     const std::vector<arch::Device>& targets) {
  auto is_single = [](const ObjectFile& f) {
    return f.listing.kind != binary::FileKind::shared_object;
  };
  auto key_of = [](const ObjectFile& f) {
    return fmt::format("{}\n{}\n{}\n{}", f.site, folder_of(f.path), code_of(f.listing),
                       binary::name_of(f.listing.kind));
  };
  std::map<std::string, std::size_t> alike;
  for (const ObjectFile& f : objects.files) {
    if (is_loaded(f.listing.kind) && is_single(f)) ++alike[key_of(f)];
  }
  std::vector<gate::Gate> out;
  for (const ObjectFile& f : objects.files) {
    if (!is_loaded(f.listing.kind) || f.listing.objects.empty()) continue;
    if (!is_single(f)) {
      out.push_back(gate_of(f, f.path, 1, targets));
      continue;
    }
    std::size_t& files = alike[key_of(f)];
    if (files != 0)
      out.push_back(gate_of(f, files > 1 ? folder_of(f.path) : f.path, files, targets));
    files = 0;
  }
  return out;
}

}  // namespace ungate::audit

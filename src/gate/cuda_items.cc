#include "gate/cuda_items.h"

#include <map>

#include <fmt/core.h>

#include "base/text.h"

namespace ungate::gate {
namespace {

using arch::CodeTargetSet;
using arch::Device;
using arch::DeviceSet;
using cuda::ArmText;
using cuda::Coverage;
using cuda::Guard;

bool refuses(ArmText text) {
  return text == ArmText::error || text == ArmText::trap || text == ArmText::assertion;
}

bool does_something(ArmText text) { return text == ArmText::code; }

// A quick look: an arm that does nothing but fail holds one of these.
bool may_refuse(std::string_view text) {
  for (std::string_view word : {"error", "trap", "assert", "brkpt"}) {
    if (text.find(word) != std::string_view::npos) return true;
  }
  return false;
}

// For each arm: how many earlier arms of the same function have the same condition.
std::vector<std::size_t> ordinals(std::string_view text, const cuda::Directives& d, const cuda::Structure& s) {
  std::map<std::pair<std::uint32_t, std::string_view>, std::size_t> equal;
  std::vector<std::size_t> out;
  for (const cuda::Arm& arm : d.arms) {
    std::uint32_t function = cuda::function_at(s, d.list[arm.directive].range.begin);
    out.push_back(equal[{function, text.substr(arm.condition.begin, arm.condition.size())}]++);
  }
  return out;
}

}  // namespace

std::vector<Item> cuda_items(const std::string& path, const cuda::FileResult& result, CudaFiles& files,
                             const std::vector<std::string>& launch_files, const std::vector<bool>* chains) {
  std::vector<Item> items;
  const source::SourceFile& file = *files.file(path);
  const cuda::Directives& directives = files.directives(path);
  const cuda::Structure& structure = files.structure(path);
  std::vector<std::size_t> numbers = ordinals(file.text(), directives, structure);
  std::vector<const cuda::Structure*> all;
  for (const std::string& f : launch_files) all.push_back(&files.structure(f));
  if (std::find(all.begin(), all.end(), &structure) == all.end()) all.push_back(&structure);
  for (const Guard& guard : cuda::find_guards(*files.text(path), result, structure, files.vocabulary(), all, chains)) {
    const cuda::Arm& arm = directives.arms[guard.arm];
    if (arm.kind == cuda::DirectiveKind::else_) continue;  // the other side of the same decision
    Item item;
    Gate& g = item.gate;
    g.path = path;
    // The gate is the directive, not the text that it guards.
    g.range = directives.list[arm.directive].range;
    g.begin = file.position(g.range.begin);
    g.end = file.position(g.range.end);
    g.form = cuda::name_of(guard.form);
    g.expression = text::one_line(file.text(g.range), 200);
    if (guard.function != cuda::kNone) g.enclosing = std::string(structure.functions[guard.function].qualified.text());
    g.guards = describe(guard, structure);
    item.arm = guard.arm;
    item.ordinal = numbers[guard.arm];
    item.guard = guard;
    item.outcomes = result.arms[guard.arm].condition;
    g.admitted = arch::devices_of(cuda::may_be_true(item.outcomes));
    cuda::FreeSet why;
    for (std::size_t i = 0; i < item.outcomes.size(); ++i) {
      if (item.outcomes.cell(i).value.bits & value::kUnknown) why = why | item.outcomes.cell(i).value.why;
    }
    for (const value::Free& f : why.items()) g.conditions.push_back(value::to_text(f));
    items.push_back(std::move(item));
  }
  for (Item& item : items) {
    for (const Item& other : items) {
      bool same_chain = directives.arms[item.arm].chain == directives.arms[other.arm].chain;
      if (!same_chain || item.arm == other.arm || !does_something(other.guard.does)) continue;
      item.served_elsewhere |= arch::devices_of(cuda::targets_with(other.outcomes, value::kTrue));
    }
  }
  return items;
}

std::vector<bool> chains_that_shut_out(const std::string& path, const cuda::FileResult& result, CudaFiles& files,
                                       CodeTargetSet built, const std::vector<Device>& targets) {
  const source::SourceFile& file = *files.file(path);
  const cuda::Directives& directives = files.directives(path);
  std::vector<bool> out(directives.chains.size(), false);
  for (std::size_t a = 0; a < directives.arms.size(); ++a) {
    const cuda::ArmResult& arm = result.arms[a];
    if (arm.leaves.empty()) continue;
    cuda::DeviceOutcomes device = cuda::per_device(arm.condition, built);
    for (Device t : targets) {
      std::uint8_t bits = device.at(t.index()).bits;
      if (bits == value::kNever) continue;
      bool closed = (bits & value::kTrue) == 0 || may_refuse(file.text(directives.arms[a].text));
      if (closed) out[directives.arms[a].chain] = true;
    }
  }
  return out;
}

Admission admission(const Item& item, CodeTargetSet built, Device target) {
  Admission out;
  const Guard& guard = item.guard;
  cuda::DeviceOutcomes device = cuda::per_device(item.outcomes, built);
  auto bits = [&](unsigned d) { return device.at(d).bits; };
  unsigned t = target.index();
  out.reached = bits(t) != value::kNever;
  auto yes = [&](const char* why) {
    out.admits = Admits::yes;
    out.because = why;
    return out;
  };
  if (!out.reached) return yes("the text around it is not compiled for the device");
  // An arm that only fails shuts out those it takes.
  bool wanted = !refuses(guard.does);
  std::uint8_t good = wanted ? value::kTrue : value::kFalse, bad = wanted ? value::kFalse : value::kTrue;
  if (bits(t) & good) return yes("");
  if (bits(t) == value::kUnknown) {
    out.admits = Admits::unknown;
    return out;
  }
  if (item.served_elsewhere.has(t)) return yes("another arm of the chain serves it");
  DeviceSet open;
  for (unsigned d : arch::all_devices()) {
    bool other = (bits(d) & good) != 0 || (bits(t) == bad && (bits(d) & value::kUnknown) != 0);
    if (d != t && other) open |= DeviceSet::of(d);
  }
  if (open.empty()) return yes("no device is let in that it is not");
  // Old devices' own path, or one of two ways that both do the work.
  unsigned newest = 0;
  for (unsigned d : open) newest = d;
  if (Device(newest).cc() < 90 && !Device(newest).is_future() && open == DeviceSet::first(newest + 1)) {
    return yes("only old devices take this path");
  }
  if (does_something(guard.does) && does_something(guard.otherwise)) {
    bool current = false;
    for (unsigned d : open) current = current || (!Device(d).is_future() && Device(d).cc() >= 90 && Device(d).cc() <= 110);
    if (!current) return yes("both arms do the work, and current devices take the same one");
  }
  out.admits = Admits::no;
  return out;
}

Effect effect_of(const Guard& g, bool kernel) {
  if (g.otherwise == ArmText::error) return Effect::fails_build;
  if (g.otherwise == ArmText::trap || g.otherwise == ArmText::assertion) return Effect::raises;
  if (does_something(g.otherwise)) return Effect::silent_fallback;
  if (g.coverage == Coverage::whole_body && kernel) return Effect::empty_kernel;
  bool programmatic = g.programmatic.is != cuda::Setting::Is::no;
  if (!g.waits.empty()) return programmatic ? Effect::race : Effect::slower;
  if (!g.triggers.empty()) return Effect::slower;
  return g.coverage == Coverage::file_level ? Effect::not_built : Effect::feature_off;
}

std::string describe(const Guard& g, const cuda::Structure& s) {
  auto named = [&](std::uint32_t f) {
    const cuda::Function& function = s.functions[f];
    const char* kind = function.is_kernel ? "kernel" : function.is_device ? "device function" : "function";
    return fmt::format("{} {}", kind, function.name.text());
  };
  std::string out;
  if (g.coverage == Coverage::whole_body && g.function != cuda::kNone) {
    out = "the whole body of " + named(g.function);
  } else if (g.function != cuda::kNone) {
    out = "part of " + named(g.function);
  } else {
    out = text::count(g.functions.size(), "function") + " at file level";
    if (g.functions.size() == 1) out = named(g.functions[0]);
  }
  std::vector<std::string> holds;
  if (!g.waits.empty()) holds.push_back(text::count(g.waits.size(), "wait"));
  if (!g.triggers.empty()) holds.push_back(text::count(g.triggers.size(), "trigger"));
  for (Symbol i : g.instructions) {
    if (holds.size() < 6) holds.emplace_back(i.text());
  }
  if (!holds.empty()) out += ": " + text::join(holds, ", ");
  if (!g.waits.empty() && g.launches > 0) {
    using Is = cuda::Setting::Is;
    if (g.programmatic.is == Is::yes) out += "; the launch sets the programmatic attribute";
    if (g.programmatic.is == Is::conditional) out += "; the launch sets the programmatic attribute if " + g.programmatic.condition;
    if (g.programmatic.is == Is::no) out += "; no launch sets the programmatic attribute";
    if (g.programmatic.is == Is::unknown) out += "; whether the launch sets the programmatic attribute was not understood";
  }
  return out;
}

}  // namespace ungate::gate

#include "prove/build.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/file.h"
#include "base/hash.h"
#include "base/text.h"
#include "prove/build_json.h"
#include "prove/cubin.h"
#include "prove/messages.h"

namespace ungate::prove {
namespace {

// To be raised when what is read from a build changes: kept results are not used then.
constexpr std::string_view kEdition = "prove-1";

void remove(const std::string& path) {
  std::error_code ec;
  std::filesystem::remove(path, ec);
}

// Names instead of the tree's paths, so that results read the same wherever they were made.
std::string with_names(std::string text, const Tree& tree) {
  for (const auto& [folder, name] : tree.roots()) text = text::replace_all(std::move(text), folder, name);
  return text;
}

}  // namespace

struct Workshop::Text {
  Preprocessed text;
  Failure failure;
  bool ok = false;
  double seconds = 0, cpu_seconds = 0;
};

std::string_view name_of(Same same) {
  switch (same) {
    case Same::tokens: return "same-text";
    case Same::device_text: return "same-device-text";
    case Same::ptx: return "same-ptx";
    case Same::code: return "same-code";
    case Same::no: return "changed";
  }
  return "";
}

const KernelFacts* Build::find(std::string_view name) const {
  auto at = std::ranges::lower_bound(kernels, name, {}, [](const KernelFacts& k) { return std::string_view(k.name); });
  return at != kernels.end() && at->name == name ? &*at : nullptr;
}

Result<ProcessResult> Workshop::call(const std::vector<std::string>& command) {
  ProcessOptions options;
  options.scratch = scratch_;
  options.cancelled = cancelled_;
  return run_process(command, options);
}

std::string Workshop::new_path(const char* suffix) {
  return scratch_ + "/out" + std::to_string(number_++) + suffix;
}

std::uint64_t Workshop::question(const Unit& unit, arch::CodeTarget target, std::string_view what) const {
  std::string q = std::string(kEdition) + '\n' + std::string(what) + '\n' + compiler_.version + '\n' + target.name() + '\n' + unit.source;
  for (const auto* list : {&unit.folders, &unit.flags}) {
    q += '\n';
    for (const std::string& s : *list) q += s + '\t';
  }
  for (const FeatureWords& f : features_) q += f.name + '\t' + text::join(f.instructions, " ");
  return hash64(q);
}

Result<Workshop::Text> Workshop::preprocess(const Unit& unit, const Tree& tree, arch::CodeTarget target) {
  auto command = command_for(unit, tree, compiler_, target, Step::preprocess, {});
  if (!command) return std::unexpected(command.error());
  auto result = call(*command);
  if (!result) return std::unexpected(result.error());
  Text out;
  out.seconds = result->seconds, out.cpu_seconds = result->cpu_seconds;
  out.ok = result->status == 0;
  if (!out.ok) {
    CompilerError error = first_error(with_names(result->messages, tree));
    out.failure = {"nvcc", error.text, error.path.empty() ? "" : error.path + ':' + error.line, {}, {}, {}};
    return out;
  }
  out.text = read_preprocessed(result->output, tree);
  for (const std::string& name : out.text.files) {
    if (tree.is_replaced(name)) return fail(ErrorCode::internal, "the compiler read the original of an edited file", name);
  }
  return out;
}

Result<Build> Workshop::build(const Unit& unit, const Tree& tree, arch::CodeTarget target, bool assemble) {
  std::uint64_t asked = question(unit, target, assemble ? "build" : "ptx");
  if (auto key = store_.find(asked, {&tree})) {
    if (auto json = store_.load(*key)) {
      if (auto build = build_from_json(*json)) return *build;
    }
  }
  auto text = preprocess(unit, tree, target);
  if (!text) return std::unexpected(text.error());
  Build out;
  out.failure = text->failure;
  if (text->ok) {
    std::string key = hex(hash64(std::to_string(text->text.hash), asked));
    auto files = store_.used(text->text.files, 0, tree);
    text->text = {};
    std::optional<Build> known;
    if (auto json = store_.load(key)) known = build_from_json(*json);
    if (!known) {
      auto made = make(unit, tree, target, assemble);
      if (!made) return made;
      known = std::move(*made);
      store_.save(key, to_json(*known));
    }
    store_.remember(asked, files, key);
    out = std::move(*known);
  }
  out.seconds += text->seconds, out.cpu_seconds += text->cpu_seconds;
  return out;
}

Result<Build> Workshop::make(const Unit& unit, const Tree& tree, arch::CodeTarget target, bool assembled) {
  std::string ptx = new_path(".ptx");
  auto command = command_for(unit, tree, compiler_, target, Step::ptx, ptx);
  if (!command) return std::unexpected(command.error());
  auto result = call(*command);
  if (!result) return std::unexpected(result.error());
  Build out;
  out.seconds = result->seconds, out.cpu_seconds = result->cpu_seconds;
  if (result->status != 0) {
    // nvcc lets the assembler look through the PTX that it writes.
    AssemblerError refused = first_assembler_error(result->messages);
    if (refused.line != 0) {
      out.failure = {"ptxas", refused.text, {}, refused.function, {}, {}};
      locate(unit, tree, target, out.failure, refused.line);
    } else {
      CompilerError error = first_error(with_names(result->messages, tree));
      out.failure = {"nvcc", error.text, error.path.empty() ? "" : error.path + ':' + error.line, {}, {}, {}};
    }
    return out;
  }
  auto text = read_file(ptx);
  if (!text) return std::unexpected(text.error());
  out.kernels = read_ptx(text->bytes, features_).kernels;
  out.compiled = true;
  if (assembled) {
    if (auto status = assemble(unit, tree, target, ptx, out); !status) return std::unexpected(status.error());
  }
  remove(ptx);
  return out;
}

Status Workshop::assemble(const Unit& unit, const Tree& tree, arch::CodeTarget target, const std::string& ptx, Build& build) {
  std::string cubin = new_path(".cubin");
  auto result = call(assemble_command(unit, compiler_, target, ptx, cubin));
  if (!result) return std::unexpected(result.error());
  build.seconds += result->seconds, build.cpu_seconds += result->cpu_seconds;
  if (result->status != 0) {
    AssemblerError error = first_assembler_error(result->messages);
    build.compiled = false;
    build.failure = {"ptxas", error.text, {}, error.function, {}, {}};
    locate(unit, tree, target, build.failure, error.line);
    return {};
  }
  auto bytes = read_file(cubin);
  if (!bytes) return std::unexpected(bytes.error());
  auto kernels = read_cubin(bytes->bytes, cubin);
  remove(cubin);
  if (!kernels) return std::unexpected(kernels.error());
  auto resources = read_resources(result->messages);
  for (const CubinKernel& c : *kernels) {
    std::string name = without_module_ids(c.name);
    auto k = std::ranges::find(build.kernels, name, &KernelFacts::name);
    if (k == build.kernels.end()) continue;
    k->code_bytes = c.code_bytes, k->code_hash = c.code_hash;
    k->registers = c.registers, k->shared_bytes = c.shared_bytes, k->code_empty = c.empty;
    if (auto r = resources.find(c.name); r != resources.end())
      k->spill_bytes = r->second.spill_bytes, k->stack_bytes = r->second.stack_bytes;
  }
  build.assembled = true;
  return {};
}

// Compiled once more with line data: which source line is the PTX line of?
void Workshop::locate(const Unit& unit, const Tree& tree, arch::CodeTarget target, Failure& failure, std::size_t line) {
  std::string ptx = new_path(".ptx"), cubin = new_path(".cubin");
  auto command = command_for(unit, tree, compiler_, target, Step::ptx, ptx, true);
  if (!command) return;
  auto compiled = call(*command);
  std::error_code ec;
  if (!compiled || !std::filesystem::exists(ptx, ec)) return;
  auto result = call(assemble_command(unit, compiler_, target, ptx, cubin));
  if (result && result->status != 0) {
    AssemblerError error = first_assembler_error(result->messages);
    if (error.line != 0) line = error.line;
    auto text = read_file(ptx);
    if (text && line != 0) {
      PtxPlace place = place_in_ptx(text->bytes, line);
      failure.where = with_names(place.source, tree);
      failure.kernel = without_module_ids(place.function);
      failure.instruction = text::one_line(place.instruction, 120);
    }
  }
  remove(ptx), remove(cubin);
  std::string_view mnemonic = failure.instruction;
  if (mnemonic.starts_with('@')) mnemonic = text::trim(mnemonic.substr(std::min(mnemonic.find(' '), mnemonic.size())));
  mnemonic = mnemonic.substr(0, mnemonic.find_first_of(" \t;"));
  for (const FeatureWords& f : features_) {
    if (!mnemonic.empty() && has_instruction(f, mnemonic)) failure.feature = f.name;
  }
}

Result<Unchanged> Workshop::compare(const Unit& unit, const Tree& before, const Tree& after, arch::CodeTarget target) {
  std::uint64_t asked = question(unit, target, "compare");
  if (auto key = store_.find(asked, {&before, &after})) {
    if (auto json = store_.load(*key)) {
      if (auto known = unchanged_from_json(*json)) return *known;
    }
  }
  auto first = preprocess(unit, before, target);
  if (!first) return std::unexpected(first.error());
  auto second = preprocess(unit, after, target);
  if (!second) return std::unexpected(second.error());
  Unchanged out;
  out.seconds = first->seconds + second->seconds, out.cpu_seconds = first->cpu_seconds + second->cpu_seconds;
  if (!first->ok || !second->ok) {
    const Failure& f = first->ok ? second->failure : first->failure;
    out.failure = f.message + (f.where.empty() ? "" : " (" + f.where + ')');
    return out;
  }
  Difference difference = prove::compare(first->text, second->text);
  out.host = difference.host;
  out.where = difference.where;
  out.same = !difference.tokens ? Same::tokens : !difference.device ? Same::device_text : Same::no;
  auto files = store_.used(first->text.files, 0, before);
  std::ranges::move(store_.used(second->text.files, 1, after), std::back_inserter(files));
  std::string key = hex(hash64(std::to_string(first->text.hash) + ' ' + std::to_string(second->text.hash), asked));
  first->text = {}, second->text = {};
  if (out.same == Same::no) {
    auto compiled = compare_code(unit, before, after, target, std::move(out));
    if (!compiled) return compiled;
    out = std::move(*compiled);
  }
  store_.save(key, to_json(out));
  store_.remember(asked, files, key);
  return out;
}

Result<Unchanged> Workshop::compare_code(const Unit& unit, const Tree& before, const Tree& after,
                                         arch::CodeTarget target, Unchanged out) {
  for (bool assembled : {false, true}) {
    auto a = build(unit, before, target, assembled);
    if (!a) return std::unexpected(a.error());
    auto b = build(unit, after, target, assembled);
    if (!b) return std::unexpected(b.error());
    out.seconds += a->seconds + b->seconds, out.cpu_seconds += a->cpu_seconds + b->cpu_seconds;
    if (!a->compiled || !b->compiled) {
      const Failure& f = a->compiled ? b->failure : a->failure;
      // What never compiled cannot be broken.
      if (a->compiled) out.failure = f.message + (f.where.empty() ? "" : " (" + f.where + ')');
      else out.same = b->compiled ? Same::no : Same::code;
      return out;
    }
    out.changed.clear(), out.added.clear(), out.removed.clear();
    for (const KernelFacts& k : b->kernels) {
      const KernelFacts* old = a->find(k.name);
      if (old == nullptr) out.added.push_back(k.name);
      else if (assembled ? old->code_hash != k.code_hash || old->code_bytes != k.code_bytes : old->text_hash != k.text_hash)
        out.changed.push_back(k.name);
    }
    for (const KernelFacts& k : a->kernels) {
      if (b->find(k.name) == nullptr) out.removed.push_back(k.name);
    }
    bool same = out.changed.empty() && out.added.empty() && out.removed.empty();
    if (same) out.same = assembled ? Same::code : Same::ptx;
    // Assembling cannot bring kernels back.
    if (same || !out.added.empty() || !out.removed.empty()) return out;
  }
  return out;
}

}  // namespace ungate::prove

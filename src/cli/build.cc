// ungate build
#include <fmt/core.h>

#include <filesystem>

#include "base/file.h"
#include "base/json.h"
#include "cli/command.h"
#include "cli/kernel_build.h"
#include "cli/version.h"

namespace ungate::cli {
namespace {

struct Flags {
  KernelFlags kernels;
  std::string library;
};

std::string render(const kernels::Build& build, const std::string& library, const Look& look) {
  std::uint64_t spills = 0;
  for (const kernels::KernelUse& k : build.kernels) spills += k.spill_bytes;
  if (look.format == Format::json) {
    JsonWriter w(2);
    w.begin_object().field("schema", "ungate-build").field("version", 1).field("tool", kVersion);
    w.field("library", library).field("compiled", build.compiled).key("kernels").begin_array();
    for (const kernels::KernelUse& k : build.kernels) {
      w.begin_object().field("name", k.name).field("registers", k.registers);
      w.field("shared_bytes", k.shared_bytes).field("spill_bytes", k.spill_bytes).end_object();
    }
    w.end_array().key("errors").begin_array().end_array().end_object();
    return w.take() + '\n';
  }
  std::string out = "registers  shared  spilled  kernel\n";
  for (const kernels::KernelUse& k : build.kernels)
    out +=
        fmt::format("{:9}  {:6}  {:7}  {}\n", k.registers, k.shared_bytes, k.spill_bytes, k.name);
  out += fmt::format(
      "\n{} kernels, {} bytes spilled, {}\n{}\n", build.kernels.size(), spills,
      build.compiled ? fmt::format("compiled in {:.0f} s", build.seconds) : "compiled before",
      library);
  return out;
}

Result<Exit> run(const Flags& flags, Console& console) {
  auto built = kernel_build(flags.kernels, false, console);
  if (!built) return std::unexpected(built.error());
  std::string library = built->library;
  if (!flags.library.empty()) {
    std::error_code ec;
    std::filesystem::copy_file(built->library, flags.library,
                               std::filesystem::copy_options::overwrite_existing, ec);
    if (ec) return std::unexpected(os_error("writing", flags.library, ec.value()));
    library = flags.library;
  }
  auto show = [&](const Look& look) { return render(*built, library, look); };
  if (auto status = console.show(show); !status) return std::unexpected(status.error());
  return Exit::ok;
}

}  // namespace

Command build_command(CLI::App& top) {
  CLI::App* app =
      top.add_subcommand("build", "Compile the bundled allreduce kernels.")->group(kKernels);
  app->description(
      "Compiles the bundled kernels (allreduce + residual + RMSNorm, with FP8 or NVFP4) for one "
      "device into "
      "libarf.so, and says what each kernel takes. Needs nvcc, no GPU.");
  auto flags = std::make_shared<Flags>();
  declare(*app, flags->kernels);
  app->add_option("--library", flags->library, "Also write the library to this file.")
      ->type_name("FILE");
  auto output = std::make_shared<OutputFlags>();
  declare(*app, *output, {Format::human, Format::json});
  return {app, output, [flags](Console& console) { return run(*flags, console); }};
}

}  // namespace ungate::cli

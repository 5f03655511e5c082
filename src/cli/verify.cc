// ungate verify
#include "base/json.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/kernel_build.h"
#include "cli/version.h"

namespace ungate::cli {
namespace {

struct Flags {
  KernelFlags kernels;
  std::string devices, only, dtypes, transport;
  bool quick = false;
};

std::string render(const std::string& output, bool right, const Look& look) {
  if (look.format == Format::human) return output;
  JsonWriter w(2);
  w.begin_object().field("schema", "ungate-verify").field("version", 1).field("tool", kVersion);
  w.field("right", right).key("lines").begin_array();
  for (std::string_view line : text::split(output, '\n')) {
    if (!line.empty()) w.string(line);
  }
  w.end_array().key("errors").begin_array().end_array().end_object();
  return w.take() + '\n';
}

Result<Exit> run(const Flags& flags, Console& console) {
  auto devices = device_list(flags.devices);
  if (!devices) return std::unexpected(devices.error());
  auto built = kernel_build(flags.kernels, true, console);
  if (!built) return std::unexpected(built.error());
  std::string dtypes = flags.dtypes;
  if (dtypes.empty()) dtypes = flags.quick ? "bf16" : "bf16,fp16,fp32";
  std::vector<std::string> arguments{"--devices", *devices, "--dtypes", dtypes};
  if (flags.quick) arguments.emplace_back("--quick");
  if (!flags.only.empty()) arguments.insert(arguments.end(), {"--only", flags.only});
  if (!flags.transport.empty()) arguments.insert(arguments.end(), {"--transport", flags.transport});
  auto result = run_kernels(built->folder + "/arf_verify", arguments, console);
  if (!result) return std::unexpected(result.error());
  if (result->status != 0 && result->status != static_cast<int>(Exit::proof))
    return fail(ErrorCode::tool_missing, "the test suite cannot run on devices " + *devices);
  bool right = result->status == 0;
  auto show = [&](const Look& look) { return render(result->output, right, look); };
  if (auto status = console.show(show); !status) return std::unexpected(status.error());
  return right ? Exit::ok : Exit::proof;
}

}  // namespace

Command verify_command(CLI::App& top) {
  CLI::App* app = top.add_subcommand("verify", "Check the bundled kernels on this machine's GPUs.")
                      ->group(kKernels);
  app->description(
      "Runs the kernels' test suite: every pattern, type, algorithm and launch shape against "
      "references, bit for "
      "bit across ranks; graphs, absent ranks, disagreeing ranks. With one GPU, several ranks "
      "share it.");
  auto flags = std::make_shared<Flags>();
  declare(*app, flags->kernels);
  app->add_option("--devices", flags->devices,
                  "The GPU of each rank: 0,1. One named twice holds two ranks.");
  declare_switch(*app, "--quick", flags->quick, "A part of the cases, under 30 seconds.");
  app->add_option("--only", flags->only,
                  "Suites, comma separated: "
                  "matrix,data,quantised,experts,finish,graphs,soak,failures,processes.");
  app->add_option("--dtypes", flags->dtypes,
                  "Types, comma separated. Without it bf16,fp16,fp32, and bf16 with --quick.");
  app->add_option("--transport", flags->transport, "Where the ranks meet.")
      ->check(CLI::IsMember({"peer", "host"}));
  auto output = std::make_shared<OutputFlags>();
  declare(*app, *output, {Format::human, Format::json});
  return {app, output, [flags](Console& console) { return run(*flags, console); }};
}

}  // namespace ungate::cli

#include "cli/kernel_build.h"

#include <fmt/core.h>

#include <algorithm>
#include <thread>

#include "cli/gpu.h"

namespace ungate::cli {
namespace {

Result<arch::CodeTarget> target_of(const std::string& text) {
  if (!text.empty()) {
    auto device = arch::parse_device(text);
    if (!device || device->is_future())
      return fail(ErrorCode::unknown_target, "'" + text + "' is not a device", {},
                  "sm_120, 12.0 and sm_120a are ways to write one");
    auto exact = arch::parse_code_target(text);
    return exact && exact->suffix() != arch::Suffix::plain ? *exact : kernels::target_for(*device);
  }
  auto driver = ask_driver();
  if (!driver) return std::unexpected(driver.error());
  const Gpu& gpu = driver->gpus.front();
  auto device = arch::find_device(gpu.major, gpu.minor);
  if (!device)
    return fail(ErrorCode::unknown_target, fmt::format("{} ({}.{}) is not in the table of devices",
                                                       gpu.name, gpu.major, gpu.minor));
  return kernels::target_for(*device);
}

}  // namespace

void declare(CLI::App& app, KernelFlags& flags) {
  app.add_option("--target", flags.target,
                 "The device to compile for: sm_120, 12.0, sm_120f. Without it the first GPU of "
                 "this machine.");
  app.add_option("--cache", flags.cache_folder,
                 "Keep builds in this folder instead of ~/.cache/ungate.")
      ->type_name("FOLDER");
  app.add_option("-j,--jobs", flags.jobs, "Compilers that run at a time.")
      ->check(CLI::Range(1, 256));
}

Result<kernels::Build> kernel_build(const KernelFlags& flags, bool programs, Console& console) {
  auto target = target_of(flags.target);
  if (!target) return std::unexpected(target.error());
  auto sources = kernels::find_sources(prove::process_variable());
  if (!sources) return std::unexpected(sources.error());
  auto compiler = prove::find_compiler({}, {}, prove::process_variable());
  if (!compiler) return std::unexpected(compiler.error());
  if (!compiler->knows(*target))
    return fail(ErrorCode::tool_missing, compiler->name() + " does not know " + target->name(),
                compiler->nvcc);
  std::string cache =
      flags.cache_folder.empty() ? kernels::default_cache() : flags.cache_folder + "/kernels";
  if (cache.empty())
    return fail(ErrorCode::usage, "there is no home folder to keep builds in", {},
                "name one with --cache");
  int jobs = flags.jobs > 0
                 ? flags.jobs
                 : static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1u, 8u));
  kernels::BuildRequest request{std::move(*sources),
                                std::move(*compiler),
                                *target,
                                std::move(cache),
                                programs,
                                jobs,
                                &console.cancelled(),
                                [&console](std::size_t done, std::size_t of) {
                                  console.progress("compiling kernels", done, of);
                                }};
  console.detail("compiling " + request.sources.folder + " with " + request.compiler.nvcc);
  auto built = kernels::build(request);
  console.end_progress();
  return built;
}

Result<prove::ProcessResult> run_kernels(const std::string& program,
                                         const std::vector<std::string>& arguments,
                                         Console& console) {
  std::vector<std::string> command{program};
  command.insert(command.end(), arguments.begin(), arguments.end());
  prove::ProcessOptions options;
  options.cancelled = &console.cancelled();
  auto result = prove::run_process(command, options);
  if (result && !result->messages.empty()) console.print(result->messages);
  return result;
}

Result<std::string> device_list(const std::string& devices) {
  auto driver = ask_driver();
  if (!driver) {
    Error error = driver.error();
    error.next = "the kernels run on this machine's GPUs; ungate build needs none";
    return std::unexpected(std::move(error));
  }
  if (!devices.empty()) return devices;
  std::size_t n = driver->gpus.size();
  // Two ranks on the only GPU there is.
  if (n == 1) return std::string("0,0");
  std::string out = "0,1";
  if (n >= 4) out += ",2,3";
  if (n >= 8) out += ",4,5,6,7";
  return out;
}

}  // namespace ungate::cli

#include "prove/compiler.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/text.h"
#include "prove/process.h"

namespace ungate::prove {
namespace {

namespace fs = std::filesystem;

struct Candidate {
  std::string path, found_by;
};

std::string output_of(const std::string& program, const char* flag) {
  ProcessOptions options;
  options.seconds = 20;
  auto result = run_process({program, flag}, options);
  return result && result->status == 0 ? result->output : std::string();
}

// "Cuda compilation tools, release 13.0, V13.0.88" -> "13.0.88"
std::string release_of(std::string_view text) {
  std::size_t at = text.find(", V");
  if (at == text.npos) return {};
  text.remove_prefix(at + 3);
  return std::string(text.substr(0, text.find_first_not_of("0123456789.")));
}

void add_wheels(const std::string& site, std::vector<Candidate>& out) {
  std::vector<std::string> found;
  std::error_code ec;
  for (fs::directory_iterator it(site + "/nvidia", ec), end; it != end; it.increment(ec)) {
    found.push_back(it->path().string() + "/bin/nvcc");
  }
  std::ranges::sort(found, std::greater<>());  // cu13 before cu12
  for (std::string& path : found) out.push_back({std::move(path), "pip"});
}

std::vector<Candidate> candidates(const std::vector<std::string>& own, const std::vector<std::string>& sites,
                                  const Variable& variable) {
  std::vector<Candidate> out;
  for (const std::string& name : own) {
    if (auto path = variable(name)) out.push_back({*path, name});
  }
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"}) {
    if (auto home = variable(name)) out.push_back({*home + "/bin/nvcc", name});
  }
  std::string path = variable("PATH").value_or("");
  for (std::string_view folder : text::split(path, ':')) {
    if (!folder.empty()) out.push_back({std::string(folder) + "/nvcc", "PATH"});
  }
  if (variable("PATH")) out.push_back({"/usr/local/cuda/bin/nvcc", "/usr/local/cuda"});
  for (const std::string& site : sites) add_wheels(site, out);
  return out;
}

std::optional<Compiler> ask(const Candidate& candidate) {
  std::error_code ec;
  if (access(candidate.path.c_str(), X_OK) != 0 || !fs::is_regular_file(candidate.path, ec)) return std::nullopt;
  Compiler out;
  out.nvcc = candidate.path;
  out.found_by = candidate.found_by;
  out.version = release_of(output_of(candidate.path, "--version"));
  auto parts = text::split(out.version, '.');
  std::int64_t major = 0, minor = 0;
  if (parts.size() < 2 || !text::parse_int(parts[0], major) || !text::parse_int(parts[1], minor)) return std::nullopt;
  out.major = static_cast<int>(major), out.minor = static_cast<int>(minor);
  std::string list = output_of(candidate.path, "--list-gpu-code");
  for (std::string_view line : text::lines(list)) {
    auto target = arch::parse_code_target(text::trim(line));
    if (!target) continue;
    out.targets |= arch::CodeTargetSet::of(target->index());
    // Suffixed ones are not listed. `a` came with its device, `f` with CUDA 12.9.
    for (unsigned t : arch::code_targets_of(target->device())) {
      bool family = arch::CodeTarget(t).suffix() == arch::Suffix::family;
      if (!family || out.major > 12 || (out.major == 12 && out.minor >= 9)) out.targets |= arch::CodeTargetSet::of(t);
    }
  }
  fs::path real = fs::canonical(candidate.path, ec);
  for (const fs::path& folder : {fs::path(candidate.path).parent_path(), real.parent_path()}) {
    std::string ptxas = (folder / "ptxas").string();
    if (out.ptxas.empty() && access(ptxas.c_str(), X_OK) == 0) out.ptxas = ptxas;
  }
  if (out.ptxas.empty()) return std::nullopt;
  return out;
}

std::vector<std::string> headers_in(const fs::path& folder) {
  std::vector<std::string> out;
  std::error_code ec;
  for (fs::directory_iterator it(folder, ec), end; it != end; it.increment(ec)) {
    if (it->path().extension() == ".h") out.push_back(it->path().filename().string());
  }
  return out;
}

// Folders of headers in the environment's NVIDIA wheels of which the toolkit has none.
std::vector<std::string> library_folders(const Compiler& compiler, const std::vector<std::string>& sites) {
  std::error_code ec;
  fs::path home = fs::path(compiler.nvcc).parent_path().parent_path(), real = fs::canonical(compiler.nvcc, ec).parent_path().parent_path();
  auto toolkit_has = [&](const std::string& header) {
    for (const fs::path& top : {home, real}) {
      if (fs::exists(top / "include" / header, ec) || fs::exists(top / "targets/x86_64-linux/include" / header, ec)) return true;
    }
    return false;
  };
  std::vector<std::string> out;
  for (const std::string& site : sites) {
    for (fs::directory_iterator it(site + "/nvidia", ec), end; it != end; it.increment(ec)) {
      std::vector<std::string> headers = headers_in(it->path() / "include");
      if (!headers.empty() && std::ranges::none_of(headers, toolkit_has)) out.push_back((it->path() / "include").string());
    }
  }
  std::ranges::sort(out);
  return out;
}

}  // namespace

Variable process_variable() {
  return [](std::string_view name) -> std::optional<std::string> {
    const char* value = getenv(std::string(name).c_str());
    if (value == nullptr || *value == '\0') return std::nullopt;
    return std::string(value);
  };
}

Result<Compiler> find_compiler(const std::vector<std::string>& own, const std::vector<std::string>& sites,
                               const Variable& variable) {
  for (const Candidate& candidate : candidates(own, sites, variable)) {
    auto compiler = ask(candidate);
    if (!compiler) continue;
    compiler->library_folders = library_folders(*compiler, sites);
    return std::move(*compiler);
  }
  return fail(ErrorCode::tool_missing, "no nvcc was found: CUDA_HOME, PATH, /usr/local/cuda and the environment have none",
              {}, "`" + pip_command() + "` brings one (347 MB, no GPU needed)");
}

std::string pip_command() {
  return "pip install nvidia-cuda-nvcc~=13.0.0 nvidia-nvvm~=13.0.0 nvidia-cuda-crt~=13.0.0 nvidia-cuda-cccl~=13.0.0 "
         "nvidia-cuda-runtime~=13.0.0";
}

}  // namespace ungate::prove

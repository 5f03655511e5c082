#include "cli/machine.h"

#include <dlfcn.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "base/text.h"
#include "cli/subprocess.h"
#include "cuda/libclang.h"

namespace ungate::cli {
namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* value = getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

std::string resolved(const std::string& path) {
  char buffer[PATH_MAX];
  return realpath(path.c_str(), buffer) == nullptr ? std::string() : std::string(buffer);
}

// "Cuda compilation tools, release 13.0, V13.0.88" -> "13.0.88"
std::string release_of(std::string_view text) {
  std::size_t at = text.find(", V");
  if (at == text.npos) return {};
  text.remove_prefix(at + 3);
  return std::string(text.substr(0, text.find_first_not_of("0123456789.")));
}

// The code targets in what `ptxas --help` says of --gpu-name: "Allowed values …,'sm_120','sm_120a'".
std::vector<std::string> quoted_targets(std::string_view text) {
  std::vector<std::string> out;
  for (std::size_t at = text.find("'sm_"); at != text.npos; at = text.find("'sm_", at)) {
    std::size_t end = text.find('\'', ++at);
    if (end == text.npos) break;
    std::string name(text.substr(at, end - at));
    if (std::ranges::find(out, name) == out.end()) out.push_back(std::move(name));
    at = end + 1;
  }
  return out;
}

class Toolchains {
 public:
  void add(const std::string& program, const std::string& path, const std::string& found_by) {
    std::string real = resolved(path);
    if (real.empty() || access(real.c_str(), X_OK) != 0) return;
    if (std::ranges::find(found_, real, &Toolchain::path) != found_.end()) return;
    Toolchain t{program, real, found_by, {}, {}};
    if (auto text = output_of({real, "--version"})) t.version = release_of(*text);
    if (program == "nvcc") {
      if (auto text = output_of({real, "--list-gpu-code"})) {
        for (std::string_view line : text::lines(*text)) {
          if (line.starts_with("sm_")) t.targets.emplace_back(text::trim(line));
        }
      }
    }
    if (program == "ptxas") {
      if (auto text = output_of({real, "--help"})) t.targets = quoted_targets(*text);
    }
    found_.push_back(std::move(t));
  }
  std::vector<Toolchain> take() { return std::move(found_); }

 private:
  std::vector<Toolchain> found_;
};

// nvidia/cu13/bin/nvcc, nvidia/cuda_nvcc/bin/nvcc: below a site's `nvidia` folder.
std::vector<std::string> in_nvidia_folders(const std::string& site, const std::string& below) {
  std::vector<std::string> out;
  std::error_code ec;
  for (fs::directory_iterator it(site + "/nvidia", ec), end; it != end; it.increment(ec)) {
    std::string path = it->path().string() + below;
    if (access(path.c_str(), R_OK) == 0) out.push_back(path);
  }
  std::ranges::sort(out);
  return out;
}

std::string nccl_version(void* handle) {
  auto ask = reinterpret_cast<int (*)(int*)>(dlsym(handle, "ncclGetVersion"));
  int n = 0;
  if (ask == nullptr || ask(&n) != 0) return {};
  return fmt::format("{}.{}.{}", n / 10000, n / 100 % 100, n % 100);
}

}  // namespace

std::vector<Toolchain> find_toolchains(const std::vector<package::Environment>& environments) {
  Toolchains out;
  // What Triton takes instead of its own assembler; a system one of the right version does not help.
  for (const char* name : {"TRITON_PTXAS_PATH", "TRITON_PTXAS_BLACKWELL_PATH"}) {
    if (std::string path = variable(name); !path.empty()) out.add("ptxas", path, name);
  }
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"}) {
    std::string home = variable(name);
    if (home.empty()) continue;
    out.add("nvcc", home + "/bin/nvcc", name);
    out.add("ptxas", home + "/bin/ptxas", name);
  }
  if (std::string path = find_program("nvcc"); !path.empty()) out.add("nvcc", path, "PATH");
  if (std::string path = find_program("ptxas"); !path.empty()) out.add("ptxas", path, "PATH");
  out.add("nvcc", "/usr/local/cuda/bin/nvcc", "/usr/local/cuda");
  for (const package::Environment& e : environments) {
    for (const package::Site& site : e.sites) {
      for (const std::string& path : in_nvidia_folders(site.path, "/bin/nvcc"))
        out.add("nvcc", path, "pip");
      out.add("ptxas", site.path + "/triton/backends/nvidia/bin/ptxas", "Triton");
      out.add("ptxas", site.path + "/triton/backends/nvidia/bin/ptxas-blackwell", "Triton");
    }
  }
  return out.take();
}

Library find_libclang() {
  // A parse of three lines tells whether it is there and works; it runs in a process of its own.
  constexpr std::string_view kText = "#if __CUDA_ARCH__ >= 900\nint x;\n#endif\n";
  cuda::Directives directives = cuda::read_directives(kText);
  value::World world;
  cuda::FileResult result = cuda::evaluate_file({kText, &directives}, world);
  cuda::Confirmation c = cuda::confirm({{{kText, &directives}, &result}}, world, {}).front();
  if (c.is == cuda::Confirmation::Is::unavailable) return {{}, {}, c.reason};
  return {"libclang", c.version, {}};
}

Library find_nccl(const std::vector<package::Environment>& environments) {
  std::vector<std::string> candidates{"libnccl.so.2"};
  for (const package::Environment& e : environments) {
    for (const package::Site& site : e.sites) {
      auto found = in_nvidia_folders(site.path, "/lib/libnccl.so.2");
      candidates.insert(candidates.end(), found.begin(), found.end());
    }
  }
  for (const std::string& name : candidates) {
    void* handle = dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (handle == nullptr) continue;
    Library out{name, nccl_version(handle), {}};
    Dl_info info{};
    if (void* symbol = dlsym(handle, "ncclGetVersion");
        symbol != nullptr && dladdr(symbol, &info) != 0)
      out.path = info.dli_fname;
    return out;
  }
  return {{}, {}, "libnccl.so.2 is neither a system library nor in these environments"};
}

std::vector<CacheUse> find_cache_use(const std::vector<patch::CacheRule>& rules) {
  std::vector<CacheUse> out;
  std::error_code ec;
  for (const patch::CacheRule& rule : rules) {
    for (const std::string& base : patch::expanded_bases(rule, patch::process_variables())) {
      std::map<std::string, CacheUse> folders;
      for (fs::recursive_directory_iterator
               it(base, fs::directory_options::skip_permission_denied, ec),
           end;
           it != end; it.increment(ec)) {
        if (!it->is_regular_file(ec) || it->is_symlink(ec)) continue;
        // <version>/<architectures>
        fs::path below = it->path().lexically_relative(base);
        auto part = below.begin();
        std::string key = part->string();
        if (std::next(part) != below.end() && std::next(part, 2) != below.end())
          key += '/' + std::next(part)->string();
        CacheUse& use = folders[key];
        use.rule = rule.name;
        use.path = base + '/' + key;
        ++use.files;
        use.bytes += it->file_size(ec);
      }
      for (auto& [key, use] : folders) out.push_back(std::move(use));
    }
  }
  return out;
}

std::string size_text(std::uint64_t bytes) {
  constexpr std::array kUnits{"bytes", "KB", "MB", "GB", "TB"};
  double n = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (n >= 1000 && unit + 1 < kUnits.size()) n /= 1000, ++unit;
  return unit == 0 ? fmt::format("{} bytes", bytes) : fmt::format("{:.1f} {}", n, kUnits[unit]);
}

bool knows(const Toolchain& t, arch::Device target) {
  return std::ranges::any_of(t.targets, [&](const std::string& name) {
    return name == target.name() || name == target.name() + 'a' || name == target.name() + 'f';
  });
}

std::string ptxas_advice(const std::vector<Toolchain>& toolchains, arch::Device device) {
  auto better = std::ranges::find_if(toolchains, [&](const Toolchain& t) {
    return t.program == "ptxas" && knows(t, device);
  });
  if (better == toolchains.end())
    return "set TRITON_PTXAS_PATH to a ptxas that does (nvidia-cuda-nvcc of PyPI has one)";
  return fmt::format("set TRITON_PTXAS_PATH={} ({}), which does", better->path, better->version);
}

}  // namespace ungate::cli

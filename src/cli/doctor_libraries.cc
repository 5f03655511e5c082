#include "cli/doctor_libraries.h"

#include <fmt/core.h>

#include <algorithm>
#include <climits>
#include <cstdlib>

#include "base/text.h"
#include "package/folder.h"
#include "package/owners.h"

namespace ungate::cli {
namespace {

struct Kind {
  std::string_view name, file;  // the file's name up to its version
};
constexpr Kind kKinds[] = {{"CUDA driver", "libcuda.so.1"},
                           {"CUDA runtime", "libcudart.so."},
                           {"NCCL", "libnccl.so.2"},
                           {"NVRTC", "libnvrtc.so."}};
constexpr const char* kSystem[] = {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu",
                                   "/usr/lib64",                "/usr/local/cuda/lib64",
                                   "/usr/local/cuda/lib",       "/usr/lib/wsl/lib"};

// "libnvrtc.so.12", not "libnvrtc.so.12.alt" or "libnvrtc-builtins.so.12".
const Kind* kind_of(std::string_view file) {
  for (const Kind& kind : kKinds) {
    if (!file.starts_with(kind.file)) continue;
    if (file.substr(kind.file.size()).find_first_not_of("0123456789.") == file.npos) return &kind;
  }
  return nullptr;
}

// "13.0.88" of "libnvrtc.so.13.0.88"; nothing of one number alone.
std::string version_in(const std::string& path) {
  std::string name = package::name_of_path(path);
  std::size_t at = name.find(".so.");
  std::string version = at == name.npos ? std::string() : name.substr(at + 4);
  return version.find('.') == version.npos ? std::string() : version;
}

class Copies {
 public:
  void look_in(const std::string& folder, const std::string& found_by, const std::string& version) {
    auto entries = package::list_folder(folder);
    if (!entries) return;
    for (const package::FolderEntry& entry : *entries) {
      const Kind* kind = entry.folder ? nullptr : kind_of(entry.name);
      if (kind == nullptr) continue;
      auto path = package::resolve(package::join_path(folder, entry.name));
      if (!path || std::ranges::find(found_, *path, &LibraryCopy::path) != found_.end()) continue;
      std::string from_name = version_in(*path);
      found_.push_back({std::string(kind->name), *path, found_by, from_name.empty() ? version : from_name});
    }
  }

  // nvidia/nccl/lib, nvidia/cu13/lib and torch/lib of a site.
  void look_in_site(const package::Environment& environment, const package::Owners& owners,
                    std::uint32_t site) {
    const std::string& root = environment.sites[site].path;
    std::vector<std::string> folders{"torch/lib", "triton/backends/nvidia/lib"};
    if (auto entries = package::list_folder(root + "/nvidia")) {
      for (const package::FolderEntry& e : *entries) folders.push_back("nvidia/" + e.name + "/lib");
    }
    for (const std::string& folder : folders) {
      auto entries = package::list_folder(root + '/' + folder);
      if (!entries) continue;
      for (const package::FolderEntry& entry : *entries) {
        if (entry.folder || kind_of(entry.name) == nullptr) continue;
        auto owner = owners.find(site, folder + '/' + entry.name);
        bool known = owner.entry != nullptr;  // many packages share the folder `nvidia`
        one(root + '/' + folder + '/' + entry.name,
            known ? owner.distribution->name + ' ' + owner.distribution->version_text : folder,
            known ? owner.distribution->version_text : "");
      }
    }
  }

  std::vector<LibraryCopy> take() {
    std::ranges::stable_sort(found_, {}, &LibraryCopy::name);
    return std::move(found_);
  }

 private:
  void one(const std::string& file, const std::string& found_by, const std::string& version) {
    auto path = package::resolve(file);
    if (!path || std::ranges::find(found_, *path, &LibraryCopy::path) != found_.end()) return;
    std::string from_name = version_in(*path);
    found_.push_back({std::string(kind_of(package::name_of_path(file))->name), *path, found_by,
                      from_name.empty() ? version : from_name});
  }

  std::vector<LibraryCopy> found_;
};

}  // namespace

std::vector<LibraryCopy> find_library_copies(const std::vector<package::Environment>& environments) {
  Copies copies;
  if (const char* path = std::getenv("LD_LIBRARY_PATH")) {
    for (std::string_view folder : text::split(path, ':')) {
      if (!folder.empty()) copies.look_in(std::string(folder), "LD_LIBRARY_PATH", "");
    }
  }
  for (const package::Environment& e : environments) {
    package::Owners owners(e);
    for (std::uint32_t site = 0; site < e.sites.size(); ++site) copies.look_in_site(e, owners, site);
  }
  for (const char* folder : kSystem) copies.look_in(folder, "system", "");
  return copies.take();
}

std::vector<std::string> triton_assembler(const std::vector<Toolchain>& toolchains,
                                          const std::vector<arch::Device>& targets) {
  auto by = [&](std::string_view how) {
    return std::ranges::find_if(toolchains, [&](const Toolchain& t) {
      return t.program == "ptxas" && t.found_by == how;
    });
  };
  auto own = by("Triton"), named = by("TRITON_PTXAS_PATH");
  if (own == toolchains.end() && named == toolchains.end()) return {};
  const Toolchain& used = named != toolchains.end() ? *named : *own;
  std::vector<std::string> out{fmt::format("Triton compiles with {} ({}), {}", used.path, used.version,
                                           named != toolchains.end() ? "which TRITON_PTXAS_PATH names"
                                                                     : "its own")};
  for (arch::Device target : targets) {
    if (used.targets.empty() || knows(used, target)) continue;
    out.push_back(fmt::format(
        "it does not know {}: kernels fail when they are first launched, with \"not defined for option "
        "'gpu-name'\"",
        target.name()));
    out.push_back(ptxas_advice(toolchains, target));
  }
  return out;
}

}  // namespace ungate::cli

#include "kernels/sources.h"

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "base/hash.h"

namespace ungate::kernels {
namespace {

namespace fs = std::filesystem;

bool holds_sources(const std::string& folder) {
  std::error_code ec;
  return fs::is_regular_file(folder + "/include/arf.h", ec);
}

std::string installed_folder() {
  std::error_code ec;
  fs::path program = fs::read_symlink("/proc/self/exe", ec);
  return ec ? std::string()
            : (program.parent_path().parent_path() / "share/ungate/kernels").string();
}

bool is_source(const fs::path& path) {
  for (const char* ending : {".cu", ".cuh", ".h", ".cc", ".inc"}) {
    if (path.extension() == ending) return true;
  }
  return false;
}

}  // namespace

Result<Sources> find_sources(const prove::Variable& variable) {
  std::vector<std::string> folders;
  if (auto named = variable("UNGATE_KERNELS")) {
    if (!holds_sources(*named))
      return fail(ErrorCode::not_found,
                  "UNGATE_KERNELS names a folder without the kernels' sources", *named);
    folders.push_back(*named);
  }
  folders.push_back(installed_folder());
  folders.emplace_back(UNGATE_KERNEL_SOURCES);
  auto found = std::ranges::find_if(folders, holds_sources);
  if (found == folders.end())
    return fail(ErrorCode::not_found, "the sources of the bundled kernels are not there",
                folders.front(), "set UNGATE_KERNELS to the folder that holds include/arf.h");
  Sources out{*found, {}};
  std::error_code ec;
  for (fs::recursive_directory_iterator it(out.folder, ec), end; it != end; it.increment(ec)) {
    if (ec) break;
    if (it->is_regular_file(ec) && is_source(it->path()))
      out.files.push_back(fs::relative(it->path(), out.folder, ec).string());
  }
  std::ranges::sort(out.files);
  return out;
}

Result<std::string> fingerprint(const Sources& sources) {
  std::string all;
  for (const std::string& file : sources.files) {
    auto text = read_file(sources.folder + '/' + file);
    if (!text) return std::unexpected(text.error());
    all += file + '\0' + sha256_hex(text->bytes) + '\n';
  }
  return sha256_hex(all);
}

}  // namespace ungate::kernels

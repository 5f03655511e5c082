#include "cuda/libclang_library.h"

#include <dlfcn.h>

#include <cstdlib>

#include "base/text.h"

namespace ungate::cuda {
namespace {

bool load(const char* name, LibclangLibrary& out) {
  void* handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return false;
  bool complete = true;
  auto find = [&](auto& function, const char* symbol) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(handle, symbol));
    complete &= function != nullptr;
  };
  find(out.create_index, "clang_createIndex");
  find(out.dispose_index, "clang_disposeIndex");
  find(out.parse, "clang_parseTranslationUnit2");
  find(out.dispose_unit, "clang_disposeTranslationUnit");
  find(out.get_file, "clang_getFile");
  find(out.skipped_ranges, "clang_getSkippedRanges");
  find(out.dispose_ranges, "clang_disposeSourceRangeList");
  find(out.range_start, "clang_getRangeStart");
  find(out.range_end, "clang_getRangeEnd");
  find(out.file_location, "clang_getFileLocation");
  find(out.version, "clang_getClangVersion");
  find(out.c_string, "clang_getCString");
  find(out.dispose_string, "clang_disposeString");
  if (!complete) dlclose(handle);
  return complete;
}

}  // namespace

std::vector<std::string> libclang_names(const std::vector<std::string>& candidates) {
  if (const char* env = std::getenv("UNGATE_LIBCLANG"); env != nullptr && *env != '\0')
    return {env};
  std::vector<std::string> names = candidates;
  // Debian's and upstream's sonames differ (libclang-19.so.1, libclang.so.19.1).
  for (const char* name :
       {"libclang-19.so.1", "libclang.so.1", "libclang-18.so.1", "libclang-17.so.1",
        "libclang-16.so.1", "libclang-15.so.1", "libclang-14.so.1", "libclang-20.so.1",
        "libclang-21.so.1", "libclang.so"}) {
    names.emplace_back(name);
  }
  return names;
}

Result<LibclangLibrary> open_libclang(const std::vector<std::string>& candidates) {
  LibclangLibrary library{};
  std::vector<std::string> names = libclang_names(candidates);
  for (const std::string& name : names) {
    if (load(name.c_str(), library)) return library;
  }
  return fail(ErrorCode::tool_missing, "no libclang found (tried " + text::join(names, ", ") + ')');
}

}  // namespace ungate::cuda

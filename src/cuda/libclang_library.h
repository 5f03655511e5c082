// The few functions of libclang that are used, found at run time.
#pragma once

#include <clang-c/Index.h>

#include <string>
#include <vector>

#include "base/error.h"

namespace ungate::cuda {

struct LibclangLibrary {
  decltype(&clang_createIndex) create_index;
  decltype(&clang_disposeIndex) dispose_index;
  decltype(&clang_parseTranslationUnit2) parse;
  decltype(&clang_disposeTranslationUnit) dispose_unit;
  decltype(&clang_getFile) get_file;
  decltype(&clang_getSkippedRanges) skipped_ranges;
  decltype(&clang_disposeSourceRangeList) dispose_ranges;
  decltype(&clang_getRangeStart) range_start;
  decltype(&clang_getRangeEnd) range_end;
  decltype(&clang_getFileLocation) file_location;
  decltype(&clang_getClangVersion) version;
  decltype(&clang_getCString) c_string;
  decltype(&clang_disposeString) dispose_string;
};

// Names to try, in order: what UNGATE_LIBCLANG says and nothing else, or the candidates and then
// the usual names.
std::vector<std::string> libclang_names(const std::vector<std::string>& candidates);

// Opens the first that has all functions. tool_missing says what was tried.
Result<LibclangLibrary> open_libclang(const std::vector<std::string>& candidates);

}  // namespace ungate::cuda

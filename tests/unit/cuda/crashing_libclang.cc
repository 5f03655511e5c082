// A library that looks like libclang and dies in its first parse, after a word on standard error.
#include <cstdio>
#include <cstdlib>

extern "C" {
struct Text {
  const void* data;
  unsigned flags;
};
void* clang_createIndex(int, int) { return nullptr; }
void clang_disposeIndex(void*) {}
int clang_parseTranslationUnit2() {
  std::fputs("libclang: crash detected\n", stderr);
  std::abort();
}
void clang_disposeTranslationUnit(void*) {}
void* clang_getFile(void*, const char*) { return nullptr; }
void* clang_getSkippedRanges(void*, void*) { return nullptr; }
void clang_disposeSourceRangeList(void*) {}
void clang_getRangeStart() {}
void clang_getRangeEnd() {}
void clang_getFileLocation() {}
Text clang_getClangVersion() { return {"crashing", 0}; }
const char* clang_getCString(Text t) { return static_cast<const char*>(t.data); }
void clang_disposeString(Text) {}
}

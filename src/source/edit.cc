#include "source/edit.h"

#include <algorithm>

#include <fmt/core.h>

#include "base/text.h"

namespace ungate::source {

Result<std::string> apply_edits(std::string_view original, std::vector<Edit> edits,
                                std::string_view path) {
  std::ranges::stable_sort(edits, {}, [](const Edit& e) { return e.range.begin; });
  std::string out;
  std::uint32_t at = 0;
  for (const Edit& edit : edits) {
    auto where = [&](std::uint32_t offset) { return SourceFile(std::string(path), std::string(original)).at(offset); };
    if (edit.range.end > original.size() || edit.range.end < edit.range.begin) {
      return fail(ErrorCode::does_not_fit, "an edit lies outside the file", std::string(path));
    }
    if (edit.range.begin < at) {
      return fail(ErrorCode::does_not_fit, "two edits overlap", where(edit.range.begin));
    }
    std::string_view found = original.substr(edit.range.begin, edit.range.size());
    if (found != edit.before) {
      return fail(ErrorCode::does_not_fit,
                  fmt::format("expected '{}', found '{}'", text::one_line(edit.before, 60), text::one_line(found, 60)),
                  where(edit.range.begin));
    }
    out += original.substr(at, edit.range.begin - at);
    out += edit.after;
    at = edit.range.end;
  }
  out += original.substr(at);
  return out;
}

}  // namespace ungate::source

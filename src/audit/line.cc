#include "audit/line.h"

#include "base/text.h"
#include "python/outline.h"

namespace ungate::audit {
namespace {

LineFacts::Language language_of(const std::string& path) {
  switch (kind_of(path)) {
    case FileKind::python:
      return LineFacts::Language::python;
    case FileKind::cuda:
      return LineFacts::Language::cuda;
    default:
      return LineFacts::Language::other;
  }
}

}  // namespace

// For Python a comment or blank line stands for the statement behind it.
std::uint32_t code_line(const source::SourceFile& file, std::uint32_t line) {
  if (language_of(file.path()) != LineFacts::Language::python) return line;
  python::Outline outline(file.text());
  source::Range range = file.line(line);
  for (const python::LogicalLine& logical : outline.lines()) {
    if (logical.end <= range.begin) continue;
    return std::max(line, file.position(logical.begin).line);
  }
  return line;
}

std::uint32_t offset_of(const source::SourceFile& file, std::uint32_t line) {
  source::Range range = file.line(line);
  std::string_view text = file.text(range);
  std::size_t blanks = text.find_first_not_of(" \t\f");
  return range.begin + static_cast<std::uint32_t>(blanks == text.npos ? 0 : blanks);
}

LineFacts line_facts(const Inside& inside, const source::SourceFile& file, std::uint32_t line) {
  LineFacts facts;
  facts.path = file.path();
  facts.site = inside.files.root_of(file.path());
  facts.line = line;
  facts.code_line = code_line(file, line);
  facts.line_count = file.line_count();
  facts.language = language_of(file.path());
  for (const gate::Gate& gate : inside.report.gates) {
    if (gate.path != facts.path || gate.site != facts.site) continue;
    if (gate.begin.line <= facts.code_line && facts.code_line <= gate.end.line)
      facts.gates.push_back(&gate);
  }
  if (facts.language == LineFacts::Language::python) python_line(inside, file, facts);
  if (facts.language == LineFacts::Language::cuda) cuda_line(inside, file, facts);
  return facts;
}

}  // namespace ungate::audit

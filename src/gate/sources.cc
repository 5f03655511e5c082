#include "gate/sources.h"

#include <algorithm>
#include <unordered_set>

#include "cuda/include_path.h"

namespace ungate::gate {

CudaFiles::CudaFiles(FileLoader loader, const value::World& world, const cuda::Vocabulary& vocabulary)
    : loader_(std::move(loader)), world_(world), vocabulary_(vocabulary) {}

CudaFiles::Entry& CudaFiles::entry(const std::string& path) {
  auto [at, fresh] = entries_.try_emplace(path);
  if (fresh) at->second.file = loader_(path);
  return at->second;
}

const source::SourceFile* CudaFiles::file(const std::string& path) { return entry(path).file; }

const cuda::Directives& CudaFiles::directives(const std::string& path) {
  Entry& e = entry(path);
  if (!e.directives) e.directives = std::make_unique<cuda::Directives>(cuda::read_directives(e.file->text()));
  return *e.directives;
}

std::optional<cuda::FileText> CudaFiles::text(const std::string& path) {
  const source::SourceFile* f = file(path);
  if (f == nullptr) return std::nullopt;
  return cuda::FileText{f->text(), &directives(path)};
}

const cuda::Structure& CudaFiles::structure(const std::string& path) {
  Entry& e = entry(path);
  if (!e.structure) {
    e.structure = std::make_unique<cuda::Structure>(cuda::read_structure(e.file->text(), directives(path), vocabulary_));
  }
  return *e.structure;
}

void CudaFiles::link(const std::vector<std::string>& paths) {
  std::vector<cuda::Structure*> all;
  for (const std::string& path : paths) {
    structure(path);
    all.push_back(entry(path).structure.get());
  }
  cuda::link_launches(all);
}

const cuda::FileResult& CudaFiles::alone(const std::string& path) {
  Entry& e = entry(path);
  if (!e.alone) e.alone = std::make_unique<cuda::FileResult>(cuda::evaluate_file(*text(path), world_));
  return *e.alone;
}

// "include/cutlass/arch/barrier.h" includes <cutlass/arch/config.h>: its tree begins at "include".
std::vector<std::string> CudaFiles::headers_of(const std::string& path, std::string& root) {
  std::vector<std::string> names, out;
  const cuda::Directives& d = directives(path);
  std::string_view text = entry(path).file->text();
  for (const cuda::Directive& directive : d.list) {
    if (directive.kind != cuda::DirectiveKind::include) continue;
    std::string_view operand = text.substr(directive.operand.begin, directive.operand.size());
    if (operand.size() < 3 || (operand.front() != '<' && operand.front() != '"')) continue;
    std::size_t end = operand.find(operand.front() == '<' ? '>' : '"', 1);
    if (end != std::string_view::npos) names.emplace_back(operand.substr(1, end - 1));
  }
  for (const std::string& name : names) {
    std::string first = '/' + name.substr(0, name.find('/')) + '/';
    std::size_t at = name.find('/') == std::string::npos ? std::string::npos : path.rfind(first);
    if (root.empty() && at != std::string::npos) root = path.substr(0, at);
  }
  if (root.empty()) return out;
  for (const std::string& name : names) {
    std::string header = cuda::join_path(root, name);
    if (file(header) != nullptr) out.push_back(std::move(header));
  }
  return out;
}

const cuda::FileResult& CudaFiles::with_headers(const std::string& path) {
  if (const Entry& known = entry(path); known.with_headers != nullptr) return *known.with_headers;
  const cuda::FileResult& by_itself = alone(path);
  bool open = false;   // a condition hangs on something that the text does not say
  for (const cuda::ArmResult& arm : by_itself.arms) {
    open = open || !cuda::targets_with(arm.condition, value::kUnknown).empty();
  }
  if (!open) return *(entry(path).with_headers = &by_itself);
  std::string root;
  std::vector<std::string> headers = headers_of(path, root);
  std::unordered_set<std::string_view> defined;
  std::vector<std::string> texts = headers;
  texts.push_back(path);
  for (const std::string& each : texts) {
    std::string_view text = entry(each).file->text();
    for (const cuda::Define& define : directives(each).defines) {
      if (define.name.size() > 0) defined.insert(text.substr(define.name.begin, define.name.size()));
    }
  }
  bool said = false;   // by a header
  std::string_view text = entry(path).file->text();
  for (const cuda::Arm& arm : directives(path).arms) {
    std::string_view condition = text.substr(arm.condition.begin, arm.condition.size());
    said = said || std::ranges::any_of(defined, [&](std::string_view name) { return condition.find(name) != std::string_view::npos; });
  }
  Entry& e = entry(path);
  e.with_headers = &by_itself;
  if (said) {
    cuda::Preprocessor walk(world_, cuda::Pass::device, [&](const std::string& wanted) -> std::optional<cuda::FileText> {
      if (std::ranges::find(texts, wanted) == texts.end()) return std::nullopt;
      return this->text(wanted);
    }, [&](std::string_view macro) { return defined.contains(macro); });
    auto walked = walk.walk({path, {root}, {}});
    if (const cuda::FileResult* found = walked ? walk.result(path, walked->visits) : nullptr) {
      e.walked = std::make_unique<cuda::FileResult>(*found);
      e.with_headers = e.walked.get();
    }
  }
  return *e.with_headers;
}

cuda::Preprocessor& CudaFiles::preprocessor(const std::vector<std::string>& absent_macros) {
  auto known = preprocessors_.find(absent_macros);
  if (known != preprocessors_.end()) return known->second;
  auto absent = [absent_macros](std::string_view macro) {
    return std::ranges::any_of(absent_macros, [&](const std::string& p) { return macro.starts_with(p); });
  };
  cuda::Preprocessor fresh(world_, cuda::Pass::device, [this](const std::string& path) { return text(path); }, absent);
  return preprocessors_.emplace(absent_macros, std::move(fresh)).first->second;
}

}  // namespace ungate::gate

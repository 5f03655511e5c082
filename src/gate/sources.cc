#include "gate/sources.h"

#include <algorithm>

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

// The files that the graph is made of, by their path relative to an import root.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_map>

#include "cuda/guard.h"
#include "cuda/preprocess.h"
#include "source/source_file.h"

namespace ungate::gate {

// Gives the text of any file below the import roots, or null. It must live as long as the analysis.
using FileLoader = std::function<const source::SourceFile*(const std::string& path)>;

// C++ and CUDA files with what the front end reads of them, each read once.
class CudaFiles {
 public:
  CudaFiles(FileLoader loader, const value::World& world, const cuda::Vocabulary& vocabulary);

  const source::SourceFile* file(const std::string& path);
  std::optional<cuda::FileText> text(const std::string& path);
  const cuda::Directives& directives(const std::string& path);  // of a file that exists
  const cuda::Structure& structure(const std::string& path);
  // Functions, launches and guards of several files together: launches are settled between them.
  void link(const std::vector<std::string>& paths);
  // What is known of a file alone: every foreign macro is free.
  const cuda::FileResult& alone(const std::string& path);

  // The same with the headers that it includes itself and that lie in the same tree. A macro that these texts define
  // is defined by them or not at all.
  const cuda::FileResult& with_headers(const std::string& path);

  // Walks units in which macros with these prefixes are defined by the unit or not at all. What it learned
  // of a header in one module serves the next.
  cuda::Preprocessor& preprocessor(const std::vector<std::string>& absent_macros);

  const value::World& world() const { return world_; }
  const cuda::Vocabulary& vocabulary() const { return vocabulary_; }

 private:
  std::vector<std::string> headers_of(const std::string& path, std::string& root);
  struct Entry {
    const source::SourceFile* file = nullptr;
    std::unique_ptr<cuda::Directives> directives;
    std::unique_ptr<cuda::Structure> structure;
    std::unique_ptr<cuda::FileResult> alone, walked;
    const cuda::FileResult* with_headers = nullptr;   // one of them
  };
  Entry& entry(const std::string& path);

  FileLoader loader_;
  const value::World& world_;
  const cuda::Vocabulary& vocabulary_;
  std::map<std::vector<std::string>, cuda::Preprocessor> preprocessors_;
  std::unordered_map<std::string, Entry> entries_;
};

}  // namespace ungate::gate

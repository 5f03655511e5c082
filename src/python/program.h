// The Python files of an environment as modules: names to files, outlines and trees made when needed.
//
// Nothing is imported or run. A module's name follows from where its file lies below an import root
// (`a/b/__init__.py` is a.b); of two files with one name the first added wins, as in import order.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/stable_vector.h"
#include "python/ast.h"
#include "python/outline.h"
#include "python/words.h"
#include "source/source_file.h"

namespace ungate::python {

using ModuleId = std::uint32_t;

// A top-level statement with its tree, once somebody asked for it.
struct Piece {
  Statement statement;
  std::unique_ptr<Tree> tree;
};

struct Module {
  Symbol name;                  // dotted
  std::string path;             // relative to its import root, with '/'
  bool is_package = false;      // a/__init__.py: relative imports start here
  bool loaded = false;

  // Valid after Program::load.
  const source::SourceFile* file = nullptr;   // null: the file could not be read
  std::optional<Outline> outline;
  StableVector<Piece, 6> pieces;
  std::unordered_map<Symbol, std::vector<std::uint32_t>> binders;  // name -> pieces that bind it
  std::vector<std::pair<std::uint32_t, Symbol>> star_imports;      // piece, module as written
  std::unordered_map<Symbol, std::vector<std::uint32_t>> rebound;   // names that functions declare `global`, and where
  std::unordered_map<std::uint32_t, std::unique_ptr<Tree>> parts;  // by where they begin: methods, headers, …
  std::unordered_set<std::uint32_t> mentioned;   // statements, by where they begin, that Program::prepare found
};

struct PlaceHash {
  std::size_t operator()(const std::pair<ModuleId, Symbol>& p) const {
    return p.first * 0x9e3779b97f4a7c15u ^ std::hash<Symbol>()(p.second);
  }
};

class Program {
 public:
  // Gives a file's text, or null when it cannot be read. The file must live as long as the program.
  using Loader = std::function<const source::SourceFile*(const std::string& path)>;

  explicit Program(Loader loader) : loader_(std::move(loader)) {}

  // Modules that are of a package or name it and hold `def name`, if somebody can tell.
  using Definers = std::function<std::vector<ModuleId>(Symbol name, Symbol package)>;
  void tell_definers(Definers definers) { definers_ = std::move(definers); }
  // True if there is no other function of this name that code near the package could mean.
  bool defines_alone(ModuleId module, Symbol name);

  // Adds a file by its path relative to an import root ("pkg/sub/mod.py").
  void add(std::string path);

  std::optional<ModuleId> find(Symbol dotted) const;
  std::optional<ModuleId> find_path(std::string_view path) const;
  // True if the name is a package that has no __init__.py but holds modules.
  bool is_namespace(Symbol dotted) const;
  std::size_t size() const { return modules_.size(); }

  Module& operator[](ModuleId id) { return modules_[id]; }
  const Module& operator[](ModuleId id) const { return modules_[id]; }

  // The top-level package (or module) that a module belongs to.
  Symbol package(ModuleId id) const;

  // Reads the file and cuts it into statements, once.
  Module& load(ModuleId id);
  // Loads a module, finds the top-level statements and members of classes that mention one of the words,
  // and parses them. Different modules may be prepared by different threads at the same time.
  void prepare(ModuleId id, const WordSet& words);
  // The tree of a top-level statement, parsed on first use.
  const Tree& tree(ModuleId id, std::uint32_t piece);
  // The tree of any other range of the module (a method, a class header), kept as long as the program.
  const Tree& parse_range(ModuleId id, source::Range range);

  // `from ..x import` in a module: the absolute dotted name, empty if the dots lead out of the tree.
  Symbol absolute(ModuleId from, std::string_view written) const;

  std::size_t bytes_parsed() const { return bytes_parsed_; }

 private:
  Loader loader_;
  Definers definers_;
  std::unordered_map<std::pair<ModuleId, Symbol>, bool, PlaceHash> alone_;
  StableVector<Module> modules_;
  std::unordered_map<Symbol, ModuleId> by_name_;
  std::unordered_map<std::string, ModuleId> by_path_;
  std::unordered_map<Symbol, bool> namespaces_;
  std::atomic<std::size_t> bytes_parsed_ = 0;
};

}  // namespace ungate::python

// The machinery of Preprocessor; see preprocess.h for what it gives.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "cuda/environment.h"
#include "cuda/evaluate.h"
#include "cuda/preprocess.h"

namespace ungate::cuda {

class Preprocessor::Walk {
 public:
  Walk(const value::World& world, Pass pass, Loader loader, Absent absent)
      : environment_(world, pass, std::move(absent)), loader_(std::move(loader)) {}

  std::optional<UnitResult> unit(const Unit& unit);
  const FileResult* result(std::string_view path) const;
  const FileResult* result(std::string_view path, const std::vector<std::uint32_t>& visits) const;

 private:
  using FileIndex = std::uint32_t;
  using VisitIndex = std::uint32_t;

  // What one visit of a file did besides its results, for the next time.
  struct Memo {
    std::uint32_t include_path;
    Outcomes live;
    Environment::Effect effect;
    std::vector<VisitIndex> visits;
    std::vector<MissingInclude> missing;
  };

  // One way through a file.
  struct Visit {
    FileIndex file;
    FileResult result;
  };

  struct File {
    std::string path;
    Symbol name;
    FileText source;
    std::vector<Tokens> conditions;         // per arm; filled when first met
    std::vector<DefinitionId> definitions;  // per define; kUndefined until first met
    std::vector<VisitIndex> visits;
    std::vector<Memo> memos;
    int open_visits = 0;
  };

  // An arm of a chain that has been walked: when it is taken, and what it changed.
  struct Ended {
    Outcomes taken;
    Environment::Slots changes;
  };

  // What the visit at hand reached, itself included.
  struct Reached {
    std::vector<VisitIndex> visits;
    std::vector<MissingInclude> missing;
    void add(const MissingInclude& include);
  };

  // Limits against texts that no compiler would get through either.
  static constexpr int kDeepest = 400;         // conditionals and includes inside each other
  static constexpr int kMostRecursive = 8;     // visits of one file inside itself
  static constexpr int kMostVisits = 100'000;  // of a unit
  static constexpr std::size_t kMostMemos = 8;

  FileIndex load(const std::string& path);
  // Adds what a visit below reached, each visit once.
  void reach(const std::vector<VisitIndex>& visits, const std::vector<MissingInclude>& missing);
  void define_unit_macro(std::string_view spec);

  void include(FileIndex file, const Outcomes& live, bool once);
  void visit(FileIndex file, const Outcomes& live);
  void run(FileIndex file, std::uint32_t from, std::uint32_t to, const Outcomes& live);
  std::uint32_t chain(FileIndex file, std::uint32_t chain, const Outcomes& live);
  void include_directive(FileIndex file, const Directive& d, const Outcomes& live);
  void define(FileIndex file, const Directive& d);
  void join(const std::vector<Ended>& ended);

  Outcomes evaluate(FileIndex file, std::uint32_t arm);
  void narrow_to(FileIndex file, std::uint32_t arm, bool wanted);
  void record(FileIndex file, std::uint32_t arm, const Outcomes& condition, const Outcomes& live,
              arch::CodeTargetSet reached);
  void record_macros(FileIndex file, std::uint32_t arm);

  const Tokens& condition(FileIndex file, std::uint32_t arm);
  std::string_view text(FileIndex file, source::Range r) const;
  std::uint32_t slot_at(FileIndex file, source::Range name);
  std::optional<FileIndex> resolve(std::string_view name, bool angled, bool next,
                                   FileIndex includer);
  // The text of an #include after macro expansion, if that is one text.
  std::string computed(FileIndex file, const Directive& d, const Outcomes& live);
  HeaderTest header_test(FileIndex file);

  Environment environment_;
  Loader loader_;
  std::vector<std::unique_ptr<File>> files_;
  std::vector<std::unique_ptr<Visit>> visits_;
  VisitIndex visit_ = 0;  // the one at hand
  // Results of several visits as one, by file and visits.
  mutable std::map<std::pair<FileIndex, std::vector<VisitIndex>>, std::unique_ptr<FileResult>>
      merged_;
  std::unordered_map<std::string, FileIndex> by_path_;  // kNone: the loader does not have it
  std::unordered_map<std::string, FileIndex>
      resolved_;  // key: include path, includer's folder, name
  std::vector<std::vector<std::string>> include_paths_;  // of all units so far, each once …
  std::uint32_t include_path_ = 0;                       // … and that of the unit at hand
  Reached reached_;
  std::vector<std::uint32_t> seen_;  // per visit: the last use of reach() that met it
  std::uint32_t stamp_ = 0;
  int depth_ = 0;
  int visits_of_unit_ = 0;
};

}  // namespace ungate::cuda

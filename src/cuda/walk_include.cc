// Units, files and includes of a walk, and the public face.
#include <algorithm>

#include "cuda/expand.h"
#include "cuda/include_path.h"
#include "cuda/walk.h"

namespace ungate::cuda {

std::optional<UnitResult> Preprocessor::Walk::unit(const Unit& unit) {
  auto known = std::ranges::find(include_paths_, unit.include_paths);
  include_path_ = static_cast<std::uint32_t>(known - include_paths_.begin());
  if (known == include_paths_.end()) include_paths_.push_back(unit.include_paths);
  FileIndex main = load(normal_path(unit.path));
  if (main == kNone) return std::nullopt;
  std::size_t mark = environment_.mark();
  for (const std::string& macro : unit.macros) define_unit_macro(macro);
  reached_ = {};
  visits_of_unit_ = 0;
  include(main, yes(), false);
  environment_.take_back(mark);
  UnitResult result;
  std::vector<bool> listed(files_.size(), false);
  for (VisitIndex v : reached_.visits) {
    FileIndex f = visits_[v]->file;
    if (!listed[f]) result.files.push_back(files_[f]->path);
    listed[f] = true;
  }
  std::ranges::sort(reached_.visits);
  result.visits = std::move(reached_.visits);
  result.missing = std::move(reached_.missing);
  return result;
}

void Preprocessor::Walk::define_unit_macro(std::string_view spec) {
  std::size_t equals = std::min(spec.find('='), spec.size());
  std::string line(spec.substr(0, equals));
  line += ' ';
  line += equals == spec.size() ? "1" : spec.substr(equals + 1);
  Directives parsed = read_directives("#define " + line);
  if (parsed.defines.size() != 1) return;
  std::string text = "#define " + line;
  auto part = [&](source::Range r) { return std::string_view(text).substr(r.begin, r.size()); };
  const Define& define = parsed.defines[0];
  Definition d;
  d.name = Symbol(part(define.name));
  d.function_like = define.function_like;
  d.variadic = define.variadic;
  for (source::Range p : define.parameters) d.parameters.push_back(Symbol(part(p)));
  d.body = tokenize(text, define.body);
  environment_.bind(d.body);
  std::uint32_t slot = environment_.slot(d.name);
  environment_.set(slot, Environment::State(environment_.add(std::move(d))));
}

Preprocessor::Walk::FileIndex Preprocessor::Walk::load(const std::string& path) {
  auto [found, fresh] = by_path_.try_emplace(path, kNone);
  if (!fresh) return found->second;
  std::optional<FileText> source = loader_ ? loader_(path) : std::nullopt;
  if (!source || source->directives == nullptr) return kNone;
  auto file = std::make_unique<File>();
  file->path = path;
  file->name = Symbol(path);
  file->source = *source;
  file->conditions.resize(source->directives->arms.size());
  file->definitions.resize(source->directives->defines.size(), kUndefined);
  files_.push_back(std::move(file));
  return found->second = static_cast<FileIndex>(files_.size() - 1);
}

void Preprocessor::Walk::include_directive(FileIndex index, const Directive& d,
                                           const Outcomes& live) {
  IncludeName name = include_name(text(index, d.operand));
  std::string expanded;
  if (name.name.empty()) {
    expanded = computed(index, d, live);
    name = include_name(expanded);
  }
  bool next = d.kind == DirectiveKind::include_next;
  std::optional<FileIndex> file;
  if (!name.name.empty()) file = resolve(name.name, name.angled, next, index);
  if (file) return include(*file, live, d.kind == DirectiveKind::import);
  std::string_view spelled = name.name.empty() ? text(index, d.operand) : name.name;
  reached_.add({std::string(spelled), name.angled, {files_[index]->name, d.range}});
}

// Visits a file, unless it was before and says #pragma once: that is a conditional too, on a macro
// whose name no text can spell.
void Preprocessor::Walk::include(FileIndex index, const Outcomes& live, bool once) {
  if (++depth_ > kDeepest) {
    --depth_;
    return;
  }
  File& file = *files_[index];
  if (!once && !file.source.directives->pragma_once) {
    visit(index, live);
    --depth_;
    return;
  }
  std::uint32_t seen = environment_.slot(Symbol(std::string(1, Environment::kHidden) + file.path));
  Outcomes fresh = !evaluate_defined(environment_, seen);
  Outcomes fresh_live = live & fresh;
  if (!may_be_true(fresh_live).empty()) {
    std::size_t mark = environment_.mark();
    environment_.set(seen, Environment::State(kSomehow));
    visit(index, fresh_live);
    bool certain = fresh.uniform() && fresh.cell(0).value.is(value::kTrue);
    if (!certain) {
      std::vector<Ended> ended;
      ended.push_back({fresh, environment_.take_back(mark)});
      ended.push_back({!fresh, {}});
      join(ended);
    }
  }
  --depth_;
}

std::optional<Preprocessor::Walk::FileIndex> Preprocessor::Walk::resolve(std::string_view name,
                                                                         bool angled, bool next,
                                                                         FileIndex includer) {
  const std::string& from = files_[includer]->path;
  std::string key = std::to_string(include_path_) + (next ? 'n' : angled ? 'a' : 'q');
  if (!angled || next) key += next ? std::string_view(from) : directory_of(from);
  key += '\n';
  key += name;
  auto [found, fresh] = resolved_.try_emplace(key, kNone);
  if (fresh) {
    for (const std::string& path :
         include_candidates(name, angled, next, from, include_paths_[include_path_])) {
      if (FileIndex file = load(path); file != kNone) {
        found->second = file;
        break;
      }
    }
  }
  if (found->second == kNone) return std::nullopt;
  return found->second;
}

std::string Preprocessor::Walk::computed(FileIndex index, const Directive& d,
                                         const Outcomes& live) {
  Tokens tokens = tokenize(files_[index]->source.text, d.operand);
  environment_.bind(tokens);
  Choices choices(environment_, may_be_true(live).front());
  Tokens expanded;
  bool ok = expand(tokens, environment_, choices, header_test(index), expanded);
  bool one = choices.only_of_plain_words() && choices.same().contains(may_be_true(live));
  if (!ok || !one) return {};
  return spell(expanded);
}

HeaderTest Preprocessor::Walk::header_test(FileIndex index) {
  return [this, index](std::string_view name, bool angled) -> std::optional<bool> {
    // Not being found says nothing: the toolkit's and the system's headers are never in the tree.
    if (resolve(name, angled, false, index)) return true;
    return std::nullopt;
  };
}

std::string_view Preprocessor::Walk::text(FileIndex index, source::Range r) const {
  return files_[index]->source.text.substr(r.begin, r.size());
}

std::uint32_t Preprocessor::Walk::slot_at(FileIndex index, source::Range name) {
  return environment_.slot(Symbol(text(index, name)));
}

void Preprocessor::Walk::reach(const std::vector<VisitIndex>& visits,
                               const std::vector<MissingInclude>& missing) {
  // A visit stands for all it reached, so of many small lists most are new.
  std::vector<VisitIndex>& mine = reached_.visits;
  std::size_t before = mine.size();
  mine.insert(mine.end(), visits.begin(), visits.end());
  if (before > 0 && !visits.empty()) {
    seen_.resize(visits_.size(), 0);
    ++stamp_;
    auto repeated = std::ranges::remove_if(
        mine, [&](VisitIndex v) { return std::exchange(seen_[v], stamp_) == stamp_; });
    mine.erase(repeated.begin(), repeated.end());
  }
  for (const MissingInclude& m : missing) reached_.add(m);
}

void Preprocessor::Walk::Reached::add(const MissingInclude& include) {
  if (std::ranges::find(missing, include.name, &MissingInclude::name) == missing.end())
    missing.push_back(include);
}

const Outcomes& live_in(const FileResult& result, std::uint32_t arm) {
  return arm == kNone ? result.live : result.arms[arm].live;
}

Preprocessor::Preprocessor(const value::World& world, Pass pass, Loader loader, Absent absent)
    : walk_(std::make_unique<Walk>(world, pass, std::move(loader), std::move(absent))) {}
Preprocessor::~Preprocessor() = default;
Preprocessor::Preprocessor(Preprocessor&&) noexcept = default;
Preprocessor& Preprocessor::operator=(Preprocessor&&) noexcept = default;

std::optional<UnitResult> Preprocessor::walk(const Unit& unit) { return walk_->unit(unit); }
const FileResult* Preprocessor::result(std::string_view path) const { return walk_->result(path); }
const FileResult* Preprocessor::result(std::string_view path,
                                       const std::vector<std::uint32_t>& visits) const {
  return walk_->result(path, visits);
}

FileResult evaluate_file(FileText file, const value::World& world, Pass pass) {
  const std::string path = "file";
  Preprocessor alone(world, pass, [&](const std::string& wanted) -> std::optional<FileText> {
    if (wanted != path) return std::nullopt;
    return file;
  });
  alone.walk({path, {}, {}});
  return *alone.result(path);
}

}  // namespace ungate::cuda

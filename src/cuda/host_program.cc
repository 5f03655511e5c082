#include "cuda/host_program.h"

#include "cuda/host_expression.h"

namespace ungate::cuda {
namespace {

constexpr int kDeepest = 24;             // functions inside each other
constexpr std::size_t kMostDefinitions = 8;   // of one name: more are too common to be followed
constexpr std::size_t kMostCallers = 24;
constexpr std::size_t kMostWrites = 24;
constexpr std::size_t kLongest = 6000;   // tokens of a function that is run for what it gives

HostValue open() { return {{HostScalar(HostNumbers{})}}; }

HostValue item(const HostValue& v, int i) {
  if (i < 0) return v;
  auto at = static_cast<std::size_t>(i);
  return v.items.size() > 1 && at < v.items.size() ? HostValue{{v.items[at]}} : open();
}

bool differs(const HostValue& v) {
  return std::ranges::any_of(v.items, [](const HostScalar& s) { return !s.uniform(); });
}

std::vector<Symbol> names_of(const auto& by_name) {
  std::vector<Symbol> out;
  for (const auto& [name, what] : by_name) out.push_back(name);
  std::ranges::sort(out);
  return out;
}

}  // namespace

// Names that say nothing of what they stand for.
bool HostProgram::State::is_too_common(std::string_view name) const {
  return name.size() < 2 || is_one_of(v.common, name);
}

void HostProgram::State::add(const std::string& path, std::string_view text,
                             const Directives& directives, const Structure& structure) {
  for (const File& f : files_) {
    if (f.path == path) return;
  }
  auto file = static_cast<std::uint32_t>(files_.size());
  File entry{path, text, &structure,
             static_cast<HostFunctionId>(functions_.size()), 0};
  for (HostFunction& f : host_functions(text, directives, structure, v)) {
    f.file = file;
    functions_.push_back(std::move(f));
  }
  entry.last = static_cast<HostFunctionId>(functions_.size());
  files_.push_back(std::move(entry));
  for (HostFunctionId id = files_.back().first; id < files_.back().last; ++id) {
    HostFunction& f = functions_[id];
    if (f.function != kNone) by_name_[structure.functions[f.function].name].push_back(id);
    for (const auto& [name, writes] : f.writes) {
      for (std::uint32_t w = 0; w < writes.size(); ++w) {
        bool field = writes[w].target == HostWrite::Target::assigned;
        if (f.function == kNone) globals_[name].emplace_back(id, w);
        else if (field && !defines(id, name)) field_writes_[name].emplace_back(id, w);
      }
    }
    for (Symbol name : f.properties) property_names_.insert(name);
    index_calls(id);
  }
  results_.clear(), cells_.clear(), parameters_.clear(), written_.clear(), is_properties_.clear();
}

void HostProgram::State::index_calls(HostFunctionId id) {
  const HostFunction& f = functions_[id];
  for (std::size_t i = f.body; i + 1 < f.l.size(); ++i) {
    if (!f.l[i].is_identifier()) continue;
    bool call = f.l[i + 1].is("(") ||
                (f.l[i + 1].is("<") && after_angles(f.l, i + 1, f.l.size()) != i + 1);
    if (call) calls_[Symbol(f.l[i].text)].push_back({id, static_cast<std::uint32_t>(i)});
  }
}

const Function* HostProgram::State::declared(HostFunctionId id) const {
  const HostFunction& f = functions_[id];
  return f.function == kNone ? nullptr : &files_[f.file].structure->functions[f.function];
}

// A parameter, or a variable declared in the function.
bool HostProgram::State::defines(HostFunctionId id, Symbol name) const {
  const HostFunction& f = functions_[id];
  if (const Function* fn = declared(id)) {
    if (std::ranges::find(fn->parameter_names, name) != fn->parameter_names.end()) return true;
  }
  auto found = f.writes.find(name);
  return found != f.writes.end() && std::ranges::any_of(found->second, [](const HostWrite& w) {
    return w.target == HostWrite::Target::local;
  });
}

HostValue HostProgram::State::result(HostFunctionId id) {
  auto [entry, fresh] = results_.try_emplace(id, std::nullopt);
  if (!fresh) return entry->second.value_or(open());
  HostValue out = open();
  if (depth_ < kDeepest && functions_[id].l.size() <= kLongest) {
    ++depth_;
    HostRun run(*this, id, nullptr);
    run.block(functions_[id].body, arch::all_devices());
    if (!run.returned().items.empty()) out = run.returned();
    --depth_;
  }
  results_[id] = out;
  return out;
}

HostValue HostProgram::State::call(Symbol name) {
  auto found = by_name_.find(name);
  if (found == by_name_.end() || found->second.size() > kMostDefinitions || is_too_common(name.text())) {
    for (const auto& f : v.functions) {
      if (f.name == name.text()) return host_fact(f.fact);
    }
    return open();
  }
  HostValue out = result(found->second.front());
  for (HostFunctionId f : found->second) out = join(out, result(f));
  return out.items.empty() ? open() : out;
}

HostValue HostProgram::State::written(HostFunctionId id, const HostWrite& w) {
  if (w.fact) return host_fact(*w.fact);
  auto [entry, fresh] = written_.try_emplace(&w, std::nullopt);
  if (!fresh) return entry->second.value_or(open());
  if (depth_ >= kDeepest) {
    written_.erase(entry);
    return open();
  }
  ++depth_;
  HostExpression e(*this, id, arch::all_devices(), nullptr);
  HostValue out = item(e.value(w.begin, w.end, HostChoice::Position::argument), w.item);
  --depth_;
  written_[&w] = out;
  return out;
}

HostValue HostProgram::State::name(HostFunctionId id, Symbol name, std::size_t at) {
  const HostFunction& f = functions_[id];
  const Function* fn = declared(id);
  HostValue out;
  bool any = false;
  auto add = [&](const HostValue& value) {
    out = any ? join(out, value) : value;
    any = true;
  };
  auto writes = f.writes.find(name);
  if (f.function != kNone && writes != f.writes.end()) {
    // Backwards, up to one that surely happened.
    const auto& list = writes->second;
    for (std::size_t i = list.size(); i-- > 0;) {
      if (list[i].at >= at || (list[i].end > at && list[i].begin <= at)) continue;
      add(written(id, list[i]));
      if (f.blocks->encloses(f.blocks->of(list[i].at), f.blocks->of(at))) return out;
    }
  }
  if (fn != nullptr) {
    auto parameter_at = std::ranges::find(fn->parameter_names, name);
    if (parameter_at != fn->parameter_names.end()) {
      add(parameter(id, static_cast<std::size_t>(parameter_at - fn->parameter_names.begin())));
      return out;
    }
  }
  if (any && defines(id, name)) return out;
  add(cell(name, false));
  return out;
}

HostValue HostProgram::State::by_convention(Symbol name) const {
  for (const auto& p : v.parameters) {
    if (p.name == name.text()) return host_fact(p.fact);
  }
  return open();
}

// What the callers pass.
HostValue HostProgram::State::parameter(HostFunctionId id, std::size_t index) {
  auto [entry, fresh] = parameters_.try_emplace({id, index}, std::nullopt);
  if (!fresh) return entry->second.value_or(open());
  const Function& fn = *declared(id);
  HostValue out;
  bool any = false, closed = false;
  auto sites = calls_.find(fn.name);
  bool few = sites != calls_.end() && sites->second.size() <= kMostCallers;
  if (few && depth_ < kDeepest && !is_too_common(fn.name.text())) {
    ++depth_;
    for (const CallSite& site : sites->second) {
      const Lexemes& l = functions_[site.in].l;
      std::size_t paren = site.at + 1;
      if (l[paren].is("<")) paren = after_angles(l, paren, l.size());
      if (paren >= l.size() || !l[paren].is("(")) continue;
      auto args = split_arguments(l, paren + 1, after_brackets(l, paren, l.size()) - 1);
      if (args.size() != fn.parameter_names.size()) continue;
      HostExpression e(*this, site.in, arch::all_devices(), nullptr);
      HostValue passed = e.value(args[index].first, args[index].second, HostChoice::Position::argument);
      closed = closed || !is_open(passed);
      out = any ? join(out, passed) : passed;
      any = true;
    }
    --depth_;
  }
  if (!closed) out = by_convention(fn.parameter_names[index]);
  parameters_[{id, index}] = out;
  return out;
}

HostValue HostProgram::State::cell(Symbol name, bool object) {
  auto [entry, fresh] = cells_.try_emplace({name, object}, std::nullopt);
  if (!fresh) return entry->second.value_or(open());
  auto fields = field_writes_.find(name);
  auto globals = globals_.find(name);
  // A field's first value matters only where nothing else is written.
  const auto* writes = fields != field_writes_.end() ? &fields->second
                       : globals != globals_.end()   ? &globals->second
                                                     : nullptr;
  HostValue out;
  bool any = false;
  if (writes != nullptr && writes->size() <= kMostWrites && !is_too_common(name.text())) {
    for (auto [id, w] : *writes) {
      const HostWrite& write = functions_[id].writes.at(name)[w];
      if (object && !write.object) continue;
      HostValue value = written(id, write);
      out = any ? join(out, value) : value;
      any = true;
    }
  }
  if (!any || out.items.empty()) out = open();
  cells_[{name, object}] = out;
  return out;
}

bool HostProgram::State::is_properties(HostFunctionId id, Symbol name) {
  auto [entry, fresh] = is_properties_.try_emplace({id, name}, false);
  if (fresh) entry->second = find_properties(id, name);
  return entry->second;
}

bool HostProgram::State::find_properties(HostFunctionId id, Symbol name) const {
  const HostFunction& f = functions_[id];
  if (std::ranges::find(f.properties, name) != f.properties.end()) return true;
  auto holds_call = [&](const HostFunction& in, const HostWrite& w) {
    for (std::size_t i = w.begin; i < w.end; ++i) {
      if (is_one_of(v.property_calls, in.l[i].text)) return true;
    }
    return false;
  };
  auto writes = f.writes.find(name);
  if (writes != f.writes.end()) {
    for (const HostWrite& w : writes->second) {
      if (holds_call(f, w)) return true;
    }
  }
  return property_names_.contains(name) && !defines(id, name);
}

std::vector<Symbol> HostProgram::State::derived() {
  std::set<Symbol> out;
  // What is asked first counts where functions call each other in circles: always in the same order.
  for (Symbol name : names_of(by_name_)) {
    if (is_too_common(name.text()) || by_name_.at(name).size() > kMostDefinitions) continue;
    if (differs(call(name))) out.insert(name);
  }
  for (Symbol name : names_of(field_writes_)) {
    if (differs(cell(name, false)) || differs(cell(name, true))) out.insert(name);
  }
  // Fields of the device's properties are found where they are asked for.
  for (const auto& field : v.property_fields) out.erase(Symbol(field.name));
  return {out.begin(), out.end()};
}

HostChoices HostProgram::State::choices(const std::string& path) {
  HostChoices out;
  auto file = std::ranges::find(files_, path, &File::path);
  if (file == files_.end()) return out;
  for (HostFunctionId id = file->first; id < file->last; ++id) {
    if (functions_[id].function == kNone) continue;
    HostRecorder recorder;
    recorder.out = &out;
    recorder.function = functions_[id].function;
    HostRun(*this, id, &recorder).block(functions_[id].body, arch::all_devices());
  }
  std::vector<HostChoice> merged;
  std::ranges::stable_sort(out.list, {}, [](const HostChoice& c) { return std::pair(c.range.begin, c.range.end); });
  for (const HostChoice& c : out.list) {
    if (!merged.empty() && merged.back().range == c.range) {
      merged.back().outcome |= c.outcome;
      merged.back().alive |= c.alive;
    } else {
      merged.push_back(c);
    }
  }
  out.list = std::move(merged);
  return out;
}

HostProgram::HostProgram(const HostVocabulary& vocabulary) : state_(std::make_unique<State>(vocabulary)) {}
HostProgram::~HostProgram() = default;
HostProgram::HostProgram(HostProgram&&) noexcept = default;
HostProgram& HostProgram::operator=(HostProgram&&) noexcept = default;

void HostProgram::add(const std::string& path, std::string_view text, const Directives& directives,
                      const Structure& structure) {
  state_->add(path, text, directives, structure);
}
std::vector<Symbol> HostProgram::derived() { return state_->derived(); }
HostChoices HostProgram::choices(const std::string& path) { return state_->choices(path); }

}  // namespace ungate::cuda

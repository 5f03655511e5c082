#include "python/evaluate.h"

#include <fmt/core.h>

#include "base/parallel.h"

#include "python/interpreter.h"

namespace ungate::python {

WordSet seed_words(const Knowledge& k) {
  WordSet words;
  auto add_last = [&](Symbol dotted) {
    std::string_view name = dotted.text();
    name.remove_prefix(name.rfind('.') + 1);
    if (!k.common.contains(Symbol(name))) words.add(name);
  };
  for (const auto& [name, gives] : k.calls) add_last(name);
  for (const auto& [name, gives] : k.elsewhere) add_last(name);
  for (const auto& [name, gives] : k.functions) add_last(name);
  for (const auto& [name, gives] : k.annotations) {
    // A parameter is looked for by its function.
    std::string_view owner = name.text().substr(0, std::min(name.text().rfind('.'), name.text().size()));
    words.add(owner.substr(owner.rfind('.') + 1));
  }
  for (const auto& [name, gives] : k.compared) {
    if (!k.common.contains(name)) words.add(name.text());
  }
  for (const Sink& sink : k.sinks) words.add(sink.name.text());
  for (Symbol name : k.captures) add_last(name);
  for (const std::string& seed : k.seeds) words.add(std::string_view(seed).substr(seed.rfind('.') + 1));
  return words;
}

Evaluation::Evaluation(Program& program, const Knowledge& knowledge, const value::World& world)
    : program_(program), words_(seed_words(knowledge)), fresh_(words_), interpreter_(std::make_unique<Interpreter>(program, knowledge, world)) {}

Evaluation::~Evaluation() = default;

std::vector<DerivedWord> Evaluation::run(const std::vector<ModuleId>& modules, unsigned threads) {
  parallel_for(modules.size(), threads, [&](std::size_t i) { program_.prepare(modules[i], fresh_); });
  interpreter_->start_round(words_, fresh_);
  for (ModuleId module : modules) interpreter_->run_module(module);
  std::vector<DerivedWord> words;
  fresh_ = WordSet();
  for (Derived derived : interpreter_->take_derived_names()) {
    WordHash word = hash_word(derived.name.text());
    if (derived.as == Derived::As::attribute) word = as_attribute(word);
    words.push_back({word, derived.package});
    words_.insert(word);
    fresh_.insert(word);
  }
  return words;
}

bool Evaluation::only_logs(const Tree& tree, NodeId node) const { return interpreter_->only_logs(tree, node); }

void Evaluation::watch(ModuleId module, std::uint32_t offset) { interpreter_->watch(module, offset); }

std::optional<Reached> Evaluation::reached() const { return interpreter_->reached(); }

const std::vector<Choice>& Evaluation::choices() const { return interpreter_->choices; }
const std::vector<Condition>& Evaluation::conditions() const { return interpreter_->conditions; }
const std::vector<Chain>& Evaluation::chains() const { return interpreter_->chains; }
const std::vector<Capture>& Evaluation::captures() const { return interpreter_->captures; }
const std::vector<Reading>& Evaluation::readings() const { return interpreter_->readings; }

std::vector<std::pair<Place, std::string>> Evaluation::problems() const {
  std::vector<std::pair<Place, std::string>> out;
  for (const auto& p : interpreter_->problems) out.emplace_back(p.place, p.what);
  return out;
}

std::optional<Place> Evaluation::definition(ModuleId module, Symbol name) {
  return interpreter_->definition_of(interpreter_->global(module, name));
}

std::optional<Place> Evaluation::attribute_definition(ModuleId module, Symbol base, Symbol name) {
  return interpreter_->definition_of(interpreter_->static_attribute(interpreter_->global(module, base), name));
}

std::optional<Place> Evaluation::imported(ModuleId module, source::Range statement, Symbol name) {
  return interpreter_->definition_of(interpreter_->import_in(module, statement, name));
}

std::unordered_set<Symbol> Evaluation::made_names() const { return interpreter_->made_names(); }

value::Lifted Evaluation::global(ModuleId module, std::string_view name) {
  return interpreter_->global(module, Symbol(name));
}

value::Lifted Evaluation::field(ModuleId module, std::string_view name, std::string_view field) {
  Frame frame;
  frame.module = module;
  return interpreter_->attribute(global(module, name), Symbol(field), frame, value::Values::all());
}

value::Lifted Evaluation::call(ModuleId module, std::string_view name) {
  Frame frame;
  frame.module = module;
  return interpreter_->call(global(module, name), {}, frame, value::Values::all());
}

const value::Store& Evaluation::store() const { return interpreter_->store(); }
const value::LiftedStore& Evaluation::lifted() const { return interpreter_->lifted(); }

std::string Evaluation::statistics() const {
  const auto& s = interpreter_->statistics;
  return fmt::format("{} functions, {} runs, {} expressions, {} calls from memory, {} values", s.functions, s.runs,
                     s.expressions, s.cached_calls, interpreter_->store().size());
}

}  // namespace ungate::python

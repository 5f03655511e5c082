// The abstract interpreter (internal to python/; the interface is evaluate.h).
//
// Python is run on all devices at once: variables hold Lifted values, statements run under a mask of the
// devices that reach them. `if` splits the mask, return, raise and assert subtract from it. Calls of
// functions whose text is at hand are run, memoised by their arguments; everything else is unknown by
// name. The files: memory.h what is remembered, exec.cc statements, eval.cc expressions, condition.cc
// conditions and choices, compare.cc comparisons, rich_compare.cc those of objects, call.cc calls, sinks.cc
// and requirements.cc lists and bounds of devices, names.cc modules and names, classes.cc classes and
// attributes, stored.cc what is made once, builtins.cc, methods.cc and external.cc what Python and other
// packages provide.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

#include "python/choice.h"
#include "python/evaluate.h"
#include "python/knowledge.h"
#include "python/memory.h"
#include "python/program.h"
#include "python/words.h"
#include "value/lifted.h"
#include "value/operators.h"

namespace ungate::python {

// Adds the devices that a -gencode flag builds code for; false for any other flag (gencode.cc).
bool gencode_devices(std::string_view flag, DeviceSet& out);

class Interpreter : InterpreterMemory {
 public:
  Interpreter(Program& program, const Knowledge& knowledge, const value::World& world);

  // A round looks at everything that mentions one of the words; the set outlives the round.
  // `fresh`: those of them that earlier rounds did not look for.
  void start_round(const WordSet& words, const WordSet& fresh);
  // Runs what mentions a word in a module; returns how many statements that were.
  void run_module(ModuleId module);
  // Names that turned out to depend on the device since the last call.
  std::vector<Derived> take_derived_names();

  // A module's global, bound when asked for.
  Lifted global(ModuleId module, Symbol name);
  std::unordered_set<Symbol> made_names() const;
  Lifted call(Lifted callee, const Arguments& arguments, Frame& frame, DeviceSet mask);
  Lifted attribute(Lifted base, Symbol name, Frame& f, DeviceSet mask);

  // Where the function stands that a value is, on any device and alternative.
  std::optional<Place> definition_of(Lifted value) const;
  // An attribute of a module or class, without running anything for it.
  Lifted static_attribute(Lifted base, Symbol name);
  // What an import statement binds to a name.
  Lifted import_in(ModuleId module, source::Range statement, Symbol name);

  // See Evaluation.
  void watch(ModuleId module, std::uint32_t offset) { watch_ = {module, offset, {}}; }
  std::optional<Reached> reached() const;

  value::Store& store() { return s_; }
  value::LiftedStore& lifted() { return l_; }

  std::vector<Choice> choices;
  std::vector<Condition> conditions;
  std::vector<Chain> chains;
  std::vector<Capture> captures;
  std::vector<Reading> readings;
  struct Problem {
    Place place;
    std::string what;
  };
  std::vector<Problem> problems;
  struct Statistics {
    std::size_t functions = 0, runs = 0, expressions = 0, cached_calls = 0;
  } statistics;

  bool only_logs(const Tree& t, NodeId id) const;

 private:
  using Free_ = value::Free::Kind;
  using Pointwise = std::function<ValueId(std::span<const ValueId>)>;

  // Limits: measured to lose nothing on the packages that the rules were written for. A callee that holds
  // no word looked for and gets no device-dependent argument is run only if it is tiny.
  static constexpr std::size_t kUnroll = 12, kMaxItems = 256, kMaxCombinations = 64;
  static constexpr std::uint32_t kTiny = 20, kLong = 400;  // lines
  static constexpr std::uint32_t kDepth = 9, kRuns = 60, kContexts = 4;
  static constexpr std::size_t kFuel = 400'000;  // expressions a run

  // A class without attributes: an object of it is not None, and no more is known of it.
  static constexpr ClassId kSomething = 0;

  // watch.cc
  void note_reached(NodeId id, const Frame& f, DeviceSet mask);

  // exec.cc
  DeviceSet exec_block(NodeId block, Frame& f, DeviceSet mask);
  DeviceSet exec(NodeId id, Frame& f, DeviceSet mask);
  DeviceSet exec_if(NodeId id, Frame& f, DeviceSet mask);
  DeviceSet left_for_later(const Frame& f) const;
  DeviceSet exec_assert(NodeId id, Frame& f, DeviceSet mask);
  DeviceSet exec_match(NodeId id, Frame& f, DeviceSet mask);
  Outcome match_pattern(NodeId pattern, Lifted subject, Frame& f, DeviceSet mask);
  DeviceSet exec_for(NodeId id, Frame& f, DeviceSet mask);
  DeviceSet exec_while(NodeId id, Frame& f, DeviceSet mask);
  DeviceSet exec_try(NodeId id, Frame& f, DeviceSet mask);
  DeviceSet exec_with(NodeId id, Frame& f, DeviceSet mask);
  void assign(NodeId target, Lifted value, Frame& f, DeviceSet mask);
  void assign_name(Symbol name, Lifted value, Frame& f, DeviceSet mask);
  void unpack(NodeId target, Lifted value, Frame& f, DeviceSet mask);
  Lifted set_item(Lifted base, Lifted key, Lifted value);
  void merge_slots(Frame& f, DeviceSet mine, const std::vector<Lifted>& other, DeviceSet theirs);
  void forget_assigned(NodeId id, Frame& f, DeviceSet mask);

  // condition.cc
  Outcome condition(NodeId expr, Frame& f, DeviceSet mask, const Arms& arms);
  // correlated.cc
  static bool is_flag(const Tree& t, NodeId id);
  std::optional<ModuleId> flag_module(const Tree& t, NodeId flag, Frame& f);
  std::optional<ModuleId> giver(ModuleId id, Symbol name, int depth);
  Lifted given_what_holds(NodeId flag, Lifted value, Frame& f);
  Lifted condition_value(NodeId expr, Frame& f, DeviceSet mask, Want want, Whole& whole);
  Lifted eval_whole(NodeId expr, Frame& f, DeviceSet mask);
  Lifted eval_returned(NodeId expr, Frame& f, DeviceSet mask);
  ValueId connect(bool conjunction, ValueId a, ValueId b);
  ValueId negate(ValueId v);
  void refine(NodeId expr, bool holds, Frame& f, DeviceSet mask);

  // arms.cc
  Symbol literal_text(const Tree& t, NodeId id) const;
  bool warns(const Tree& t, NodeId id) const;
  bool complains(const Tree& t, NodeId call, Symbol& text) const;
  bool gives_reason(const Tree& t, NodeId value, Symbol& text) const;
  bool is_parameter(const Tree& t, NodeId name) const;
  bool calls_fallback(const Tree& t, NodeId value) const;
  Refusal refusal_of(const Tree& t, NodeId block, Symbol& type, Symbol& text) const;
  const Arms& judge_arms(const Tree& t, NodeId body, NodeId orelse);
  Arms read_arms(const Tree& t, NodeId body, NodeId orelse) const;
  bool handles(const Tree& t, NodeId handler, Symbol type) const;
  void describe_raise(NodeId exception, Frame& f);
  std::pair<std::uint32_t, std::uint32_t> chain_of(NodeId id, const Frame& f);
  void record_arm(std::uint32_t chain, std::uint32_t arm, const Tree& t, NodeId test, const Outcome& outcome,
                  DeviceSet mask, const Arms& arms);
  Symbol last_of(ModuleId module, const Tree& t, NodeId block) const;

  // choices.cc
  void record(NodeId expr, Lifted value, Frame& f, DeviceSet mask, Want want, Whole* whole,
              const std::vector<Place>& via);
  void record_refusing_call(NodeId id, Lifted callee, const Arguments& arguments, Lifted out, Frame& f, DeviceSet mask);
  void record_lookup(NodeId id, Lifted callee, const Arguments& arguments, Frame& f, DeviceSet mask);
  void record_missing_key(NodeId id, Lifted container, Lifted key, Lifted out, Frame& f, DeviceSet mask);
  Outcome choice_outcome(Lifted value);
  bool is_choice(Lifted value, DeviceSet mask, bool needs_truth);
  struct Says {
    bool device = false, chosen = false;
  };
  Says what_it_says(Lifted operand) const;
  bool is_intermediate(Lifted operand) const;
  std::int64_t asked_bytes(Lifted a, Lifted b) const;
  void note_bound(NodeId id, Lifted left, Lifted right, const Frame& f);
  void run_bounds(ClassId klass);
  void record_bound(ClassId klass, const Bound& bound, const Tree& t, NodeId value);
  std::pair<Callable, std::vector<Lifted>> generic_call(FunctionId function, ClosureId closure, ClassId klass);
  bool names_device(Lifted key) const;
  void join_uniform_rounds(const std::vector<UniformRound>& rounds, const Frame& f);
  void note_refusal(const Frame& f, DeviceSet refused);
  void note_chosen_field(Lifted object, Symbol name, Lifted value, const Place& place, const Frame& f);
  void note_field_read(Lifted object, Symbol name, Frame& f) const;
  void note_answer(NodeId target, NodeId value, Frame& f);
  bool answers_call(NodeId expr, Want want, const Whole& whole, const Frame& f);
  void reassign(NodeId target, Lifted changed, Frame& f, DeviceSet mask);
  bool set_by_exits(NodeId expr, const Frame& f) const;
  bool set_by_arms(NodeId expr, Lifted value, Want want, const Frame& f) const;
  DeviceSet unnamed(Lifted value);
  void add_deciders(Choice& c, Lifted value, DeviceSet mask);
  Choice& choice_at(NodeId expr, const Frame& f);
  std::uint32_t condition_at(NodeId root, const Frame& f, Want want);

  // sinks.cc
  bool named_fact(const Tree& t, NodeId callee_node, Lifted callee, Lifted& out);
  Lifted unrecorded(NodeId id, Frame& f, DeviceSet mask);
  void record_fixed(NodeId call, const Sink& sink, Frame& f, DeviceSet mask);
  void record_sinks(NodeId call, Lifted result, Frame& f, DeviceSet mask);
  void record_decorators(const Function& fn);
  void record_decorator(NodeId decorator, Symbol decorated, Frame& f);
  void record_sink(NodeId at, const Sink& sink, DeviceSet refused, Frame& f, DeviceSet mask);
  std::optional<DeviceSet> listed_devices(ValueId list, Sink::Lists kind);

  // requirements.cc
  bool may_be_ours(ValueId vendors, const Sink& bound) const;
  std::optional<std::pair<std::int64_t, std::int64_t>> bound_of(ValueId v, bool most);
  void record_requirement(NodeId call, Frame& f, DeviceSet mask, Symbol decorated);
  void record_requirements(NodeId id, Frame& f, Symbol decorated);

  // gencode.cc
  struct FixedFlags {
    std::vector<NodeId> places;            // where they come in
    DeviceSet devices;                     // that one of them builds for
    std::vector<std::uint32_t> variables;  // looked at already
  };
  void record_gencode(NodeId flags, const Sink& sink, Frame& f, DeviceSet mask);
  void find_gencode(NodeId id, Frame& f, DeviceSet mask, FixedFlags& found);
  void find_assigned(std::uint32_t slot, Frame& f, DeviceSet mask, FixedFlags& found);

  // eval.cc
  Lifted unknown(Free_ kind, std::string_view name);
  std::string attribute_name(ClassId klass, Symbol name) const;  // "Class.name"
  Lifted eval(NodeId id, Frame& f, DeviceSet mask);
  Lifted passed(NodeId id, Choice::Position as, Frame& f, DeviceSet mask);
  Lifted eval_raw(NodeId id, Frame& f, DeviceSet mask);
  Lifted operand(NodeId id, Frame& f, DeviceSet mask);
  Lifted eval_constant(const Tree& t, NodeId id);
  Lifted eval_fstring(NodeId id, Frame& f, DeviceSet mask);
  Lifted eval_subscript(NodeId id, Frame& f, DeviceSet mask);
  Lifted eval_conditional(NodeId id, Frame& f, DeviceSet mask);

  // compare.cc
  Lifted eval_compare(NodeId id, Frame& f, DeviceSet mask);
  Lifted compare_lifted(value::Comparison op, Lifted a, Lifted b);
  Lifted compared_fact(const Tree& t, NodeId operand, Lifted left, Lifted right);
  Lifted compared_capability(bool first, Lifted left, ValueId other);
  bool asks_presence(value::Comparison op, Lifted a, Lifted b, bool handed_over) const;
  // rich_compare.cc
  Lifted compare_objects(value::Comparison op, Lifted a, Lifted b, Frame& f, DeviceSet mask);
  Lifted find_object(value::Comparison op, Lifted a, Lifted b);
  bool holds_object(Lifted v) const;
  std::optional<Lifted> by_method(value::Comparison op, Lifted a, Lifted b, Frame& f, DeviceSet mask);
  ValueId fields_of(ValueId object);

  // containers.cc
  Lifted eval_items(NodeId id, Kind kind, Frame& f, DeviceSet mask);
  Lifted eval_dict(NodeId id, Frame& f, DeviceSet mask);
  Lifted eval_comprehension(NodeId id, Frame& f, DeviceSet mask);
  void comprehend(NodeId id, std::size_t at, Frame& f, DeviceSet mask, Lifted& out);
  Lifted append(Lifted list, Lifted item, DeviceSet where);
  Lifted extend(Lifted list, Lifted more, DeviceSet where);
  Lifted with_entry(Lifted dict, Lifted key, Lifted value);

  // lift.cc
  Lifted on_each_shallow(std::initializer_list<Lifted> operands, const Pointwise& f);
  Lifted on_each_shallow(std::span<const Lifted> operands, const Pointwise& f);
  Lifted on_each(std::initializer_list<Lifted> operands, const Pointwise& f);
  Lifted on_each(std::span<const Lifted> operands, const Pointwise& f);
  void note_absent(Lifted value, Frame& f, DeviceSet mask);
  std::optional<std::size_t> known_length(Lifted iterable, DeviceSet mask);
  Lifted item_at(Lifted iterable, std::size_t i);
  Lifted element_of(Lifted iterable);
  bool depends_on_device(Lifted v) const;

  // names.cc
  const Scope& scope_of(const Frame& f) const { return f.tree->scopes[f.scope]; }
  Lifted name(NodeId id, Frame& f, DeviceSet mask);
  Lifted class_name(Symbol name, Frame& f);
  Lifted global_from(Frame& f, Symbol name);
  Lifted bind_global(ModuleId id, Symbol name);
  ValueId unsettled(ValueId v);
  std::optional<Symbol> made_class(ModuleId id, Symbol name) const;
  bool made_object(ModuleId id, Symbol name, Lifted& out);
  bool exports(ModuleId id, Symbol name, int depth = 0);
  Lifted bind_piece(ModuleId id, std::uint32_t index, Symbol name);
  Lifted global_at(const Frame& f, Symbol name);
  Lifted bound_before(ModuleId id, std::uint32_t index, Symbol name);
  void run_piece(ModuleId id, std::uint32_t index);
  std::optional<ModuleId> find_module(Symbol dotted) const;
  ValueId module_value(Symbol dotted);
  Lifted import_alias(const Tree& t, NodeId statement, NodeId alias, ModuleId from);
  ValueId builtin_name(Symbol name);

  // definitions.cc
  FunctionId function_of(ModuleId module, const Tree& tree, NodeId node, ClassId klass, Symbol outer);
  FunctionId function_at(ModuleId module, const Statement& statement, ClassId klass);
  void note_binding(Function& fn, std::string_view decorator) const;
  const Function& read(FunctionId id);
  Frame definition_frame(const Function& fn) const;
  Lifted default_of(FunctionId id, std::size_t param);
  bool take_defaults(FunctionId function, std::vector<Lifted>& slots);
  bool worth_running(const Function& fn, std::span<const Lifted> slots);
  bool is_stub(const Tree& t, NodeId body) const;
  ClosureId capture(const Frame& f, const Scope& inner);
  ClosureId intern_closure(Closure closure);
  CallableId intern_callable(Callable callable);
  Lifted define_function(NodeId id, Frame& f);
  bool derive(Symbol name, Derived::As as, ModuleId module);
  bool answers_by_device(Lifted function, Frame& f);
  void problem(const Frame& f, source::Range range, std::string what);
  void note_errors(ModuleId module, const Tree& tree);

  // classes.cc
  ClassId class_of_piece(ModuleId id, std::uint32_t index);
  void read_header(ClassId klass, const Statement& statement, Frame& f);
  void note_field(Klass& k, std::string_view line);
  void note_decorator(Klass& k, std::string_view decorator);
  void set_bases(ClassId klass, std::vector<ValueId> bases);
  Lifted define_class(NodeId id, Frame& f);
  void bound_names(const Tree& t, NodeId id, std::vector<Symbol>& out) const;
  bool own_attribute(ClassId klass, Symbol name, Lifted& out);
  const std::vector<std::uint32_t>& writers_of(ClassId klass, Symbol name);
  Lifted with_stored(ClassId klass, Symbol name, Lifted initial);
  Lifted stored_by(ClassId klass, FunctionId method, Symbol name, Lifted not_known);
  void note_stored(Lifted base, Symbol name, Lifted value, DeviceSet mask);
  Lifted after_writers(Lifted initial, Lifted stored);
  bool stores_there(ClassId klass, Symbol name, const Frame& f);
  Lifted rebind(ModuleId id, Symbol name, Lifted initial);
  Lifted with_rebound(ModuleId id, Symbol name, Lifted initial);
  std::optional<FunctionId> function_around(ModuleId id, std::uint32_t offset);
  void note_stored(ModuleId module, Symbol name, Lifted value, DeviceSet mask);
  Lifted found_by_itself(Lifted stored);
  void run_member(ClassId klass, std::uint32_t index);
  bool class_attribute(ClassId klass, Symbol name, Lifted& out, std::size_t after = 0);
  ClassId class_of(ValueId v) const;

  // attributes.cc
  Lifted eval_attribute(NodeId id, Frame& f, DeviceSet mask);
  Lifted super_attribute(Symbol name, Frame& f, DeviceSet mask);
  Lifted attribute_of(ValueId v, Symbol name, Frame& f, DeviceSet mask);
  Lifted by_unique_name(ValueId unknown, Symbol name, Frame& f, DeviceSet mask);
  Lifted bind_attribute(Lifted attribute, Lifted receiver, bool on_class, Frame& f, DeviceSet mask);
  bool common_method(Lifted base, Symbol name, Lifted& method);
  Lifted module_attribute(ModuleId id, Symbol name);
  Lifted object_attribute(ValueId v, Symbol name, Frame& f, DeviceSet mask);
  bool class_getitem(Lifted container, Lifted key, Lifted& out);
  Lifted cell(ClassId klass, Symbol name);
  bool writes(std::string_view text, std::string_view pattern) const;
  std::vector<std::uint32_t> field_writers(ClassId klass, Symbol name);
  // answered.cc
  bool answered(ValueId object, Symbol name, Frame& f, DeviceSet mask, Lifted& out);
  Lifted own_field(Lifted object, Lifted name);
  void set_by_call(NodeId call, Lifted callee, const Arguments& arguments, Frame& f, DeviceSet mask);
  const std::vector<ClassId>& answering_classes(ModuleId id);
  void derive_answers(ModuleId id);
  Lifted written_by(ClassId klass, FunctionId method, Symbol name);
  FunctionId method_at(ClassId klass, std::uint32_t member);

  // call.cc
  Lifted eval_call(NodeId id, Frame& f, DeviceSet mask);
  void spread(Lifted value, Arguments& arguments);
  void spread_keywords(Lifted value, Arguments& arguments);
  void note_callee(Lifted callee, Frame& f);
  Lifted call_value(ValueId callee, const Arguments& arguments, Frame& f, DeviceSet mask);
  bool bind_arguments(const Callable& callable, const Arguments& arguments, std::vector<Lifted>& slots);
  Lifted call_function(CallableId id, const Arguments& arguments, Frame& f, DeviceSet mask);
  Lifted construct(ClassId klass, const Arguments& arguments);
  std::vector<Lifted> field_values(ClassId klass, const Arguments& arguments);

  Symbol captured_name(const Function& fn) const;
  void capture_call(const Callable& callable, const std::vector<Lifted>& slots, Frame& f, DeviceSet mask);

  // run.cc
  Lifted run(const Callable& callable, const std::vector<Lifted>& slots, bool emit,
             Lifted* receiver_after = nullptr);
  void emit_context(const Callable& callable, const std::vector<Lifted>& slots);
  Lifted run_generic(FunctionId function, ClosureId closure);
  ClassId concrete_class(ClassId klass);
  struct Received {
    Lifted receiver, answer;   // what the method leaves in it, and returns
  };
  Received run_for_receiver(FunctionId function, Lifted self);
  void run_inherited(ClassId klass);
  std::optional<Gives> parameter_fact(const Function& fn, Symbol name) const;
  NodeId fact_annotation(const Tree& t, NodeId annotation) const;
  Lifted annotated_fact(Symbol annotation, ModuleId module);
  ClassId capability_class(Symbol annotation, ModuleId module);
  bool mentions_derived(FunctionId id);
  bool asks_anew(FunctionId id);
  struct Noted {
    std::vector<std::pair<std::uint32_t, Choice>> choices;   // by index, as the others
    std::map<std::uint32_t, Condition> conditions;
    std::map<std::uint32_t, Chain> chains;
  };
  Noted lay_aside(const Function& fn);
  void put_back(Noted noted);
  void run_inner();
  void run_class(ClassId klass);

  // external.cc, library.cc
  Lifted device_fact(Gives gives);
  ValueId arch_member(int major, int minor, std::string_view suffix);
  ValueId product_name(arch::Device d);
  std::optional<ValueId> arch_member(std::string_view name);
  bool is_arch_member(ValueId v) const;
  bool lists_archs(const Klass& klass) const;
  Lifted at_least(const Arguments& arguments);
  bool known_function(const Function& fn, Lifted& out);
  bool below(const Knowledge::Set& set, std::string_view dotted) const;
  Lifted external_attribute(ValueId v, Symbol name);
  ValueId assumed(Symbol dotted, const value::Constant& otherwise);
  Lifted call_external(ValueId callee, const Arguments& arguments, Frame& f, DeviceSet mask);
  ValueId release_of(ValueId text);
  Lifted make_partial(const Arguments& arguments);
  void in_environment(value::Comparison op, Lifted name, Lifted container, Lifted& out);
  const value::Constant* environment(ValueId name, bool& known);
  bool standard_library(std::string_view dotted, const Arguments& arguments, Lifted& out);
  Lifted path_attribute(ValueId v, Symbol name);

  // builtins.cc
  std::optional<std::vector<ValueId>> items_of(ValueId v) const;
  ValueId any_all(bool any, ValueId v);
  ValueId to_integer(ValueId v);
  ValueId extreme(bool largest, std::vector<ValueId> items);
  ValueId sorted_list(ValueId v);
  ValueId range_list(std::span<const ValueId> v);
  ValueId zipped(std::string_view name, std::span<const ValueId> v);
  ValueId builtin_of_one(std::string_view name, ValueId x);
  void note_reading(Lifted path, const Frame& f);
  Lifted call_builtin(std::string_view name, const Arguments& arguments, Frame& f, DeviceSet mask);
  Lifted keyword_dict(const Arguments& arguments);
  Lifted map_call(Lifted function, Lifted iterable, Frame& f, DeviceSet mask);
  Lifted instance_of(Lifted object, Lifted type);
  ValueId instance_of_one(ValueId v, ValueId type);
  Lifted has_attribute(Lifted object, Lifted name);
  bool surely_has(ValueId object, Symbol name);
  Lifted get_attribute(const std::vector<Lifted>& args, Frame& f, DeviceSet mask);

  // methods.cc
  Lifted call_method(ValueId method, const Arguments& arguments);
  Lifted dict_get(Lifted dict, Lifted key, Lifted otherwise);
  ValueId string_method(std::string_view name, std::span<const ValueId> v);
  ValueId path_method(std::string_view name, std::span<const ValueId> v);
  ValueId dict_method(std::string_view name, ValueId dict);
  ValueId sequence_method(std::string_view name, std::span<const ValueId> v);
  void mutate_receiver(NodeId callee_node, Lifted callee, const Arguments& arguments, Frame& f, DeviceSet mask);
  Lifted updated(Lifted dict, Lifted more);

  Program& p_;
  const Knowledge& k_;
  const value::World& w_;
  value::Store s_;
  value::LiftedStore l_;
};

}  // namespace ungate::python

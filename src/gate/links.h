// Ties between gates (internal): which modules a gate leads to, what must be lifted together.
#pragma once

#include <map>
#include <memory>

#include "gate/analysis.h"

namespace ungate::gate {

// Backwards from a builder: who calls it, who calls that, and so on.
struct Route {
  struct Step {
    python::Routine routine;
    std::size_t from;    // index of the step that it calls
    Evidence edge;
    std::size_t depth;
  };
  struct Call {
    python::CallSite site;
    std::size_t step;    // that is called there
    Evidence edge;
  };
  std::vector<Step> steps;
  std::vector<Call> calls;  // in the order in which they were found
};
Route route_to(const JitModule& module, const python::Program& program, python::Callers& callers);

class Links {
 public:
  // `routes`: to the modules that a list shuts some target out of.
  Links(const Inputs& inputs, std::vector<Item>& items, const std::vector<JitModule>& modules,
        const std::map<std::size_t, Route>& routes, python::Callers& callers)
      : in_(inputs), items_(items), modules_(modules), routes_(routes), callers_(callers) {}

  void draw();

 private:
  void hold_builders();             // the builder function of a module holds these gates
  void lead_to(std::size_t module, const Route& route); // gates whose arms call, step by step, a module's builder
  void lead_forwards();             // gates that no shut module led to: what their arms call
  void use_definitions();           // flags and helpers and what repeats them
  void switch_on();                 // a setting that one gate's arm makes and another's condition reads
  void note_askers();               // uses of what other modules answer
  void inherit();                   // what a use leads to, its definition leads to
  void need();                      // needs edges
  void find_served();
  template <class F>
  void each_serving(python::ModuleId module, std::uint32_t offset, F&& f);
  void add_siblings();
  bool is_ahead(const Item& item) const;

  const Inputs& in_;
  std::vector<Item>& items_;
  const std::vector<JitModule>& modules_;
  const std::map<std::size_t, Route>& routes_;
  python::Callers& callers_;
  std::map<python::ModuleId, std::vector<std::pair<source::Range, ItemId>>> served_;
};

// Connected components of what needs or repeats each other get an id each; a gate on its own gets none.
void form_groups(std::vector<Item>& items);

}  // namespace ungate::gate

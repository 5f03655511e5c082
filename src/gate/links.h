// Ties between gates (internal): which modules a gate leads to, what must be lifted together.
#pragma once

#include <map>
#include <memory>

#include "gate/analysis.h"

namespace ungate::gate {

class Links {
 public:
  Links(const Inputs& inputs, std::vector<Item>& items, const std::vector<JitModule>& modules,
        const std::set<std::size_t>& shut, python::Callers& callers)
      : in_(inputs), items_(items), modules_(modules), shut_(shut), callers_(callers) {}

  void draw();

 private:
  void hold_builders();             // the builder function of a module holds these gates
  void lead_to(std::size_t module); // gates whose arms call, step by step, a module's builder
  void use_definitions();           // flags and helpers and what repeats them
  void switch_on();                 // a setting that one gate's arm makes and another's condition reads
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
  const std::set<std::size_t>& shut_;   // modules that a list shuts some target out of
  python::Callers& callers_;
  std::map<python::ModuleId, std::vector<std::pair<source::Range, ItemId>>> served_;
};

// Connected components of what needs or repeats each other get an id each; a gate on its own gets none.
void form_groups(std::vector<Item>& items);

}  // namespace ungate::gate

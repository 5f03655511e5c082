// The machinery of HostProgram: what names stand for, and running functions (internal).
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "cuda/host_text.h"

namespace ungate::cuda {

using HostFunctionId = std::uint32_t;

class HostProgram::State {
 public:
  explicit State(const HostVocabulary& vocabulary) : v(vocabulary) {}

  void add(const std::string& path, std::string_view text, const Directives& directives,
           const Structure& structure);
  std::vector<Symbol> derived();
  HostChoices choices(const std::string& path);

  // What a function gives, on every device; open while it is being run.
  HostValue result(HostFunctionId f);
  // What the functions of a name give.
  HostValue call(Symbol name);
  // A variable or field at a place.
  HostValue name(HostFunctionId f, Symbol name, std::size_t at);
  // A field of the class at hand or a variable outside of functions; a field of some other object,
  // for which only what was written through objects counts.
  HostValue cell(Symbol name, bool object);
  bool is_properties(HostFunctionId f, Symbol name);

  const HostFunction& function(HostFunctionId f) const { return functions_[f]; }
  const Function* declared(HostFunctionId f) const;
  bool defines(HostFunctionId f, Symbol name) const;

  const HostVocabulary& v;

 private:
  struct File {
    std::string path;
    std::string_view text;
    const Structure* structure;
    HostFunctionId first, last;  // its functions; the last one is what stands outside of them
  };
  struct CallSite {
    HostFunctionId in;
    std::uint32_t at;  // the lexeme of the name
  };

  HostValue written(HostFunctionId f, const HostWrite& w);
  HostValue parameter(HostFunctionId f, std::size_t index);
  HostValue by_convention(Symbol name) const;
  bool find_properties(HostFunctionId f, Symbol name) const;
  void index_calls(HostFunctionId f);
  bool is_too_common(std::string_view name) const;

  std::deque<File> files_;
  std::deque<HostFunction> functions_;
  std::unordered_map<Symbol, std::vector<HostFunctionId>> by_name_;
  std::unordered_map<Symbol, std::vector<std::pair<HostFunctionId, std::uint32_t>>> field_writes_, globals_;
  std::unordered_map<Symbol, std::vector<CallSite>> calls_;
  std::unordered_set<Symbol> property_names_;
  // What was asked already; nothing: being worked on.
  std::unordered_map<HostFunctionId, std::optional<HostValue>> results_;
  std::map<std::pair<Symbol, bool>, std::optional<HostValue>> cells_;
  std::map<std::pair<HostFunctionId, std::size_t>, std::optional<HostValue>> parameters_;
  std::unordered_map<const HostWrite*, std::optional<HostValue>> written_;
  std::map<std::pair<HostFunctionId, Symbol>, bool> is_properties_;
  int depth_ = 0;
};

}  // namespace ungate::cuda

#include "rules/python_rules.h"

#include <algorithm>
#include <array>

#include "rules/yaml.h"

namespace ungate::rules {
namespace {

using python::Gives;
using python::Sink;

template <class E, std::size_t N>
E choose(const Yaml& node, const std::array<std::pair<std::string_view, E>, N>& names) {
  std::string text = node.text();
  std::string known;
  for (const auto& [name, value] : names) {
    if (name == text) return value;
    known += (known.empty() ? "" : ", ") + std::string(name);
  }
  if (node.is_text()) node.fail("'" + text + "' is not one of " + known);
  return names[0].second;
}

constexpr std::array<std::pair<std::string_view, Gives>, 14> kGives{{
    {"capability", Gives::capability}, {"major", Gives::major}, {"minor", Gives::minor}, {"cc", Gives::cc},
    {"properties", Gives::properties}, {"smem_block", Gives::smem_block}, {"smem_sm", Gives::smem_sm},
    {"device_name", Gives::device_name}, {"at_least", Gives::at_least}, {"arch_texts", Gives::arch_texts},
    {"arch_name", Gives::arch_name}, {"arch_enum", Gives::arch_enum}, {"launch_limits", Gives::launch_limits},
    {"backend", Gives::backend}}};

constexpr std::array<std::pair<std::string_view, Sink::Lists>, 7> kLists{{
    {"majors", Sink::Lists::majors}, {"capabilities", Sink::Lists::capabilities},
    {"texts", Sink::Lists::texts}, {"gencode", Sink::Lists::gencode},
    {"least", Sink::Lists::least}, {"most", Sink::Lists::most}, {"one", Sink::Lists::one}}};

void add_names(const Yaml& list, python::Knowledge::Set& set) {
  for (const std::string& name : list.texts()) set.insert(Symbol(name));
}

void load_source(const Yaml& node, python::Knowledge& into) {
  node.allow({"call", "elsewhere", "function", "parameter", "annotation", "compared", "property", "enum", "gives", "source"});
  node.required("source");
  Gives gives = choose(node["gives"], kGives);
  int kinds = 0;
  auto add = [&](std::string_view key, auto& map) {
    if (!node[key].exists()) return;
    ++kinds;
    map[Symbol(node.required(key))] = gives;
  };
  add("call", into.calls);
  add("elsewhere", into.elsewhere);
  add("function", into.functions);
  add("parameter", into.annotations);
  add("annotation", into.annotations);
  add("compared", into.compared);
  add("property", into.properties);
  if (node["enum"].exists()) {
    ++kinds;
    into.enums.insert(Symbol(node.required("enum")));
    if (gives != Gives::arch_enum) node["gives"].fail("an enum gives arch_enum");
  }
  if (kinds != 1) node.fail("a source is exactly one of call, elsewhere, function, parameter, annotation, compared, property, enum");
}

}  // namespace

Status load_sources(std::string_view text, const std::string& file, python::Knowledge& into) {
  auto root = Yaml::parse(text, file);
  if (!root) return std::unexpected(root.error());
  root->allow({"sources", "identities", "world", "unset", "present", "missing", "opaque", "logging", "dataclasses", "fallbacks", "fallback_names", "reasons", "complaints", "warnings", "common", "seeds"});
  for (const Yaml& node : (*root)["sources"].items()) load_source(node, into);
  add_names((*root)["identities"], into.identities);
  for (const Yaml& node : (*root)["world"].items()) {
    node.allow({"name", "call", "value"});
    Symbol name(node.required("name"));
    if (!node["value"].exists()) node.fail("'value' is missing");
    into.constants[name] = node["value"].constant();
    if (node["call"].boolean().value_or(false)) into.constant_calls.insert(name);
  }
  for (const std::string& suffix : (*root)["unset"].texts()) into.unset_suffixes.push_back(suffix);
  add_names((*root)["present"], into.present);
  add_names((*root)["missing"], into.missing);
  add_names((*root)["opaque"], into.opaque);
  add_names((*root)["logging"], into.logging);
  if ((*root)["dataclasses"].exists()) add_names((*root)["dataclasses"], into.dataclasses);
  for (const std::string& words : (*root)["fallbacks"].texts()) into.fallbacks.push_back(words);
  for (const std::string& part : (*root)["fallback_names"].texts()) into.fallback_names.push_back(part);
  for (const std::string& part : (*root)["reasons"].texts()) into.reasons.push_back(part);
  if ((*root)["complaints"].exists()) add_names((*root)["complaints"], into.complaints);
  for (const std::string& prefix : (*root)["warnings"].texts()) into.warnings.push_back(prefix);
  add_names((*root)["common"], into.common);
  for (const std::string& seed : (*root)["seeds"].texts()) into.seeds.push_back(seed);
  return root->status();
}

Status load_sinks(std::string_view text, const std::string& file, python::Knowledge& into) {
  auto root = Yaml::parse(text, file);
  if (!root) return std::unexpected(root.error());
  root->allow({"sinks"});
  for (const Yaml& node : (*root)["sinks"].items()) {
    node.allow({"keyword", "decorator", "call", "lists", "vendors", "ours", "others", "form", "source"});
    Sink sink;
    sink.decorator = node["decorator"].exists();
    int kinds = node["keyword"].exists() + node["decorator"].exists() + node["call"].exists();
    if (kinds != 1) node.fail("a sink is exactly one of keyword, decorator, call");
    sink.name = Symbol(node.required(sink.decorator ? "decorator" : node["call"].exists() ? "call" : "keyword"));
    sink.lists = choose(node["lists"], kLists);
    if ((sink.lists == Sink::Lists::one) != node["call"].exists()) node["lists"].fail("a call, and nothing else, is given one device");
    sink.vendors = Symbol(node["vendors"].text_or(""));
    sink.own_vendors = node["ours"].texts();
    sink.other_vendors = node["others"].texts();
    sink.form = node.required("form");
    sink.source = node.required("source");
    std::erase_if(into.sinks, [&](const Sink& other) {
      return other.name == sink.name && other.decorator == sink.decorator;
    });
    into.sinks.push_back(std::move(sink));
  }
  return root->status();
}

}  // namespace ungate::rules

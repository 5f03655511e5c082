#include "rules/host_rules.h"

#include "rules/yaml.h"

namespace ungate::rules {
namespace {

using cuda::HostFact;
using cuda::HostVocabulary;

HostFact fact(const Yaml& node) {
  std::string gives = node["gives"].text();
  if (gives == "major") return HostFact::major;
  if (gives == "minor") return HostFact::minor;
  if (gives == "cc") return HostFact::cc;
  if (gives == "capability") return HostFact::cc_pair;
  if (gives == "smem_block") return HostFact::smem_block;
  if (gives == "smem_sm") return HostFact::smem_sm;
  node.fail("'" + gives + "' is not one of major, minor, cc, capability, smem_block, smem_sm");
  return HostFact::cc;
}

void add_named(const Yaml& list, std::vector<HostVocabulary::Named>& into) {
  if (!list.exists()) return;
  for (const Yaml& node : list.items()) {
    node.allow({"name", "gives"});
    into.push_back({node.required("name"), fact(node)});
  }
}

void add_texts(const Yaml& list, std::vector<std::string>& into) {
  if (!list.exists()) return;
  for (const std::string& text : list.texts()) into.push_back(text);
}

}  // namespace

Status load_host(std::string_view text, const std::string& file, HostVocabulary& into) {
  auto root = Yaml::parse(text, file);
  if (!root) return std::unexpected(root.error());
  const Yaml& r = *root;
  r.allow({"attribute_calls", "attributes", "fills", "properties", "functions", "parameters", "checks",
           "raises", "logs", "common", "seeds"});
  add_texts(r["attribute_calls"], into.attribute_calls);
  add_named(r["attributes"], into.attributes);
  if (r["fills"].exists()) {
    for (const Yaml& node : r["fills"].items()) {
      node.allow({"call", "argument", "gives"});
      into.fills.push_back(
          {node.required("call"), static_cast<int>(node["argument"].integer()), fact(node)});
    }
  }
  if (r["properties"].exists()) {
    Yaml p = r["properties"];
    p.allow({"types", "calls", "fields"});
    add_texts(p["types"], into.property_types);
    add_texts(p["calls"], into.property_calls);
    add_named(p["fields"], into.property_fields);
  }
  add_named(r["functions"], into.functions);
  add_named(r["parameters"], into.parameters);
  add_texts(r["checks"], into.checks);
  add_texts(r["raises"], into.raises);
  add_texts(r["logs"], into.logs);
  add_texts(r["common"], into.common);
  add_texts(r["seeds"], into.seeds);
  return root->status();
}

}  // namespace ungate::rules

#include "rules/symptoms.h"

#include <algorithm>

#include "rules/yaml.h"

namespace ungate::rules {

Status load_symptoms(std::string_view text, const std::string& file, std::vector<trace::Symptom>& into) {
  auto root = Yaml::parse(text, file);
  if (!root) return std::unexpected(root.error());
  root->allow({"symptoms"});
  for (const Yaml& node : (*root)["symptoms"].items()) {
    node.allow({"id", "match", "fault", "says", "next", "source"});
    trace::Symptom s;
    s.id = node.required("id");
    s.match = node.required("match");
    s.says = node.required("says");
    s.next = node["next"].text_or("");
    s.source = node.required("source");
    auto fault = trace::parse_fault(node.required("fault"));
    if (!fault) node["fault"].fail("a fault is gate, no-code, toolchain, instruction or resource");
    else s.fault = *fault;
    std::erase_if(into, [&](const trace::Symptom& other) { return other.id == s.id; });
    into.push_back(std::move(s));
  }
  return root->status();
}

}  // namespace ungate::rules

#include "rules/headers.h"

#include "rules/yaml.h"

namespace ungate::rules {

Status load_headers(std::string_view text, const std::string& file,
                    std::vector<std::pair<std::string, std::string>>& into) {
  auto root = Yaml::parse(text, file);
  if (!root) return std::unexpected(root.error());
  root->allow({"headers"});
  std::vector<std::pair<std::string, std::string>> fresh;
  for (const Yaml& node : (*root)["headers"].items()) {
    node.allow({"begins", "wheel"});
    fresh.emplace_back(node.required("begins"), node.required("wheel"));
  }
  into.insert(into.begin(), fresh.begin(), fresh.end());
  return root->status();
}

}  // namespace ungate::rules

#include "golden/case.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <filesystem>

namespace ungate::golden {
namespace {

namespace fs = std::filesystem;

CaseRun read_run(const YAML::Node& node) {
  CaseRun out;
  out.name = node["name"].as<std::string>();
  if (node["command"]) out.command = node["command"].as<std::string>();
  if (node["status"]) out.status = node["status"].as<int>();
  for (const YAML::Node& flag : node["flags"]) out.flags.push_back(flag.as<std::string>());
  for (const YAML::Node& e : node["edits"]) {
    out.edits.push_back(
        {e["path"].as<std::string>(), e["replace"].as<std::string>(), e["with"].as<std::string>()});
  }
  return out;
}

Case read_case(const fs::path& folder) {
  Case out{
      folder.string(), folder.lexically_relative(UNGATE_TEST_DIR "/golden").string(), {}, {}, {}};
  YAML::Node root = YAML::LoadFile((folder / "case.yaml").string());
  out.target = root["target"].as<std::string>();
  for (const YAML::Node& p : root["packages"]) {
    out.packages.push_back({p["name"].as<std::string>(), p["version"].as<std::string>(),
                            p["folder"].as<std::string>()});
  }
  for (const YAML::Node& run : root["runs"]) out.runs.push_back(read_run(run));
  return out;
}

}  // namespace

std::vector<Case> cases_below(const std::string& folder) {
  std::vector<Case> out;
  fs::path root = fs::path(UNGATE_TEST_DIR "/golden") / folder;
  if (!fs::exists(root)) return out;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (entry.path().filename() != "case.yaml") continue;
    try {
      out.push_back(read_case(entry.path().parent_path()));
    } catch (const YAML::Exception& e) {
      ADD_FAILURE() << entry.path() << ": " << e.what();
    }
  }
  std::ranges::sort(out, {}, &Case::name);
  return out;
}

testing_support::Bytes files_of(const Case& the_case, const CaseRun& run) {
  testing_support::Bytes files = testing_support::files_below(the_case.folder + "/before");
  for (const CaseRun::Edit& e : run.edits) {
    std::string& text = files[e.path];
    std::size_t at = text.find(e.replace);
    if (at == text.npos || text.find(e.replace, at + 1) != text.npos) {
      ADD_FAILURE() << "'" << e.replace << "' does not occur once in " << e.path;
      continue;
    }
    text.replace(at, e.replace.size(), e.with);
  }
  return files;
}

bool blessing() {
  const char* value = getenv("UNGATE_BLESS");
  return value != nullptr && std::string_view(value) == "1";
}

}  // namespace ungate::golden

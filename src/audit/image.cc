#include "audit/image.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "package/archive.h"
#include "package/folder.h"

namespace ungate::audit {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kMostJson = 8u << 20;

// The small JSON files of an archive that may describe an image, by path.
Result<std::map<std::string, Json>> read_json(const std::string& path) {
  std::map<std::string, Json> out;
  std::vector<package::Note> notes;
  auto visit = [&](package::ArchiveEntry& e) -> Status {
    const std::string& name = e.path();
    bool wanted =
        name == "manifest.json" || name == "index.json" || name.starts_with("blobs/sha256/");
    if (!wanted || !e.size_known() || e.size() > kMostJson) return {};
    std::string text;
    for (;;) {
      auto bytes = e.next();
      if (!bytes) return std::unexpected(bytes.error());
      if (bytes->empty()) break;
      if (text.empty() && bytes->front() != '{' && bytes->front() != '[') return {};
      text += *bytes;
      if (text.size() > kMostJson) return {};
    }
    Json json = Json::parse(text, nullptr, false);
    if (!json.is_discarded()) out[name] = std::move(json);
    return {};
  };
  if (auto s = package::read_archive(path, visit, notes); !s) return std::unexpected(s.error());
  return out;
}

std::string text_of(const Json& object, const char* key) {
  if (!object.is_object()) return {};
  auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

const Json& list_of(const Json& object, const char* key) {
  static const Json kNone = Json::array();
  if (!object.is_object()) return kNone;
  auto found = object.find(key);
  return found != object.end() && found->is_array() ? *found : kNone;
}

// "sha256:abc" -> "blobs/sha256/abc"
std::string blob_of(const Json& descriptor) {
  std::string digest = text_of(descriptor, "digest");
  std::size_t colon = digest.find(':');
  if (colon == digest.npos) return {};
  return "blobs/" + digest.substr(0, colon) + '/' + digest.substr(colon + 1);
}

std::optional<Image> docker_image(const std::map<std::string, Json>& files) {
  auto manifest = files.find("manifest.json");
  if (manifest == files.end() || !manifest->second.is_array() || manifest->second.empty()) {
    return std::nullopt;
  }
  Image image;
  for (const Json& layer : list_of(manifest->second.front(), "Layers")) {
    if (layer.is_string()) image.layers.push_back(layer.get<std::string>());
  }
  return image.layers.empty() ? std::nullopt : std::optional(image);
}

std::optional<Image> oci_image(const std::map<std::string, Json>& files) {
  auto index = files.find("index.json");
  // An index may name indexes, one a platform.
  for (int depth = 0; index != files.end() && depth < 4; ++depth) {
    Image image;
    for (const Json& layer : list_of(index->second, "layers"))
      image.layers.push_back(blob_of(layer));
    if (!image.layers.empty()) return image;
    const Json& manifests = list_of(index->second, "manifests");
    if (manifests.empty()) return std::nullopt;
    index = files.find(blob_of(manifests.front()));
  }
  return std::nullopt;
}

}  // namespace

Result<std::optional<Image>> find_image(const std::string& path) {
  if (path.ends_with(".whl") || path.ends_with(".zip")) return std::optional<Image>();
  auto files = read_json(path);
  if (!files) return std::unexpected(files.error());
  auto image = docker_image(*files);
  return image ? image : oci_image(*files);
}

bool Layer::note_whiteout(const std::string& path) {
  constexpr std::string_view kMark = ".wh.", kOpaque = ".wh..wh..opq";
  std::string name = package::name_of_path(path);
  if (!name.starts_with(kMark)) return false;
  std::string folder = path.substr(0, path.size() - name.size());  // with its final slash, or empty
  if (name == kOpaque) {
    emptied.push_back(folder);
  } else {
    removed.push_back(folder + name.substr(kMark.size()));
  }
  return true;
}

bool Layer::removes(const std::string& path) const {
  auto below = [&](const std::string& folder) {
    return path == folder || (path.starts_with(folder) && path[folder.size()] == '/');
  };
  return std::ranges::any_of(removed, below) ||
         std::ranges::any_of(emptied, [&](const std::string& f) { return path.starts_with(f); });
}

}  // namespace ungate::audit

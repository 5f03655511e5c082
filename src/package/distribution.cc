#include "package/distribution.h"

#include <algorithm>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/text.h"
#include "package/folder.h"

namespace ungate::package {
namespace {

constexpr std::uint64_t kLargestMetadata = 16 << 20;
constexpr std::string_view kDistInfo = ".dist-info", kEggInfo = ".egg-info",
                           kEggFolder = "EGG-INFO";

std::string small_file(const std::string& path) {
  auto text = read_file(path, kLargestMetadata);
  return text ? std::move(text->bytes) : std::string();
}

// Value of a header of METADATA or PKG-INFO; headers end at the first empty line.
std::string header(std::string_view metadata, std::string_view key) {
  for (std::string_view line : text::lines(metadata)) {
    if (line.empty()) break;
    std::size_t colon = line.find(':');
    if (colon == line.npos || text::lower(line.substr(0, colon)) != key) continue;
    return std::string(text::trim(line.substr(colon + 1)));
  }
  return {};
}

// "name-1.0-py3.11-linux_x86_64", the last two optional.
void read_egg_name(std::string_view stem, Distribution& d) {
  std::vector<std::string_view> parts = text::split(stem, '-');
  d.name = normalised_name(parts[0]);
  if (parts.size() > 1) d.version_text = parts[1];
}

void read_headers(const std::string& metadata_file, Distribution& d) {
  std::string text = small_file(metadata_file);
  if (std::string name = header(text, "name"); !name.empty()) d.name = normalised_name(name);
  if (std::string version = header(text, "version"); !version.empty()) d.version_text = version;
}

std::string unescape_url(std::string_view s) {
  auto digit = [](char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
  };
  std::string out;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s[i] == '%' && i + 2 < s.size() && digit(s[i + 1]) >= 0 && digit(s[i + 2]) >= 0) {
      out += static_cast<char>(digit(s[i + 1]) * 16 + digit(s[i + 2]));
      i += 2;
    } else {
      out += s[i];
    }
  }
  return out;
}

Distribution read_dist_info(const std::string& folder, std::string_view name) {
  Distribution d;
  read_wheel_name(name.substr(0, name.size() - kDistInfo.size()), d);
  if (d.version_text.empty()) read_headers(folder + "/METADATA", d);
  d.installer = text::lower(text::trim(small_file(folder + "/INSTALLER")));
  d.editable_source = editable_source(small_file(folder + "/direct_url.json"));
  return d;
}

Distribution read_egg(const std::string& path, std::string_view name, bool folder) {
  Distribution d;
  d.egg = true;
  if (name != kEggFolder) read_egg_name(name.substr(0, name.size() - kEggInfo.size()), d);
  // "name.egg-info" of a checkout has no version in its name.
  if (d.version_text.empty()) read_headers(folder ? path + "/PKG-INFO" : path, d);
  return d;
}

}  // namespace

std::string normalised_name(std::string_view name) {
  std::string out;
  bool gap = false;
  for (char c : text::lower(name)) {
    if (c == '-' || c == '_' || c == '.') {
      gap = true;
      continue;
    }
    if (gap) out += '-';
    gap = false;
    out += c;
  }
  if (gap) out += '-';
  return out;
}

// Versions hold no '-'; names should not either, but some installers wrote them.
bool read_wheel_name(std::string_view stem, Distribution& out) {
  std::size_t dash = stem.rfind('-');
  out.name = normalised_name(stem.substr(0, dash));
  if (dash == stem.npos) return false;
  out.version_text = stem.substr(dash + 1);
  out.version = Version::parse(out.version_text);
  return true;
}

// PEP 610: {"url": "file:///path", "dir_info": {"editable": true}}.
std::string editable_source(std::string_view direct_url) {
  auto json = nlohmann::json::parse(direct_url, nullptr, false);
  if (!json.is_object()) return {};
  auto dir_info = json.find("dir_info");
  if (dir_info == json.end() || !dir_info->is_object()) return {};
  auto editable = dir_info->find("editable");
  auto url = json.find("url");
  if (editable == dir_info->end() || *editable != true || url == json.end() || !url->is_string()) {
    return {};
  }
  std::string_view text = url->get_ref<const std::string&>();
  if (!text.starts_with("file://")) return {};
  text.remove_prefix(7);
  if (std::size_t slash = text.find('/'); slash != text.npos) text.remove_prefix(slash);  // a host
  return unescape_url(text);
}

std::vector<Distribution> read_distributions(const std::string& site_path, std::uint32_t site,
                                             std::vector<Note>& notes) {
  std::vector<Distribution> out;
  auto entries = list_folder(site_path);
  if (!entries) {
    notes.push_back({site_path, entries.error().what});
    return out;
  }
  for (const FolderEntry& entry : *entries) {
    std::string_view name = entry.name;
    bool dist_info = entry.folder && name.ends_with(kDistInfo) && name.size() > kDistInfo.size();
    bool egg = (name.ends_with(kEggInfo) && name.size() > kEggInfo.size()) ||
               (entry.folder && name == kEggFolder);
    if (!dist_info && !egg) continue;
    if (name.starts_with('~')) {
      notes.push_back({join_path(site_path, name), "left behind by an interrupted pip; not read"});
      continue;
    }
    std::string path = join_path(site_path, name);
    Distribution d = dist_info ? read_dist_info(path, name) : read_egg(path, name, entry.folder);
    if (d.name.empty()) {
      notes.push_back({path, "names no distribution; not read"});
      continue;
    }
    d.version = Version::parse(d.version_text);
    d.site = site;
    d.metadata = name;
    out.push_back(std::move(d));
  }
  std::ranges::stable_sort(out, {}, &Distribution::name);
  return out;
}

Result<Record> read_record(const std::string& site_path, const Distribution& distribution) {
  if (distribution.record != nullptr) return *distribution.record;
  std::string folder = join_path(site_path, distribution.metadata);
  std::string path = join_path(folder, distribution.egg ? "installed-files.txt" : "RECORD");
  auto text = read_file(path);
  if (!text && text.error().code == ErrorCode::no_such_path) {
    return fail(ErrorCode::not_found,
                fmt::format("{} does not say which files it installed", distribution.name), path);
  }
  if (!text) return std::unexpected(text.error());
  return distribution.egg ? Record::parse_installed_files(text->bytes, distribution.metadata)
                          : Record::parse(text->bytes);
}

}  // namespace ungate::package

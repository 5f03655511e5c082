// Distributions: what `pip list` lists, read from *.dist-info and *.egg-info.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "package/record.h"
#include "package/version.h"

namespace ungate::package {

// Something that was not read or not followed, and why. Reports list these: silence would look like
// success.
struct Note {
  std::string where, what;
};

struct Distribution {
  std::string name;         // normalised (PEP 503): "flashinfer-python"
  std::string version_text; // as installed: "0.6.3+cu129"; empty if nothing says it
  std::optional<Version> version;  // nullopt if version_text is not one of PEP 440
  std::uint32_t site = 0;   // index into Environment::sites
  std::string metadata;     // name of the metadata folder or file in its site
  bool egg = false;         // *.egg-info, or an EGG-INFO folder
  std::string installer;    // "pip", "uv", "conda"; empty if nothing says it
  std::string editable_source;  // the folder of an editable install (direct_url.json), else empty
  // RECORD where it was read already (of an archive); else read_record() reads it from disk.
  std::shared_ptr<const Record> record;
};

// PEP 503: lower case, runs of '-', '_' and '.' become one '-'.
std::string normalised_name(std::string_view name);

// "flashinfer_python-0.6.3", the name of a *.dist-info folder without its end: fills in name and
// versions. False if there is no version in it.
bool read_wheel_name(std::string_view stem, Distribution& out);

// The folder that the text of a direct_url.json (PEP 610) names as an editable install's sources;
// empty if it says something else.
std::string editable_source(std::string_view direct_url);

// The distributions of one site, sorted by name, then metadata folder. Reads folder names and three
// small files each; RECORD is left alone. Folders that pip left half removed ("~name") are noted.
std::vector<Distribution> read_distributions(const std::string& site_path, std::uint32_t site,
                                             std::vector<Note>& notes);

// RECORD, or installed-files.txt of an egg. Neither there: `not_found`.
Result<Record> read_record(const std::string& site_path, const Distribution& distribution);

}  // namespace ungate::package

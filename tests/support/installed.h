// A virtual environment into which small packages were installed, with a home folder beside it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "unit/support/temp_tree.h"

namespace ungate::testing_support {

struct SmallPackage {
  std::string name, version, folder;  // "flashinfer-python", "0.6.3", "flashinfer"
};

using Bytes = std::map<std::string, std::string>;  // by path

// Every file below a folder, by its path relative to it.
inline Bytes files_below(const std::string& folder) {
  Bytes out;
  if (!std::filesystem::exists(folder)) return out;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    out[entry.path().lexically_relative(folder).string()] =
        TempTree::read_absolute(entry.path().string());
  }
  return out;
}

class Installed {
 public:
  explicit Installed(const Bytes& files, const std::vector<SmallPackage>& packages,
                     const Bytes& home = {})
      : tree_(fast_folder()) {
    tree_.file("env/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.7\n");
    for (const auto& [path, bytes] : files)
      tree_.file("env/lib/python3.11/site-packages/" + path, bytes);
    for (const auto& [path, bytes] : home) tree_.file("home/" + path, bytes);
    for (const SmallPackage& p : packages) record(p, files);
  }

  std::string root() const { return tree_.path("env"); }
  std::string site() const { return tree_.path("env/lib/python3.11/site-packages"); }
  std::string home() const { return tree_.path("home"); }
  const TempTree& tree() const { return tree_; }
  std::map<std::string, std::string> setting() const { return {{"HOME", home()}}; }

  // The packages' files as they are now, without what says that they are installed.
  Bytes files() const {
    Bytes out = files_below(site());
    std::erase_if(
        out, [](const auto& file) { return file.first.find(".dist-info/") != std::string::npos; });
    return out;
  }

  // A text with the folders of this test named ENV and HOME.
  std::string neutral(std::string text) const {
    for (const auto& [from, to] : {std::pair{root(), "ENV"}, std::pair{home(), "HOME"}}) {
      for (std::size_t at = 0; (at = text.find(from, at)) != text.npos;)
        text.replace(at, from.size(), to);
    }
    return text;
  }

 private:
  void record(const SmallPackage& p, const Bytes& files) const {
    std::string info = p.name;
    std::ranges::replace(info, '-', '_');
    info += '-' + p.version + ".dist-info/";
    std::string record;
    for (const auto& [path, bytes] : files) {
      if (path.starts_with(p.folder + '/'))
        record +=
            path + ",sha256=" + sha256_base64url(bytes) + ',' + std::to_string(bytes.size()) + '\n';
    }
    for (const char* name : {"METADATA", "INSTALLER", "RECORD"}) record += info + name + ",,\n";
    std::string below = "env/lib/python3.11/site-packages/" + info;
    tree_.file(below + "METADATA",
               "Metadata-Version: 2.1\nName: " + p.name + "\nVersion: " + p.version + "\n");
    tree_.file(below + "INSTALLER", "pip\n");
    tree_.file(below + "RECORD", record);
  }

  TempTree tree_;
};

}  // namespace ungate::testing_support

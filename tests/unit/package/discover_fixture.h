// Small environments in a temporary folder, and discovery in them.
#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>
#include <vector>

#include "package/environment.h"
#include "unit/support/temp_tree.h"

namespace ungate::package {

inline constexpr const char* kVenvSite = "venv/lib/python3.11/site-packages/";

class Discover : public testing::Test {
 protected:
  Discover() { around_.working_folder = tree_.root(); }

  void distribution(const std::string& site, const std::string& name, const std::string& version,
                    const std::string& record = {}) {
    tree_.file(site + name + '-' + version + ".dist-info/RECORD", record);
    tree_.file(site + name + '-' + version + ".dist-info/INSTALLER", "uv\n");
  }
  void make_venv(const std::string& more = {}) {
    tree_.file("venv/pyvenv.cfg",
               "home = " + tree_.path("base/bin") + "\nversion = 3.11.7\n" + more);
    distribution(kVenvSite, "flashinfer_python", "0.6.3+cu129",
                 "flashinfer/jit/comm.py,,\nflashinfer/__init__.py,,\n");
    tree_.file(std::string(kVenvSite) + "flashinfer/__init__.py");
    tree_.file(std::string(kVenvSite) + "flashinfer/jit/comm.py");
  }
  void program(const std::string& path, const std::string& bytes = "\x7f" "ELF") {
    chmod(tree_.file(path, bytes).c_str(), 0755);
  }
  Environment only(const Query& query) {
    auto found = discover(query, around_);
    if (!found) {
      ADD_FAILURE() << to_text(found.error());
      return {};
    }
    EXPECT_EQ(found->size(), 1u);
    return std::move(found->front());
  }
  Environment path(const std::string& relative) { return only({{tree_.path(relative)}, ""}); }
  Error failure(const Query& query) {
    auto found = discover(query, around_);
    EXPECT_FALSE(found.has_value());
    return found ? Error{} : found.error();
  }
  std::vector<std::string> sites(const Environment& e) {
    std::vector<std::string> out;
    for (const Site& s : e.sites) {
      out.push_back(std::string(name_of(s.kind)) + ' ' + s.path.substr(tree_.root().size() + 1));
    }
    return out;
  }

  testing_support::TempTree tree_;
  Surroundings around_;
};

}  // namespace ungate::package

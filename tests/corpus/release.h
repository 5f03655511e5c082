// Real releases from PyPI, kept outside of the tree: $UNGATE_TEST_CACHE, or ungate-tests in the
// user's cache folder. They are fetched once.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "support/program.h"
#include "unit/support/temp_tree.h"

namespace ungate::corpus {

namespace fs = std::filesystem;

inline std::string cache_folder() {
  auto value = [](const char* name) {
    const char* v = getenv(name);
    return v == nullptr ? std::string() : std::string(v);
  };
  if (!value("UNGATE_TEST_CACHE").empty()) return value("UNGATE_TEST_CACHE");
  std::string base = value("XDG_CACHE_HOME");
  return (base.empty() ? value("HOME") + "/.cache" : base) + "/ungate-tests";
}

// Runs a program of PATH; fails the test with what it said if it fails.
inline bool succeeds(const std::vector<std::string>& words) {
  testing_support::Ran ran =
      testing_support::run_program("/usr/bin/env", words, {{"HOME", getenv("HOME")}});
  EXPECT_EQ(ran.status, 0) << words[0] << ": " << ran.all();
  return ran.status == 0;
}

// A folder into which `pip install --no-deps --target` put these requirements; empty if that
// failed.
inline std::string release(const std::string& name, const std::vector<std::string>& requirements) {
  std::string folder = cache_folder() + '/' + name, whole = folder + "/.whole";
  if (fs::exists(whole)) return folder + "/site";
  fs::remove_all(folder);
  fs::create_directories(folder);
  std::vector<std::string> pip = {"python3",      "-m",
                                  "pip",          "install",
                                  "--quiet",      "--no-deps",
                                  "--no-compile", "--disable-pip-version-check",
                                  "--target",     folder + "/site"};
  pip.insert(pip.end(), requirements.begin(), requirements.end());
  if (!succeeds(pip)) return {};
  std::ofstream(whole) << "";
  return folder + "/site";
}

// A virtual environment that holds a release, in a folder of the test's own. Its files are links to
// those of the cache, as uv makes them: whoever writes in place would change both.
class Environment {
 public:
  explicit Environment(const std::string& release) : tree_(cache_folder() + '/') {
    tree_.file("env/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.7\n");
    tree_.folder("env/lib/python3.11");
    tree_.folder("home");
    succeeds({"cp", "-a", "--link", release, site()});
  }
  std::string root() const { return tree_.path("env"); }
  std::string site() const { return tree_.path("env/lib/python3.11/site-packages"); }

  testing_support::Ran ungate(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin() + 1, {"--prefix", root()});
    return testing_support::ungate(arguments, {{"HOME", tree_.path("home")}});
  }

 private:
  testing_support::TempTree tree_;
};

}  // namespace ungate::corpus

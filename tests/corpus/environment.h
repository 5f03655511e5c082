// A virtual environment with a real release in it, in a folder of the test's own.
#pragma once

#include <string>
#include <vector>

#include "support/program.h"
#include "unit/support/temp_tree.h"

namespace ungate::corpus {

// Its files are links to those of the cache, as uv makes them: whoever wrote in place would change
// both.
class Environment {
 public:
  explicit Environment(const std::filesystem::path& release)
      : tree_(release.parent_path().string() + '/') {
    tree_.file("env/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.7\n");
    tree_.folder("env/lib/python3.11");
    tree_.folder("home");
    testing_support::Ran copied = testing_support::run_program(
        "/usr/bin/cp", {"--archive", "--link", release.string(), site()});
    EXPECT_EQ(copied.status, 0) << copied.err;
  }
  std::string root() const { return tree_.path("env"); }
  std::string site() const { return tree_.path("env/lib/python3.11/site-packages"); }
  const testing_support::TempTree& tree() const { return tree_; }

  testing_support::Ran ungate(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin() + 1, {"--prefix", root()});
    return testing_support::ungate(arguments, {{"HOME", tree_.path("home")}});
  }

 private:
  testing_support::TempTree tree_;
};

}  // namespace ungate::corpus

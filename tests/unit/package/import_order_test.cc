// CPython is the oracle of import order: sys.path of real interpreters against the sites found.
#include <gtest/gtest.h>
#include <stdio.h>

#include <cstdlib>

#include "base/text.h"
#include "package/folder.h"
#include "unit/package/discover_fixture.h"

namespace ungate::package {
namespace {

std::string output_of(const std::string& command) {
  std::string out;
  FILE* pipe = popen((command + " 2> /dev/null").c_str(), "r");
  if (pipe == nullptr) return out;
  char buffer[4096];
  while (std::size_t n = fread(buffer, 1, sizeof buffer, pipe)) out.append(buffer, n);
  return pclose(pipe) == 0 ? out : std::string();
}

class ImportOrder : public Discover {
 protected:
  // Runs an interpreter as the user would, with the folders of this test, and compares.
  void compare(const std::string& python) {
    std::string script = tree_.file("path.py", R"PY(
import os, sys
for p in sys.path[1:]:
    if os.path.isdir(p) and (p.endswith("-packages") or p.startswith(sys.argv[1])):
        print(os.path.realpath(p))
)PY");
    std::string environment = "env -u VIRTUAL_ENV -u PYTHONNOUSERSITE HOME='" + around_.home +
                              "' PYTHONPATH='" + around_.python_path + "' ";
    std::string expected =
        output_of(environment + "'" + python + "' '" + script + "' '" + tree_.root() + "'");
    ASSERT_FALSE(expected.empty()) << python;
    std::string found;
    for (const Site& site : only({{}, python}).sites) {
      if (site.kind != SiteKind::editable) found += site.path + '\n';
    }
    EXPECT_EQ(found, expected) << python;
  }
};

TEST_F(ImportOrder, AgreesWithCPython) {
  std::string python(text::trim(output_of("python3 -c 'import sys; print(sys.executable)'")));
  std::string version(text::trim(
      output_of("python3 -c 'import sys; print(\"%d.%d\" % sys.version_info[:2])'")));
  if (python.empty() || version.empty()) GTEST_SKIP() << "no python3";
  around_.home = tree_.path("home");
  around_.python_path = tree_.path("extra") + ":" + tree_.path("none");
  tree_.file("extra/a.py");
  tree_.file("added/b.py");
  tree_.file("home/.local/lib/python" + version + "/site-packages/user.pth", tree_.path("added"));
  compare(python);
  for (const char* option : {"", "--system-site-packages"}) {
    std::string venv = tree_.path("venv" + std::string(option));
    std::string made = output_of("'" + python + "' -m venv --without-pip " + option + " '" + venv +
                                 "' && echo made");
    if (made.empty()) GTEST_SKIP() << "python3 has no venv";
    std::string site = venv + "/lib/python" + version + "/site-packages/";
    std::string inside = site.substr(tree_.root().size() + 1);
    tree_.file(inside + "pkg/__init__.py");
    tree_.file(inside + "z.pth", "# no\n" + tree_.path("extra") + "\n" + tree_.path("last") + "\n");
    tree_.file(inside + "b.pth", "./pkg\n\nno-such-folder\nimport sys\n");
    tree_.file("last/c.py");
    compare(venv + "/bin/python");
  }
}

}  // namespace
}  // namespace ungate::package

// Discovery on small trees: virtual and conda environments, targets, checkouts, interpreters.
#include "package/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "package/owners.h"
#include "unit/package/discover_fixture.h"

namespace ungate::package {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST_F(Discover, VirtualEnvironment) {
  make_venv();
  tree_.link("lib", "venv/lib64");
  for (const char* named : {"venv", "venv/", "./venv", "venv/../venv"}) {
    Environment e = only({{named}, ""});
    EXPECT_EQ(e.prefix, tree_.path("venv"));
    EXPECT_EQ(e.python_version, "3.11");
    EXPECT_THAT(sites(e), ElementsAre("site-packages venv/lib/python3.11/site-packages"));
    EXPECT_EQ(e.sites[0].root, tree_.path("venv"));
    EXPECT_THAT(e.selected, IsEmpty());
    ASSERT_EQ(e.distributions.size(), 1u);
    EXPECT_EQ(e.distributions[0].name, "flashinfer-python");
    EXPECT_EQ(e.distributions[0].version_text, "0.6.3+cu129");
    EXPECT_EQ(e.distributions[0].version->release[1].text(), "6");
    EXPECT_EQ(e.distributions[0].installer, "uv");
  }
}

TEST_F(Discover, PartsOfAnEnvironment) {
  make_venv();
  tree_.link("lib", "venv/lib64");
  tree_.link("flashinfer", std::string(kVenvSite) + "linked");
  std::string site = tree_.path("venv/lib/python3.11/site-packages");
  EXPECT_THAT(path("venv/lib/python3.11/site-packages").selected, IsEmpty());
  EXPECT_THAT(path("venv/lib/python3.11/site-packages/flashinfer").selected,
              ElementsAre(site + "/flashinfer"));
  EXPECT_THAT(path("venv/lib64/python3.11/site-packages/flashinfer/jit/comm.py").selected,
              ElementsAre(site + "/flashinfer/jit/comm.py"));
  // A linked package stays where it is found, so that writing through the link can be refused.
  EXPECT_THAT(path("venv/lib/python3.11/site-packages/linked").selected,
              ElementsAre(site + "/linked"));
  Environment both = only(
      {{site + "/flashinfer/jit", tree_.path("venv/lib/python3.11/site-packages/linked")}, ""});
  EXPECT_THAT(both.selected, ElementsAre(site + "/flashinfer/jit", site + "/linked"));
  EXPECT_THAT(only({{site + "/flashinfer", tree_.path("venv")}, ""}).selected, IsEmpty());
}

TEST_F(Discover, BaseAndUserSitesInImportOrder) {
  make_venv("include-system-site-packages = TRUE\n");
  distribution("base/lib/python3.11/site-packages/", "torch", "2.9");
  distribution("base/lib/python3.12/site-packages/", "other", "1");
  distribution("home/.local/lib/python3.11/site-packages/", "torch", "2.8");
  around_.home = tree_.path("home");
  EXPECT_THAT(sites(path("venv")), ElementsAre("site-packages venv/lib/python3.11/site-packages",
                                               "user home/.local/lib/python3.11/site-packages",
                                               "base base/lib/python3.11/site-packages"));
  around_.no_user_site = true;
  Environment e = path("venv");
  EXPECT_EQ(e.sites.size(), 2u);
  EXPECT_EQ(e.find("torch")->version_text, "2.9");
  EXPECT_EQ(e.find("other"), nullptr);
  // The site alone: the others are there to resolve imports, not to be audited.
  EXPECT_THAT(path("venv/lib/python3.11/site-packages").selected, ElementsAre(e.sites[0].path));
}

TEST_F(Discover, PthFilesAndEditableInstalls) {
  make_venv();
  std::string site = kVenvSite;
  tree_.file("src-one/one/__init__.py");
  tree_.file("two/python/two/__init__.py");
  tree_.file("two/pyproject.toml");
  tree_.link("loop", "loop");
  tree_.file(site + "a.pth", "# comment\n\nimport sys; sys.path.append('x')\n" +
                                 tree_.path("src-one") + "\n/no/such/folder\n" +
                                 tree_.path("loop") + "\n");
  distribution(site, "two", "1.0");
  tree_.file(site + "two-1.0.dist-info/direct_url.json",
             "{\"url\": \"file://" + tree_.path("two") + "\", \"dir_info\": {\"editable\": true}}");
  tree_.file(site + "three-1.0.dist-info/direct_url.json",
             R"({"url": "file:///no/such%20folder", "dir_info": {"editable": true}})");
  tree_.file(site + "four-1.0.dist-info/direct_url.json", R"({"url": 4, "dir_info": []})");
  Environment e = path("venv");
  EXPECT_THAT(sites(e), ElementsAre("site-packages venv/lib/python3.11/site-packages",
                                    "pth src-one", "editable two/python", "editable two"));
  EXPECT_THAT(e.sites[1].from, HasSubstr("a.pth"));
  EXPECT_EQ(e.sites[2].root, tree_.path("two"));
  std::string notes;
  for (const Note& note : e.notes) notes += note.where + ": " + note.what + '\n';
  EXPECT_THAT(notes, HasSubstr("runs code"));
  EXPECT_THAT(notes, HasSubstr("loop, which is not a folder"));
  EXPECT_THAT(notes, HasSubstr("/no/such folder"));
  EXPECT_EQ(e.site_of(tree_.path("two/python/two/x.py")), 2u);
  EXPECT_EQ(e.site_of(tree_.path("two/setup.py")), 3u);
  EXPECT_EQ(e.site_of("/elsewhere"), std::nullopt);
  EXPECT_EQ(Owners(e).find(2, "two/x.py").distribution->name, "two");
}

TEST_F(Discover, CondaTargetCheckoutAndFolder) {
  tree_.folder("conda/conda-meta");
  distribution("conda/lib/python3.12/site-packages/", "numpy", "2.0");
  EXPECT_THAT(sites(path("conda")),
              ElementsAre("site-packages conda/lib/python3.12/site-packages"));
  EXPECT_EQ(path("conda").sites[0].root, tree_.path("conda"));

  distribution("target/", "sglang", "0.5.8");
  tree_.file("target/pyproject.toml");
  tree_.file("target/sglang/data/pyproject.toml");
  tree_.file("target/sglang/data/x.cu");
  EXPECT_THAT(sites(path("target")), ElementsAre("target target"));
  EXPECT_EQ(path("target").sites[0].root, tree_.path("target"));
  EXPECT_THAT(sites(path("target/sglang/data/x.cu")), ElementsAre("target target"));

  tree_.folder("repo/.git");
  tree_.file("repo/python/pkg/__init__.py");
  tree_.file("repo/python/pkg/a.py");
  EXPECT_THAT(sites(path("repo")), ElementsAre("checkout repo/python", "checkout repo"));
  EXPECT_THAT(path("repo/python/pkg/a.py").selected,
              ElementsAre(tree_.path("repo/python/pkg/a.py")));
  // An editable checkout below an installed site is a checkout still.
  tree_.folder("target/clone/.git");
  tree_.file("target/clone/x.py");
  EXPECT_THAT(sites(path("target/clone/x.py")), ElementsAre("checkout target/clone"));

  tree_.file("plain/pkg/__init__.py");
  tree_.file("plain/pkg/sub/__init__.py");
  tree_.file("plain/pkg/sub/b.py");
  EXPECT_THAT(sites(path("plain/pkg/sub/b.py")), ElementsAre("folder plain"));
  EXPECT_THAT(path("plain/pkg/sub").selected, ElementsAre(tree_.path("plain/pkg/sub")));
}

TEST_F(Discover, SeveralPythonsInOnePrefix) {
  distribution("usr/lib/python3.9/site-packages/", "a", "1");
  distribution("usr/lib/python3.12/site-packages/", "a", "2");
  distribution("usr/lib/python3/dist-packages/", "deb", "1");
  auto found = discover({{tree_.path("usr")}, ""}, around_);
  ASSERT_TRUE(found.has_value());
  ASSERT_EQ(found->size(), 2u);
  EXPECT_EQ((*found)[0].python_version, "3.12");
  EXPECT_THAT(sites((*found)[1]), ElementsAre("site-packages usr/lib/python3.9/site-packages",
                                              "site-packages usr/lib/python3/dist-packages"));
}

TEST_F(Discover, InterpreterDecidesThePrefix) {
  make_venv();
  program("base/bin/python3.11");
  distribution("base/lib/python3.11/site-packages/", "numpy", "2");
  tree_.folder("venv/bin");
  tree_.link("../../base/bin/python3.11", "venv/bin/python");
  tree_.link("base/bin/python3.11", "py");
  EXPECT_EQ(only({{}, "venv/bin/python"}).prefix, tree_.path("venv"));
  // A link to the interpreter itself runs the interpreter.
  Environment base = only({{}, "./py"});
  EXPECT_EQ(base.prefix, tree_.path("base"));
  EXPECT_EQ(base.python_version, "3.11");
  EXPECT_EQ(only({{}, "venv"}).prefix, tree_.path("venv"));
  around_.path = tree_.path("nothing") + ":" + tree_.path("venv/bin");
  EXPECT_EQ(only({{}, "python"}).prefix, tree_.path("venv"));
  EXPECT_EQ(failure({{}, "python9"}).code, ErrorCode::no_such_path);
  EXPECT_EQ(failure({{}, "./no/python"}).code, ErrorCode::no_such_path);
}

TEST_F(Discover, PyenvShimsAndOtherScripts) {
  program("pyenv/shims/python3", "#!/bin/sh\n");
  program("pyenv/versions/3.11.7/bin/python3");
  program("pyenv/versions/3.12.1/bin/python3");
  distribution("pyenv/versions/3.11.7/lib/python3.11/site-packages/", "a", "1");
  distribution("pyenv/versions/3.12.1/lib/python3.12/site-packages/", "a", "2");
  tree_.file("pyenv/version", "3.11.7\n");
  std::string shim = tree_.path("pyenv/shims/python3");
  EXPECT_EQ(only({{}, shim}).python_version, "3.11");
  tree_.file(".python-version", "3.12.1\n");
  EXPECT_EQ(only({{}, shim}).python_version, "3.12");
  around_.pyenv_version = "3.11.7:3.12.1";
  EXPECT_EQ(only({{}, shim}).python_version, "3.11");
  program("wrapper/python3", "#!/bin/sh\nexec python3\n");
  EXPECT_EQ(failure({{}, tree_.path("wrapper/python3")}).code, ErrorCode::usage);
}

TEST_F(Discover, DefaultsToTheActiveEnvironmentThenPath) {
  EXPECT_EQ(failure({}).code, ErrorCode::nothing_to_audit);
  program("base/bin/python3.11");
  tree_.link("python3.11", "base/bin/python3");
  distribution("base/lib/python3.11/site-packages/", "numpy", "2");
  tree_.file("extra/pkg/__init__.py");
  around_.path = tree_.path("base/bin");
  around_.python_path = tree_.path("extra") + "::/no/such";
  EXPECT_THAT(sites(only({})),
              ElementsAre("pythonpath extra", "site-packages base/lib/python3.11/site-packages"));
  make_venv();
  around_.virtual_env = tree_.path("venv");
  EXPECT_EQ(only({}).prefix, tree_.path("venv"));
  around_.virtual_env = tree_.path("gone");
  Error error = failure({});
  EXPECT_EQ(error.code, ErrorCode::no_such_path);
  EXPECT_EQ(error.where, tree_.path("gone"));
}

TEST_F(Discover, AFolderOfLinksHoldsWhatTheyLeadTo) {
  tree_.file("elsewhere/pkg/__init__.py");
  tree_.folder("linked");
  tree_.link("../elsewhere/pkg", "linked/pkg");
  EXPECT_THAT(sites(path("linked")), ElementsAre("folder linked"));
}

TEST_F(Discover, BadPathsAreOneErrorEach) {
  EXPECT_EQ(failure({{"no/such"}, ""}).code, ErrorCode::no_such_path);
  EXPECT_EQ(failure({{"no/such"}, ""}).where, "no/such");
  tree_.folder("empty/inner");
  EXPECT_EQ(failure({{"empty"}, ""}).code, ErrorCode::nothing_to_audit);
  tree_.link("loop", "loop");
  EXPECT_EQ(failure({{"loop"}, ""}).code, ErrorCode::unreadable);
  EXPECT_THAT(failure({{"loop"}, ""}).what, HasSubstr("loop"));
  tree_.folder("turning");
  tree_.link("..", "turning/up");
  EXPECT_EQ(failure({{"turning"}, ""}).code, ErrorCode::nothing_to_audit);
  tree_.file("bare/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.7\n");
  tree_.folder("bare/lib/python3.11/site-packages/__pycache__");
  EXPECT_EQ(failure({{"bare"}, ""}).code, ErrorCode::nothing_to_audit);
}

// In a child without privileges, since root may read everything.
TEST_F(Discover, UnreadableFolder) {
  tree_.file("closed/a.py");
  chmod(tree_.root().c_str(), 0755);
  chmod(tree_.path("closed").c_str(), 0);
  pid_t child = fork();
  if (child == 0) {
    if (geteuid() == 0 && setuid(65534) != 0) _exit(9);
    auto found = discover({{tree_.path("closed")}, ""}, around_);
    _exit(!found && found.error().code == ErrorCode::unreadable ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  chmod(tree_.path("closed").c_str(), 0755);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace ungate::package

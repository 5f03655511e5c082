// What is installed: copies, owners, distributions, and comparison with RECORD.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/hash.h"
#include "package/copies.h"
#include "package/owners.h"
#include "package/verify.h"
#include "unit/package/discover_fixture.h"

namespace ungate::package {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing_support::TempTree;

TEST_F(Discover, DuplicatesAndCopies) {
  make_venv("include-system-site-packages = true\n");
  distribution("base/lib/python3.11/site-packages/", "flashinfer-python", "0.6.1");
  tree_.file("base/lib/python3.11/site-packages/flashinfer/__init__.py");
  tree_.file("base/lib/python3.11/site-packages/ext.cpython-311-x86_64-linux-gnu.so");
  tree_.file("base/lib/python3.11/site-packages/ext.py");
  tree_.folder(std::string(kVenvSite) + "ext");
  tree_.file(std::string(kVenvSite) + "flashinfer_python-0.6.3+cu129.egg-info",
             "Name: flashinfer-python\n");
  Environment e = path("venv");
  auto twice = duplicates(e);
  ASSERT_EQ(twice.size(), 1u);
  EXPECT_EQ(twice[0].name, "flashinfer-python");
  ASSERT_EQ(twice[0].distributions.size(), 2u);
  EXPECT_EQ(e.distributions[twice[0].distributions[0]].version_text, "0.6.3+cu129");
  auto copies = copies_of(e, "flashinfer");
  ASSERT_EQ(copies.size(), 2u);
  EXPECT_EQ(copies[0].site, 0u);
  EXPECT_EQ(copies[1].path, tree_.path("base/lib/python3.11/site-packages/flashinfer"));
  auto ext = copies_of(e, "ext");
  ASSERT_EQ(ext.size(), 2u);
  EXPECT_THAT(ext[0].path, HasSubstr(".so"));
  EXPECT_EQ(ext[1].site, 0u);
  EXPECT_THAT(copies_of(e, "none"), IsEmpty());
}

TEST_F(Discover, OwnersByRecordThenByFolder) {
  make_venv();
  std::string site = kVenvSite;
  distribution(site, "nvidia_nccl_cu13", "2.29", "nvidia/nccl/lib.so,,1\n");
  distribution(site, "nvidia_cublas", "13", "nvidia/cublas/lib.so,,\n");
  tree_.file(site + "old-1.0-py3.11.egg-info/PKG-INFO", "Name: old\n");
  tree_.file(site + "old-1.0-py3.11.egg-info/installed-files.txt", "../old.py\n");
  Environment e = path("venv");
  Owners owners(e);
  EXPECT_EQ(owners.find(0, "flashinfer/jit/comm.py").distribution->name, "flashinfer-python");
  Owner exact = owners.find(0, "nvidia/nccl/lib.so");
  EXPECT_EQ(exact.distribution->name, "nvidia-nccl-cu13");
  EXPECT_EQ(exact.entry->size, 1u);
  Owner guessed = owners.find(0, "flashinfer/added.py");
  EXPECT_EQ(guessed.distribution->name, "flashinfer-python");
  EXPECT_EQ(guessed.entry, nullptr);
  EXPECT_EQ(owners.find(0, "nvidia/other.so").distribution, nullptr);
  EXPECT_EQ(owners.find(0, "old.py").distribution->name, "old");
  EXPECT_EQ(owners.find(0, "stray.py").distribution, nullptr);
}

TEST(Verify, FindsWhatIsNotAsRecorded) {
  TempTree tree;
  std::string record = "p-1.dist-info/RECORD,,\np/__pycache__/a.pyc,,\n../../bin/p,sha256=" + sha256_base64url("x") + ",1\n";
  for (const char* name : {"same", "changed", "missing", "folder", "with, comma"}) {
    record += "\"p/" + std::string(name) + ".py\",sha256=" + sha256_base64url(name) + ",\n";
    tree.file("p/" + std::string(name) + ".py", name);
  }
  tree.file("p-1.dist-info/RECORD", record);
  tree.file("p/changed.py", "Changed");
  std::filesystem::remove(tree.path("p/missing.py"));
  std::filesystem::remove(tree.path("p/folder.py"));
  tree.folder("p/folder.py");
  Environment e = environment_of_site(tree.root());
  Owners owners(e);
  std::vector<std::uint32_t> all = {0};
  auto found = compare_with_record(e, owners, all, 3);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].path, "p/changed.py");
  EXPECT_EQ(found[0].kind, Mismatch::Kind::changed);
  EXPECT_EQ(found[0].sha256, sha256_hex("Changed"));
  EXPECT_EQ(found[1].path, "p/folder.py");
  EXPECT_EQ(found[1].kind, Mismatch::Kind::unreadable);
  EXPECT_EQ(found[2].kind, Mismatch::Kind::missing);
}

TEST(Distribution, NamesAndLeftovers) {
  EXPECT_EQ(normalised_name("Flash__Infer.-Python"), "flash-infer-python");
  TempTree tree;
  tree.file("~lashinfer-1.dist-info/RECORD");
  tree.file(".dist-info/RECORD");
  tree.file("noversion.dist-info/METADATA",
            "Metadata-Version: 2.1\nNAME: No_Version\nversion: 3\n\nName: body\n");
  tree.file("dev.egg-info/PKG-INFO", "Name: dev\nVersion: 0.1.dev4+g12\n");
  tree.file("flat-2.egg-info", "Name: flat\n");
  tree.file("weird-french_toast.dist-info/METADATA");
  std::vector<Note> notes;
  auto found = read_distributions(tree.root(), 0, notes);
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[0].name + found[0].version_text, "dev0.1.dev4+g12");
  EXPECT_EQ(found[1].name + found[1].version_text, "flat2");
  EXPECT_EQ(found[2].name + found[2].version_text, "no-version3");
  EXPECT_EQ(found[3].name, "weird");
  EXPECT_FALSE(found[3].version);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_THAT(notes[0].what, HasSubstr("interrupted pip"));
  EXPECT_EQ(read_record(tree.root(), found[1]).error().code, ErrorCode::not_found);
}

}  // namespace
}  // namespace ungate::package

#include "package/record.h"

#include <gtest/gtest.h>

#include "base/hash.h"

namespace ungate::package {
namespace {

TEST(Record, ReadsPathHashAndSize) {
  Record r = Record::parse(
      "a/b.py,sha256=ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0,3\n"
      "../../bin/tool,sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU=,0\r\n"
      "a/__pycache__/b.cpython-311.pyc,,\n"
      "a/./c/../d.py,md5=abc,7\n");
  ASSERT_EQ(r.entries().size(), 4u);
  EXPECT_EQ(r.bad_lines(), 0u);
  EXPECT_EQ(r.find("a/b.py")->sha256, sha256_hex("abc"));
  EXPECT_EQ(r.find("a/b.py")->size, 3u);
  EXPECT_EQ(r.find("../../bin/tool")->sha256, sha256_hex(""));
  EXPECT_EQ(r.find("a/__pycache__/b.cpython-311.pyc")->size, std::nullopt);
  EXPECT_EQ(r.find("a/d.py")->sha256, "");
  EXPECT_EQ(r.find("a/c.py"), nullptr);
}

TEST(Record, UnderstandsQuotes) {
  Record r =
      Record::parse("\"a,b.py\",sha256=x,1\n\"say \"\"hi\"\".py\",,\n\"two\nlines.py\",,5\nc.py,,");
  ASSERT_EQ(r.entries().size(), 4u);
  EXPECT_EQ(r.find("a,b.py")->sha256, "");  // too short to be a hash
  EXPECT_NE(r.find("say \"hi\".py"), nullptr);
  EXPECT_EQ(r.find("two\nlines.py")->size, 5u);
  EXPECT_NE(r.find("c.py"), nullptr);
}

TEST(Record, CountsWhatIsNoRecord) {
  Record r = Record::parse("a.py,sha256=x\n,,\n\n\nb.py,sha256=y,-4\n");
  EXPECT_EQ(r.bad_lines(), 2u);
  ASSERT_EQ(r.entries().size(), 1u);
  EXPECT_EQ(r.entries()[0].size, std::nullopt);
}

TEST(Record, ReadsInstalledFilesOfEggs) {
  Record r = Record::parse_installed_files("../foo/__init__.py\nPKG-INFO\n/usr/bin/foo\n",
                                           "foo-1.0.egg-info");
  ASSERT_EQ(r.entries().size(), 3u);
  EXPECT_NE(r.find("foo/__init__.py"), nullptr);
  EXPECT_NE(r.find("foo-1.0.egg-info/PKG-INFO"), nullptr);
  EXPECT_NE(r.find("/usr/bin/foo"), nullptr);
}

}  // namespace
}  // namespace ungate::package

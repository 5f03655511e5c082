// A diff that `prove` is given: its line numbers say which of several equal texts is meant.
#include <gtest/gtest.h>

#include "support/program.h"
#include "unit/support/temp_tree.h"

namespace ungate {
namespace {

using testing_support::Ran;

class ProveDiff : public testing::Test {
 protected:
  ProveDiff() {
    tree.file("site/pkg-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: pkg\nVersion: 1.0\n");
    tree.file("site/pkg/__init__.py", "a = 1\n# one\nb = 2\n\na = 1\n# one\nb = 2\n");
  }
  // Of a package that compiles nothing: what is shown is whether the diff fits.
  Ran prove(int line) const {
    std::string diff = tree.file("x.diff", "--- a/pkg/__init__.py\n+++ b/pkg/__init__.py\n@@ -" + std::to_string(line) + ",3 +" +
                                               std::to_string(line) + ",3 @@\n a = 1\n-# one\n+# two\n b = 2\n");
    return testing_support::ungate({"prove", "--prefix", tree.path("site"), "--target", "sm_120", "--diff", diff, "--no-cache"});
  }
  testing_support::TempTree tree;
};

TEST_F(ProveDiff, IsPlacedByItsLine) {
  EXPECT_EQ(prove(1).status, 0) << prove(1).all();
  EXPECT_EQ(prove(5).status, 0) << prove(5).all();
}

TEST_F(ProveDiff, IsRefusedWhereItsPlaceIsNotClear) {
  Ran ran = prove(3);
  EXPECT_EQ(ran.status, 3);
  EXPECT_NE(ran.err.find("the hunk of line 3 fits at several places and not at that one"), std::string::npos) << ran.err;
}

}  // namespace
}  // namespace ungate

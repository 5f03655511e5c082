// Versions and specifiers: PEP 440's own examples, then Python's `packaging` as the oracle.
#include "package/version.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <random>

#include "package/specifier.h"
#include "unit/support/temp_tree.h"

namespace ungate::package {
namespace {

Version version(std::string_view text) {
  auto v = Version::parse(text);
  EXPECT_TRUE(v.has_value()) << text;
  return v.value_or(Version{});
}

bool fits(std::string_view v, std::string_view specifiers) {
  auto set = SpecifierSet::parse(specifiers);
  EXPECT_TRUE(set.has_value()) << specifiers;
  return set && set->contains(version(v));
}

TEST(Version, IsNormalised) {
  EXPECT_EQ(version("1.1RC1").text(), "1.1rc1");
  EXPECT_EQ(version("00.09000").text(), "0.9000");
  EXPECT_EQ(version("1.1.a1").text(), "1.1a1");
  EXPECT_EQ(version("1.1a.1").text(), "1.1a1");
  EXPECT_EQ(version("1.1alpha1").text(), "1.1a1");
  EXPECT_EQ(version("1.1c3").text(), "1.1rc3");
  EXPECT_EQ(version("1.2a").text(), "1.2a0");
  EXPECT_EQ(version("1.2-post2").text(), "1.2.post2");
  EXPECT_EQ(version("1.2.post-2").text(), "1.2.post2");
  EXPECT_EQ(version("1.0-r4").text(), "1.0.post4");
  EXPECT_EQ(version("1.0-1").text(), "1.0.post1");
  EXPECT_EQ(version("1.2dev").text(), "1.2.dev0");
  EXPECT_EQ(version("1.0+ubuntu-1").text(), "1.0+ubuntu.1");
  EXPECT_EQ(version(" v1.0\n").text(), "1.0");
  EXPECT_EQ(version("1!2.0a1.post2.dev3+L.04").text(), "1!2.0a1.post2.dev3+l.4");
}

TEST(Version, RefusesWhatIsNotOne) {
  for (const char* text :
       {"", "a", "1.0.", "1..0", "1.0+", "1.0+a..b", "1.0+_x", "french toast", "1.0-", "1!",
        "1.0 beta", "1.0a1b2", "1.0.post1.post2", "==1.0", "1.0*"}) {
    EXPECT_FALSE(Version::parse(text)) << text;
  }
}

// PEP 440, "Summary of permitted suffixes and relative ordering", and the examples before it.
TEST(Version, IsOrdered) {
  std::vector<std::string> rising = {"1.dev0",
                                     "1.0.dev456",
                                     "1.0a1",
                                     "1.0a2.dev456",
                                     "1.0a12.dev456",
                                     "1.0a12",
                                     "1.0b1.dev456",
                                     "1.0b2",
                                     "1.0b2.post345.dev456",
                                     "1.0b2.post345",
                                     "1.0rc1.dev456",
                                     "1.0rc1",
                                     "1.0",
                                     "1.0+abc.5",
                                     "1.0+abc.7",
                                     "1.0+5",
                                     "1.0.post456.dev34",
                                     "1.0.post456",
                                     "1.0.15",
                                     "1.1.dev1",
                                     "2012.4",
                                     "1!0.5"};
  for (std::size_t i = 0; i < rising.size(); ++i) {
    for (std::size_t k = 0; k < rising.size(); ++k) {
      EXPECT_EQ(version(rising[i]) <=> version(rising[k]), i <=> k)
          << rising[i] << ' ' << rising[k];
    }
  }
  EXPECT_EQ(version("1.0"), version("1"));
  EXPECT_EQ(version("1.0.0rc1"), version("1c1"));
  EXPECT_LT(version("1.0+99999999999999999999"), version("1.0+100000000000000000000"));
}

TEST(Specifier, PepExamples) {
  EXPECT_TRUE(fits("1.1.post1", "== 1.1.post1"));
  EXPECT_FALSE(fits("1.1.post1", "== 1.1"));
  EXPECT_TRUE(fits("1.1.post1", "== 1.1.*"));
  EXPECT_TRUE(fits("1.1a1", "== 1.1.*"));
  EXPECT_FALSE(fits("1.1a1", "== 1.1"));
  EXPECT_TRUE(fits("1.1", "== 1.1.0"));
  EXPECT_TRUE(fits("1", "== 1.0.*"));
  EXPECT_FALSE(fits("1.1.post1", "!= 1.1.*"));
  EXPECT_TRUE(fits("1.1.post1", "!= 1.1"));
  EXPECT_TRUE(fits("2.3", "~= 2.2"));
  EXPECT_FALSE(fits("3.0", "~= 2.2"));
  EXPECT_TRUE(fits("1.4.9", "~= 1.4.5"));
  EXPECT_FALSE(fits("1.5", "~= 1.4.5"));
  EXPECT_FALSE(fits("2.2", "~= 2.2.post3"));
  EXPECT_TRUE(fits("2.9", "~= 2.2.post3"));
  EXPECT_TRUE(fits("1.4.5a5", "~= 1.4.5a4"));
  EXPECT_FALSE(fits("2.2.5", "~= 2.2.0.1"));
  EXPECT_TRUE(fits("1.7.1", "> 1.7"));
  EXPECT_FALSE(fits("1.7.0.post1", "> 1.7"));
  EXPECT_TRUE(fits("1.7.post3", "> 1.7.post2"));
  EXPECT_FALSE(fits("1.7+local", "> 1.7"));
  EXPECT_FALSE(fits("3.1.dev0", "< 3.1"));
  EXPECT_TRUE(fits("3.0.dev0", "< 3.1"));
  EXPECT_TRUE(fits("3.1a1", "< 3.1rc1"));
  EXPECT_TRUE(fits("1.0+downstream1", "== 1.0"));
  EXPECT_FALSE(fits("1.0", "== 1.0+downstream1"));
  EXPECT_TRUE(fits("0.6.3+cu129", ">= 0.6.3, < 0.6.9"));
  EXPECT_TRUE(fits("1.0+x", "=== 1.0+X"));
  EXPECT_FALSE(fits("1.0", "=== 1"));
}

TEST(Specifier, SetsAreConjunctions) {
  EXPECT_TRUE(fits("0.6.3", ""));
  EXPECT_TRUE(fits("0.6.3", ">=0.6,<0.6.9"));
  EXPECT_FALSE(fits("0.6.9", ">=0.6,<0.6.9"));
  EXPECT_FALSE(fits("0.6.5", ">=0.6,<0.6.9,!=0.6.5"));
  EXPECT_EQ(SpecifierSet::parse(" >= 0.6 , < 0.6.9 ")->text(), ">=0.6,<0.6.9");
}

TEST(Specifier, SaysWhatIsWrong) {
  for (const char* text : {"1.0", "=1.0", ">=", "~=1", ">=1.*", "==1.dev1.*", "==1+x.*",
                           ">1.0+local", "~=1.0+x", "==1.0 2.0", "<one", "=== a b"}) {
    auto set = SpecifierSet::parse(text);
    ASSERT_FALSE(set.has_value()) << text;
    EXPECT_EQ(set.error().code, ErrorCode::bad_rule);
    EXPECT_NE(set.error().what.find(text), std::string::npos) << set.error().what;
  }
}

// ---- Python's packaging, as pip carries it, must agree on random versions and specifiers.

constexpr const char* kOracle = R"PY(
import sys
try:
    from pip._vendor.packaging.version import Version
    from pip._vendor.packaging.specifiers import Specifier
except Exception:
    sys.exit(77)
for line in open(sys.argv[1]):
    kind, a, b = line.rstrip("\n").split("\t")
    if kind == "text":
        try: print(Version(a))
        except Exception: print("invalid")
    elif kind == "order":
        x, y = Version(a), Version(b)
        print(-1 if x < y else 1 if x > y else 0)
    else:
        try: print(int(Specifier(b).contains(a, prereleases=True)))
        except Exception: print("invalid")
)PY";

class Random {
 public:
  explicit Random(unsigned seed) : rng_(seed) {}
  unsigned below(unsigned n) { return static_cast<unsigned>(rng_() % n); }
  std::string number() { return std::to_string(below(8) == 0 ? below(2000) : below(3)); }
  const char* pick(std::initializer_list<const char*> from) {
    return *(from.begin() + below(static_cast<unsigned>(from.size())));
  }

  // `plain` gives the normal form, else any spelling.
  std::string version(bool plain, bool local, unsigned numbers) {
    std::string s;
    if (below(8) == 0) s += std::to_string(1 + below(2)) + "!";
    s += number();
    for (unsigned i = 1; i < numbers; ++i) s += "." + number();
    auto separator = [&] { return plain ? "" : pick({"", ".", "-", "_"}); };
    if (below(3) == 0) {
      s += separator();
      s += plain ? pick({"a", "b", "rc"})
                 : pick({"a", "b", "c", "rc", "alpha", "BETA", "pre", "preview"});
      s += separator();
      if (plain || below(4) != 0) s += number();
    }
    if (below(4) == 0) {
      s += plain ? ".post"
                 : std::string(separator()) + pick({"post", "rev", "r", "Post"}) + separator();
      if (plain || below(4) != 0) s += number();
    } else if (!plain && below(6) == 0) {
      s += "-" + number();
    }
    if (below(4) == 0) {
      s += plain ? ".dev" : std::string(separator()) + "dev" + separator();
      if (plain || below(4) != 0) s += number();
    }
    if (local && below(4) == 0) {
      s += "+" + std::string(pick({"cu129", "local", "1", "20250102", "g00ff"}));
      if (below(2) == 0) s += "." + number();
    }
    if (!plain && below(20) == 0) {
      s.insert(below(static_cast<unsigned>(s.size() + 1)), pick({".", "x", "-", "!", "+", "0"}));
    }
    return s;
  }

 private:
  std::mt19937 rng_;
};

std::string answer(const std::string& kind, const std::string& a, const std::string& b) {
  if (kind == "text") {
    auto v = Version::parse(a);
    return v ? v->text() : "invalid";
  }
  if (kind == "order") {
    auto order = version(a) <=> version(b);
    return order < 0 ? "-1" : order > 0 ? "1" : "0";
  }
  auto set = SpecifierSet::parse(b);
  return !set ? "invalid" : set->contains(version(a)) ? "1" : "0";
}

std::vector<std::array<std::string, 3>> questions() {
  Random random(440);
  std::vector<std::array<std::string, 3>> out;
  for (int i = 0; i < 4000; ++i) {
    out.push_back({"text", random.version(false, true, 1 + random.below(3)), ""});
    out.push_back({"order", random.version(true, true, 1 + random.below(3)),
                   random.version(true, true, 1 + random.below(3))});
    std::string op = random.pick({"~=", "==", "!=", "<=", ">=", "<", ">", "==", "!="});
    // Prefixes are releases, and no longer than a candidate's: before packaging 22, `1a1` did not
    // fit
    // `==1.0.*`, against the PEP's padding rule, and from 22 on `==1.0a1.*` is refused.
    unsigned length = 2 + random.below(2);
    std::string wanted = random.version(true, op == "==" || op == "!=", length);
    bool prefix = (op == "==" || op == "!=") && random.below(2) == 0;
    if (prefix) wanted = version(wanted).base().text();
    std::string candidate =
        random.below(6) == 0 ? wanted : random.version(true, true, length + random.below(2));
    out.push_back({"fits", candidate, op + wanted + (prefix ? ".*" : "")});
  }
  return out;
}

TEST(Version, AgreesWithPythonsPackaging) {
  if (std::system("python3 -c 'import sys' > /dev/null 2>&1") != 0) GTEST_SKIP() << "no python3";
  testing_support::TempTree tree;
  auto all = questions();
  std::string asked;
  for (auto& [kind, a, b] : all) asked += kind + '\t' + a + '\t' + b + '\n';
  tree.file("oracle.py", kOracle);
  tree.file("in", asked);
  std::string command = "cd '" + tree.root() + "' && python3 oracle.py in > out 2> log";
  int status = std::system(command.c_str());
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "python3 has no pip";
  ASSERT_EQ(status, 0);
  std::ifstream out(tree.path("out"));
  std::string line;
  for (auto& [kind, a, b] : all) {
    ASSERT_TRUE(std::getline(out, line));
    ASSERT_EQ(answer(kind, a, b), line) << kind << " '" << a << "' '" << b << "'";
  }
}

}  // namespace
}  // namespace ungate::package

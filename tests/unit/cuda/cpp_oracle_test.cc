// Random texts, judged by GCC's preprocessor for every code target.
#include <gtest/gtest.h>

#include <random>

#include "unit/cuda/cpp_oracle.h"
#include "unit/cuda/texts.h"

namespace ungate::cuda {
namespace {

// Writes chains of arms, definitions and marker lines. Macros A…H are numbers or absent; S is a
// flag without a value; F and G take arguments.
class Writer {
 public:
  explicit Writer(unsigned seed, std::vector<std::string> names)
      : random_(seed), names_(std::move(names)) {}

  std::string file(int chains) {
    text_ =
        "#define F(x) ((x) + 1)\n#define G(x, y) ((x) > (y) ? x : (y))\n#define CAT(a, b) a##b\n";
    for (int i = 0; i < chains; ++i) chain(0);
    return text_;
  }
  int markers() const { return marker_; }

 private:
  unsigned pick(unsigned n) { return static_cast<unsigned>(random_() % n); }
  const std::string& name() { return names_[pick(static_cast<unsigned>(names_.size()))]; }

  std::string number() {
    static const char* const kNumbers[] = {"0",  "1",   "2",   "7",   "0x10",  "010",
                                           "3u", "1'0", "'a'", "900", "0b101L"};
    return kNumbers[pick(std::size(kNumbers))];
  }
  std::string arch() {
    static const char* const kArch[] = {"__CUDA_ARCH__",          "__CUDA_ARCH__",
                                        "__CUDA_ARCH__ / 10",     "__CUDA_ARCH__ / 100 * 100",
                                        "__CUDA_ARCH_SPECIFIC__", "__CUDA_ARCH_FAMILY_SPECIFIC__"};
    static const char* const kBounds[] = {"750",  "800",  "890",  "900", "1000",
                                          "1030", "1200", "1210", "90",  "120"};
    static const char* const kOps[] = {">=", "<", "==", "!=", ">", "<="};
    return std::string(kArch[pick(6)]) + ' ' + kOps[pick(6)] + ' ' + kBounds[pick(10)];
  }
  std::string feature() {
    static const char* const kFeatures[] = {
        "__CUDA_ARCH_FEAT_SM90_ALL", "__CUDA_ARCH_FEAT_SM100_ALL",    "__CUDA_ARCH_FEAT_SM120_ALL",
        "__CUDA_ARCH_SPECIFIC__",    "__CUDA_ARCH_FAMILY_SPECIFIC__", "__CUDA_ARCH__"};
    return kFeatures[pick(6)];
  }

  std::string atom() {
    switch (pick(in_call_ ? 4 : 9)) {
      case 0: return number();
      case 1: return name();
      case 2:
      case 3: return "(" + arch() + ")";
      case 4: return "defined(" + name() + ")";
      case 5: return "defined " + feature();
      case 6: return "defined(" + feature() + ")";
      case 7: return "F(" + argument() + ")";
      default: return "G(" + argument() + ", " + name() + ")";
    }
  }
  // No `defined` in an argument: its operand would be expanded.
  std::string argument() {
    in_call_ = true;
    std::string out = value(1);
    in_call_ = false;
    return out;
  }
  std::string value(int depth) {
    if (depth <= 0) return atom();
    static const char* const kOps[] = {"&&", "||", "&&", "||", "+", "-", "*",  "<",  "<=",  ">",
                                       ">=", "==", "!=", "&",  "|", "^", "<<", ">>", "and", "or"};
    switch (pick(8)) {
      case 0: return "!" + atom();
      case 1: return std::string("(") + value(depth - 1) + ")";
      case 2: return "-" + atom();
      case 3:
        return "(" + value(depth - 1) + " ? " + value(depth - 1) + " : " + value(depth - 1) + ")";
      case 4: return atom();
      default: {
        std::string op = kOps[pick(std::size(kOps))];
        std::string right = op == "<<" || op == ">>" ? "2" : value(depth - 1);
        return value(depth - 1) + (pick(6) == 0 ? " \\\n  " : " ") + op + ' ' + right;
      }
    }
  }

  void marker() { text_ += "MARK" + std::to_string(marker_++) + ";\n"; }
  void definition() {
    std::string n = name();
    if (pick(4) == 0) {
      text_ += "#undef " + n + "\n";
    } else if (pick(3) == 0) {
      text_ += "#undef " + n + "\n# define " + n + " (" + arch() + ")\n";
    } else {
      text_ += "#undef " + n + "\n#define " + n + ' ' + (pick(4) == 0 ? "CAT(1, 2)" : number()) +
               " // " + n + "\n";
    }
  }

  void block(int depth) {
    for (unsigned i = 0, n = 1 + pick(3); i < n; ++i) {
      switch (pick(depth < 3 ? 4 : 2)) {
        case 0: definition(); break;
        case 1: marker(); break;
        default: chain(depth + 1);
      }
    }
    marker();
  }
  void chain(int depth) {
    switch (pick(4)) {
      case 0: text_ += "#ifdef " + (pick(2) ? name() : feature()) + "\n"; break;
      case 1: text_ += "#ifndef " + (pick(2) ? name() : feature()) + " /* no */\n"; break;
      default: text_ += "# if " + value(3) + "\n";
    }
    block(depth);
    for (unsigned n = pick(3); n > 0; --n) {
      text_ += "#elif " + value(2) + "\n";
      block(depth);
    }
    if (pick(2)) {
      text_ += "#else\n";
      block(depth);
    }
    text_ += "#endif\n";
  }

  std::mt19937 random_;
  std::vector<std::string> names_;
  std::string text_;
  int marker_ = 0;
  bool in_call_ = false;
};

// Liveness of every marker of a text.
std::vector<Outcomes> liveness(FileText file, const FileResult& result, int markers) {
  std::vector<Outcomes> out(static_cast<std::size_t>(markers), Outcomes(Outcome{}));
  for (int i = 0; i < markers; ++i) {
    std::size_t at = file.text.find("MARK" + std::to_string(i) + ";");
    out[static_cast<std::size_t>(i)] =
        live_in(result, arm_at(*file.directives, static_cast<std::uint32_t>(at)));
  }
  return out;
}

TEST(CppOracle, KnownMacrosGiveExactlyTheTextThatSurvives) {
  const std::vector<std::string> names = {"A", "B", "C", "D"};
  value::World world;
  for (const std::string& n : names)
    world.assume({value::Free::Kind::macro, Symbol(n)}, std::monostate{}, "test");
  for (unsigned seed = 1; seed <= 2; ++seed) {
    Writer writer(seed, names);
    std::string text = writer.file(40);
    Tree tree;
    tree.add("f", text);
    FileText file = tree.file("f");
    std::vector<Outcomes> live = liveness(file, evaluate_file(file, world), writer.markers());
    TempFile source("f.cu", text);
    for (unsigned t : arch::all_code_targets()) {
      bool ok = false;
      std::set<int> seen = surviving(gcc_for(arch::CodeTarget(t)) + source.path(), ok);
      ASSERT_TRUE(ok) << "seed " << seed;
      for (int i = 0; i < writer.markers(); ++i) {
        Outcome o = live[static_cast<std::size_t>(i)].at(t);
        ASSERT_EQ(o.is(value::kTrue), seen.contains(i))
            << "seed " << seed << ", MARK" << i << " at " << arch::CodeTarget(t).name() << ": "
            << to_text(live[static_cast<std::size_t>(i)]);
        ASSERT_FALSE(o.is(value::kUnknown)) << "seed " << seed << ", MARK" << i;
      }
    }
  }
}

// With free macros: what is certain must hold under every assignment, and most of what holds under
// all of them should be found certain.
TEST(CppOracle, FreeMacrosAreNeverDecided) {
  const std::vector<std::string> names = {"A", "B"};
  const std::vector<std::string> values = {"", "0", "1", "5"};  // "": not defined
  int certain = 0, constant = 0;
  for (unsigned seed = 11; seed <= 12; ++seed) {
    Writer writer(seed, names);
    std::string text = writer.file(40);
    Tree tree;
    tree.add("f", text);
    FileText file = tree.file("f");
    std::vector<Outcomes> live = liveness(file, evaluate_file(file, {}), writer.markers());
    TempFile source("f.cu", text);
    for (const char* name : {"sm_80", "sm_90a", "sm_100f", "sm_120"}) {
      arch::CodeTarget target = *arch::parse_code_target(name);
      std::vector<int> times(static_cast<std::size_t>(writer.markers()));
      for (const std::string& a : values) {
        for (const std::string& b : values) {
          std::string flags =
              (a.empty() ? "" : "-DA=" + a + ' ') + (b.empty() ? "" : "-DB=" + b + ' ');
          bool ok = false;
          for (int i : surviving(gcc_for(target) + flags + source.path(), ok))
            ++times[static_cast<std::size_t>(i)];
          ASSERT_TRUE(ok);
        }
      }
      for (int i = 0; i < writer.markers(); ++i) {
        Outcome o = live[static_cast<std::size_t>(i)].at(target.index());
        int n = times[static_cast<std::size_t>(i)],
            all = static_cast<int>(values.size() * values.size());
        bool right = o.is(value::kTrue) ? n == all : o.may_be_true() || n == 0;
        ASSERT_TRUE(right) << "seed " << seed << " MARK" << i << " at " << name << " survives " << n
                           << " times";
        constant += n == 0 || n == all;
        certain += !o.is(value::kUnknown);
      }
    }
  }
  EXPECT_GT(certain * 100, constant * 80) << certain << " certain of " << constant << " constant";
}

}  // namespace
}  // namespace ungate::cuda

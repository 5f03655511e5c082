// Each row of rules/features.yaml as ptxas measures it: its instruction, assembled for every code target.
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <mutex>

#include "arch/device.h"
#include "base/parallel.h"
#include "cuda/mnemonic.h"
#include "gate/evidence.h"
#include "rules/rule_set.h"
#include "unit/support/temp_tree.h"

namespace ungate::gate {
namespace {

using arch::CodeTarget;
using arch::CodeTargetSet;

std::vector<Feature> features() {
  auto rules = rules::load_rules({});
  EXPECT_TRUE(rules);
  return rules->gate.features;
}

// The newest PTX version that ptxas takes, as it says itself of one that is too new.
std::string ptx_version(const std::string& folder) {
  std::ofstream(folder + "/v.ptx") << ".version 99.0\n.target sm_90\n.address_size 64\n";
  FILE* pipe = popen(("ptxas -arch=sm_90 -o /dev/null " + folder + "/v.ptx 2>&1").c_str(), "r");
  std::string said;
  char buffer[4096];
  while (std::size_t n = fread(buffer, 1, sizeof buffer, pipe)) said.append(buffer, n);
  pclose(pipe);
  // "… Unsupported .version 99.0; current version is '9.0'"
  std::size_t at = said.find("current version is '");
  return at == said.npos ? std::string() : said.substr(at + 20, said.find('\'', at + 20) - at - 20);
}

class Assembler {
 public:
  explicit Assembler(const std::string& folder) : folder_(folder), version_(ptx_version(folder)) {}
  bool there() const { return !version_.empty(); }
  const std::string& version() const { return version_; }

  bool takes(const std::string& instruction, CodeTarget target, std::size_t number) const {
    std::string file = fmt::format("{}/{}.ptx", folder_, number);
    std::ofstream(file) << ".version " << version_ << "\n.target " << target.name() << "\n.address_size 64\n"
                        << ".visible .entry k() .reqntid 128 {\n"
                           ".reg .b64 %rd<3>; .reg .b32 %r<6>; .reg .f32 %f<6>; .reg .b16 %h<3>; .reg .pred %p<3>;\n"
                        << instruction << "\nret;\n}\n";
    int status = system(fmt::format("ptxas -arch={} -o /dev/null {} >/dev/null 2>&1", target.name(), file).c_str());
    std::remove(file.c_str());
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }

 private:
  std::string folder_, version_;
};

TEST(Features, EachRowIsWhatPtxasSays) {
  testing_support::TempTree tree;
  Assembler assembler(tree.path(""));
  if (!assembler.there()) GTEST_SKIP() << "no ptxas on PATH: the rows were not measured";
  std::vector<CodeTarget> known;
  for (unsigned t : arch::all_code_targets()) {
    CodeTarget target(t);
    if (!target.device().is_future() && assembler.takes("", target, t)) known.push_back(target);
  }
  ASSERT_GT(known.size(), 10u) << "ptxas takes hardly any target";
  std::vector<Feature> all = features();
  struct Trial {
    const Feature* feature;
    CodeTarget target;
    bool takes = false;
  };
  std::vector<Trial> trials;
  for (const Feature& f : all) {
    for (CodeTarget t : known) trials.push_back({&f, t});
  }
  parallel_for(trials.size(), 2, [&](std::size_t i) {
    trials[i].takes = assembler.takes(trials[i].feature->ptx, trials[i].target, 1000 + i);
  }, 8);
  for (const Feature& f : all) {
    CodeTargetSet measured, said;
    for (const Trial& t : trials) {
      if (t.feature != &f) continue;
      CodeTargetSet one = CodeTargetSet::of(t.target.index());
      if (t.takes) measured |= one;
      said |= f.targets & one;
    }
    EXPECT_EQ(arch::to_text(measured), arch::to_text(said)) << f.name;
  }
  RecordProperty("measured", fmt::format("{} rows for {} code targets, PTX {}", all.size(), known.size(), assembler.version()));
}

// A row's own instruction is one that its patterns find.
TEST(Features, PatternsFindTheirOwnInstruction) {
  for (const Feature& f : features()) {
    if (f.instructions.empty()) continue;
    bool found = false;
    std::string word;
    for (char c : f.ptx + ' ') {
      if (c != ' ' && c != ';' && c != '{' && c != '}' && c != ',') {
        word += c;
        continue;
      }
      found = found || has_mnemonic(f, word);
      word.clear();
    }
    EXPECT_TRUE(found) << f.name;
  }
}

TEST(Features, NamesAreDistinct) {
  std::vector<std::string> names;
  for (const Feature& f : features()) names.push_back(f.name);
  std::ranges::sort(names);
  EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
}

}  // namespace
}  // namespace ungate::gate

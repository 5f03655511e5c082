// Every golden case through the command line: what is planned, written, said and taken back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "golden/case.h"
#include "support/program.h"

namespace ungate::golden {
namespace {

using testing::HasSubstr;
using testing_support::Bytes;
using testing_support::Installed;
using testing_support::Ran;

struct One {
  Case the_case;
  CaseRun run;
};

// What depends on the machine: processes of others that nobody may look into.
std::string without_processes(std::string text) {
  std::size_t at = text.find("\nProcesses\n");
  if (at == text.npos) return text;
  std::size_t end = text.find("\n\n", at + 1);
  return text.erase(at, end == text.npos ? text.npos : end - at);
}

void write_file(const std::string& path, const std::string& bytes) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

class Golden : public testing::TestWithParam<One> {
 protected:
  const Case& the_case() const { return GetParam().the_case; }
  const CaseRun& run() const { return GetParam().run; }

  // With the environment and the target of the case.
  Ran command(const std::string& name, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = {name, "--prefix", installed_.root()};
    bool analyses = name != "status" && name != "revert";
    if (analyses) arguments.insert(arguments.end(), {"--target", the_case().target});
    arguments.insert(arguments.end(), more.begin(), more.end());
    return testing_support::ungate(arguments, installed_.setting());
  }

  void expect_text(const Ran& ran) {
    ASSERT_EQ(ran.status, run().status) << ran.all();
    std::string file = the_case().folder + '/' + run().name + ".txt";
    std::string text = without_processes(installed_.neutral(ran.all()));
    if (blessing()) write_file(file, text);
    EXPECT_EQ(text, testing_support::TempTree::read_absolute(file)) << file;
  }

  // Files whose bytes differ, by name.
  static void expect_same(const Bytes& a, const Bytes& b) {
    std::set<std::string> differ;
    for (const auto* bytes : {&a, &b}) {
      for (const auto& [path, unused] : *bytes) {
        if (!a.contains(path) || !b.contains(path) || a.at(path) != b.at(path)) differ.insert(path);
      }
    }
    EXPECT_THAT(differ, testing::IsEmpty());
  }

  // The files that differ from those before, against the case's.
  void expect_changed() {
    Bytes changed;
    for (const auto& [path, bytes] : installed_.files()) {
      auto was = before_.find(path);
      if (was == before_.end() || was->second != bytes) changed[path] = bytes;
    }
    std::string folder = the_case().folder + '/' + run().name;
    if (blessing()) {
      std::filesystem::remove_all(folder);
      for (const auto& [path, bytes] : changed) write_file(folder + '/' + path, bytes);
    }
    expect_same(changed, testing_support::files_below(folder));
    EXPECT_FALSE(changed.empty());
  }

  // Nothing is there that was not there, and everything has its bytes.
  void expect_untouched() { expect_same(installed_.files(), before_); }

  void plan() {
    expect_text(command("plan", run().flags));
    expect_untouched();
    if (run().status == 1) return write_and_take_back();
    Ran applied = command("apply", run().flags);
    EXPECT_EQ(applied.status, run().status) << applied.all();
    EXPECT_THAT(applied.all(), Not(HasSubstr("Applied")));
    expect_untouched();
  }

  void write_and_take_back() {
    Ran applied = command("apply", run().flags);
    ASSERT_EQ(applied.status, 0) << applied.all();
    EXPECT_THAT(applied.out, HasSubstr("Applied"));
    expect_changed();
    Bytes written = installed_.files();
    Ran status = command("status");
    EXPECT_EQ(status.status, 0) << status.all();

    Ran again = command("plan", run().flags);
    EXPECT_EQ(again.status, 0) << again.all();
    EXPECT_THAT(again.out, HasSubstr("Nothing to do"));
    again = command("apply", run().flags);
    EXPECT_EQ(again.status, 0) << again.all();
    EXPECT_THAT(again.out, HasSubstr("Nothing was written"));
    expect_same(installed_.files(), written);

    Ran reverted = command("revert");
    EXPECT_EQ(reverted.status, 0) << reverted.all();
    expect_untouched();
    status = command("status");
    EXPECT_EQ(status.status, 0) << status.all();
  }

  Bytes before_ = files_of(the_case(), run());
  Installed installed_{files_of(the_case(), {}), the_case().packages,
                       testing_support::files_below(the_case().folder + "/home")};
};

TEST_P(Golden, SaysAndDoesWhatIsExpected) {
  // Edits come after the installation: RECORD does not know them.
  for (const auto& [path, bytes] : before_) {
    if (bytes != installed_.tree().read("env/lib/python3.11/site-packages/" + path)) {
      installed_.tree().file("env/lib/python3.11/site-packages/" + path, bytes);
    }
  }
  if (run().command == "plan") return plan();
  expect_text(command(run().command, run().flags));
  expect_untouched();
}

std::vector<One> all_runs() {
  std::vector<One> out;
  for (const char* folder : {"patches", "rules"}) {
    for (const Case& c : cases_below(folder)) {
      for (const CaseRun& run : c.runs) out.push_back({c, run});
    }
  }
  return out;
}

std::string test_name(const testing::TestParamInfo<One>& info) {
  std::string name = info.param.the_case.name + '_' + info.param.run.name;
  for (char& c : name) c = isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Cases, Golden, testing::ValuesIn(all_runs()), test_name);

// A patch set, or a file about a package, without a case that shows what it does is not kept.
TEST(GoldenFolders, AreThereForEveryFile) {
  namespace fs = std::filesystem;
  fs::path source = fs::path(UNGATE_TEST_DIR).parent_path(),
           golden = fs::path(UNGATE_TEST_DIR) / "golden";
  std::size_t files = 0;
  for (const char* folder : {"patches", "rules/packages"}) {
    for (const auto& entry : fs::recursive_directory_iterator(source / folder)) {
      if (entry.path().extension() != ".yaml") continue;
      ++files;
      fs::path below = entry.path().lexically_relative(source).replace_extension();
      auto cases = cases_below(below.parent_path().string());
      auto mine = std::ranges::find(cases, below.string(), &Case::name);
      ASSERT_NE(mine, cases.end()) << entry.path() << " has no " << golden / below / "case.yaml";
      EXPECT_FALSE(mine->runs.empty()) << mine->folder;
    }
  }
  EXPECT_GE(files, 2u);
}

}  // namespace
}  // namespace ungate::golden

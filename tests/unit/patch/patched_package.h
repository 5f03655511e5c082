// A small environment with one package, and a plan of three edits in it: two that are needed and,
// last, the one that enables them.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/hash.h"
#include "package/verify.h"
#include "patch/apply.h"
#include "patch/recover.h"
#include "patch/revert.h"
#include "patch/status.h"
#include "unit/support/temp_tree.h"

namespace ungate::patch {

inline constexpr std::string_view kHeader = "fi/data/include/comm.cuh",
                                  kSource = "fi/data/csrc/comm.cu", kPython = "fi/jit/comm.py";

class PatchedPackage {
 public:
  // Without pyvenv.cfg the root is the site itself: a plain folder.
  explicit PatchedPackage(bool environment = true) : environment_(environment) {
    // Files larger than what is written at once, so that half a file could be seen.
    std::string filler(20'000, '.');
    tree_.file(at(kHeader), "#if ARCH < 1200\n" + filler);
    tree_.file(at(kSource), filler + "\nstride = tp_size;\n");
    tree_.file(at(kPython), "majors = [9, 10]\n");
    tree_.file(at("fi/__init__.py"), "");
    if (environment) tree_.file("env/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.7\n");
    install("0.6.3");
  }

  std::string site() const {
    return tree_.path(environment_ ? "env/lib/python3.11/site-packages" : "env");
  }
  std::string root() const { return tree_.path("env"); }
  std::string at(std::string_view path) const {
    return std::string(environment_ ? "env/lib/python3.11/site-packages/" : "env/") +
           std::string(path);
  }
  std::string read(std::string_view path) const { return tree_.read(at(path)); }
  void write(std::string_view path, std::string_view bytes) const { tree_.file(at(path), bytes); }
  const testing_support::TempTree& tree() const { return tree_; }

  // Writes RECORD as an installer of the files that are there now would.
  void install(const std::string& version) const {
    std::filesystem::remove_all(site() + "/fi-0.6.3.dist-info");
    std::string record;
    for (std::string_view path : {kHeader, kSource, kPython, std::string_view("fi/__init__.py")}) {
      std::string bytes = read(path);
      record += std::string(path) + ",sha256=" + sha256_base64url(bytes) + ',' +
                std::to_string(bytes.size()) + '\n';
    }
    write("fi-" + version + ".dist-info/RECORD", record);
  }

  FileChange change(std::string_view path, std::string_view from, std::string_view to) const {
    std::string bytes = read(path);
    auto begin = static_cast<std::uint32_t>(bytes.find(from));
    source::Edit edit{{begin, begin + static_cast<std::uint32_t>(from.size())},
                      std::string(from),
                      std::string(to)};
    auto made = make_change(site(), std::string(path), bytes, {edit}, {"step"});
    EXPECT_TRUE(made.has_value());
    return made.value_or(FileChange());
  }

  Plan plan() const {
    Plan p;
    p.root = root();
    p.target = "sm_120";
    p.steps = {{"fi/allreduce", "step", "fi", "0.6.3", std::string(state::applies), ""},
               {"fi/allreduce", "other", "fi", "0.6.3", std::string(state::already_admitted),
                "admits 12.0"}};
    p.files = {change(kHeader, "1200", "1300"), change(kSource, "tp_size", "MAX_RANKS"),
               change(kPython, "10]", "10, 12]")};
    p.caches = {{"FI JIT",
                 {tree_.path("cache")},
                 {"{version}/{arch}/cached_ops/{module}"},
                 {"trtllm_comm"}}};
    return p;
  }

 private:
  testing_support::TempTree tree_{testing_support::fast_folder()};
  bool environment_;
};

// How many of a plan's files hold their new bytes. Fails the test if a file is neither old nor new,
// or new while one before it is old.
inline std::size_t written_in_order(const Plan& plan) {
  std::size_t written = 0;
  for (std::size_t i = 0; i < plan.files.size(); ++i) {
    const FileChange& c = plan.files[i];
    std::string bytes = testing_support::TempTree::read_absolute(c.site + '/' + c.path);
    if (bytes == c.after) {
      EXPECT_EQ(written, i) << c.path << " is written, but not what it needs";
      ++written;
    } else {
      EXPECT_EQ(bytes, c.before) << c.path << " holds neither the old nor the new bytes";
    }
  }
  return written;
}

// Paths below a folder whose name holds `text`.
inline std::vector<std::string> find_named(const std::string& folder, std::string_view text) {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().filename().string().find(text) != std::string::npos) {
      found.push_back(entry.path().string());
    }
  }
  return found;
}

inline std::vector<std::string> temporaries(const PatchedPackage& package) {
  return find_named(package.root(), ".tmp");
}

// RECORD is the oracle: nothing of a reverted package differs from it.
inline std::size_t record_mismatches(const PatchedPackage& package) {
  package::Environment e = package::environment_of_site(package.site());
  package::Owners owners(e);
  std::vector<std::uint32_t> all = {0};
  EXPECT_EQ(e.distributions.size(), 1u);
  EXPECT_EQ(owners.record(0).entries().size(), 4u);
  return package::compare_with_record(e, owners, all, 1).size();
}

// Runs a function in a child process; gives its wait status.
inline int in_child(const std::function<void()>& work) {
  pid_t child = fork();
  if (child == 0) {
    // Nothing may get past here: the child would go on with the other tests.
    try {
      work();
    } catch (const std::exception& e) {
      ADD_FAILURE() << e.what();
    }
    std::fflush(stdout);
    _exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

inline Progress& quiet() {
  static Progress progress;
  return progress;
}

template <class T>
testing::AssertionResult ok(const Result<T>& result) {
  if (result) return testing::AssertionSuccess();
  return testing::AssertionFailure() << to_text(result.error());
}

}  // namespace ungate::patch

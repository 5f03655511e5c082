#include "audit/archive_tree.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "audit/audit.h"
#include "rules/rule_set.h"
#include "support/archive.h"
#include "unit/binary/make.h"

namespace ungate::audit {
namespace {

namespace fs = std::filesystem;
namespace make = binary::make;

constexpr std::string_view kGated =
    "import torch\n"
    "def f():\n"
    "    major, minor = torch.cuda.get_device_capability()\n"
    "    if major not in (9, 10):\n"
    "        raise RuntimeError('no')\n";
constexpr std::string_view kGuarded =
    "__global__ void k(int* p) {\n"
    "#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 1200\n"
    "  *p = 1;\n"
    "#endif\n"
    "}\n";

class ArchiveTreeTest : public testing::Test {
 protected:
  ArchiveTreeTest()
      : folder_(fs::path(testing::TempDir()) / ("ungate_tree_" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
  }
  ~ArchiveTreeTest() override { fs::remove_all(folder_); }

  std::string archive_of(const std::string& name, const test::ArchiveFiles& files) {
    return test::write_archive((folder_ / name).string(), files);
  }
  static std::string bytes_of(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  // "root: path path; root: path", roots relative to the archive.
  static std::string layout(const std::string& path, const ObjectOptions& options = {}) {
    auto tree = read_archive_tree(path, options);
    if (!tree) return "error: " + tree.error().what;
    std::string out;
    for (std::size_t site = 0; site < (*tree)->environment.sites.size(); ++site) {
      std::string root = (*tree)->environment.sites[site].path.substr(path.size());
      out += (out.empty() ? "" : "; ") + root + ':';
      for (const FoundFile& f : (*tree)->files) {
        if (f.root == site) out += ' ' + f.path;
      }
    }
    return out;
  }

  // "path:line admits effect package" of each gate.
  static std::string findings(const std::string& path, const std::string& target) {
    auto tree = read_archive_tree(path, {});
    auto rules = rules::load_rules({});
    EXPECT_TRUE(tree && rules);
    Options options;
    options.targets = {*arch::parse_device(target)};
    options.archive = tree->get();
    auto report = audit((*tree)->environment, *rules, options);
    EXPECT_TRUE(report);
    std::string out;
    for (const gate::Gate& g : report->gates) {
      const gate::Standing& s = g.standings.front();
      out += g.path + ':' + std::to_string(g.begin.line) + ' ' +
             std::string(name_of(s.admits)) + ' ' + std::string(name_of(s.effect)) + ' ' +
             g.package + '\n';
    }
    return out;
  }

  fs::path folder_;
};

std::string library(std::uint32_t cc) {
  return make::elf({{".nv_fatbin", make::fatbin({make::sass(cc)})}});
}

TEST_F(ArchiveTreeTest, AWheelIsAuditedLikeAnInstalledPackage) {
  std::string wheel = archive_of("my_pkg-1.2-py3-none-any.whl",
                                 {{"pkg/_C.abi3.so", library(90)},
                                  {"pkg/k.cuh", std::string(kGuarded)},
                                  {"pkg/__init__.py", std::string(kGated)},
                                  {"my_pkg-1.2.data/purelib/more/k.cuh", std::string(kGuarded)},
                                  {"my_pkg-1.2.dist-info/METADATA", "Name: my-pkg"},
                                  {"my_pkg-1.2.dist-info/RECORD", "pkg/__init__.py,,\npkg/k.cuh,,\n"
                                                                  "pkg/_C.abi3.so,,\n"}});
  EXPECT_EQ(findings(wheel, "sm_120"),
            "more/k.cuh:2 no empty-kernel \n"
            "pkg/_C.abi3.so:1 no no-code my-pkg\n"
            "pkg/__init__.py:4 no raises my-pkg\n"
            "pkg/k.cuh:2 no empty-kernel my-pkg\n");
}

TEST_F(ArchiveTreeTest, RootsOfAnImage) {
  std::string low = bytes_of(archive_of(
      "low", {{"usr/lib/python3/dist-packages/a/x.py", "1"},
              {"usr/lib/python3/dist-packages/a-1.dist-info/METADATA", ""},
              {"usr/lib/python3.12/json.py", "the interpreter's own"},
              {"usr/include/x.h", ""},
              {"srv/tool/pyproject.toml", ""},
              {"srv/tool/python/tool/__init__.py", ""},
              {"srv/tool/csrc/k.cu", ""},
              {"srv/tool/third_party/setup.py", ""},
              {"etc/loose.py", ""},
              {"opt/old.py", ""}}));
  std::string high = bytes_of(archive_of("high", {{"opt/.wh.old.py", ""}, {"opt/new.so", library(90)}}));
  std::string image = archive_of(
      "image.tar", {{"low", low}, {"high", high}, {"manifest.json", R"([{"Layers": ["low", "high"]}])"}});
  EXPECT_EQ(layout(image),
            "/usr/lib/python3/dist-packages: a/x.py; /srv/tool/python: tool/__init__.py; "
            "/srv/tool: csrc/k.cu third_party/setup.py; : etc/loose.py opt/new.so");
  ObjectOptions options;
  options.excludes = {"opt/*", "tool/*"};
  EXPECT_EQ(layout(image, options),
            "/usr/lib/python3/dist-packages: a/x.py; /srv/tool/python:; "
            "/srv/tool: csrc/k.cu third_party/setup.py; : etc/loose.py");
}

TEST_F(ArchiveTreeTest, HostileArchives) {
  // Of several entries with one name the last counts, as when unpacking; names that leave are noted.
  std::string twice = archive_of("p-1-py3-none-any.whl", {{"p/x.py", std::string(kGated)},
                                                          {"p/x.py", "pass"},
                                                          {"../p/y.py", std::string(kGated)},
                                                          {"/p/z.py", std::string(kGated)}});
  EXPECT_EQ(findings(twice, "sm_120"), "");
  auto tree = read_archive_tree(twice, {});
  ASSERT_EQ((*tree)->objects.unread.size(), 2u);
  EXPECT_EQ((*tree)->objects.unread[0].why, "../p/y.py is left out: it would lie outside");
  // A text that is too large is named, not read.
  std::string large = archive_of("q-1-py3-none-any.whl", {{"q/x.py", std::string((64 << 20) + 1, '#')}});
  tree = read_archive_tree(large, {});
  ASSERT_EQ((*tree)->objects.unread.size(), 1u);
  EXPECT_EQ((*tree)->objects.unread[0].why, "it is too large to be kept; unpack the archive");
  EXPECT_TRUE((*tree)->files.empty());
  // A damaged archive gives no findings at all.
  std::string cut = archive_of("c.tar", {{"a/x.py", std::string(kGated)}, {"a/y.py", std::string(4096, '#')}});
  fs::resize_file(cut, 2000);
  EXPECT_TRUE(layout(cut).starts_with("error: a/y.py: ")) << layout(cut);
}

}  // namespace
}  // namespace ungate::audit

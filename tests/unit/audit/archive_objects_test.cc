#include "audit/archive_objects.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "support/archive.h"
#include "unit/binary/make.h"

namespace ungate::audit {
namespace {

namespace fs = std::filesystem;
namespace make = binary::make;

using Files = test::ArchiveFiles;

class ArchiveObjectsTest : public testing::Test {
 protected:
  ArchiveObjectsTest()
      : folder_(fs::path(testing::TempDir()) / ("ungate_wheel_" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
  }
  ~ArchiveObjectsTest() override { fs::remove_all(folder_); }

  std::string archive_of(const std::string& name, const Files& files) {
    return test::write_archive((folder_ / name).string(), files);
  }

  std::string bytes_of(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  // "path: sm_90 sm_120a" of each file, then what was not read.
  static std::string text_of(const Result<Objects>& objects) {
    if (!objects) return "error: " + objects.error().what;
    std::string out;
    for (const ObjectFile& f : objects->files) {
      out += (out.empty() ? "" : "; ") + f.path + ':';
      for (const auto& o : f.listing.objects) out += ' ' + o.built.name();
    }
    for (const Unread& u : objects->unread) out += " | " + u.why;
    return out;
  }
  std::string read(const std::string& path) { return text_of(read_archive_objects(path, {})); }

  fs::path folder_;
};

std::string library(std::uint32_t cc) {
  return make::elf({{".nv_fatbin", make::fatbin({make::sass(cc)})}});
}

TEST_F(ArchiveObjectsTest, Wheel) {
  std::string wheel = archive_of("p.whl", {{"pkg/_C.abi3.so", library(90)},
                                           {"pkg/k.cubin", make::cubin(120)},
                                           {"pkg/__init__.py", "import torch"},
                                           {"pkg/broken.so", library(90).substr(0, 500)},
                                           {"my_pkg-1.2.dist-info/METADATA", "Name: my-pkg"}});
  auto objects = read_archive_objects(wheel, {});
  std::string text = text_of(objects);
  EXPECT_TRUE(text.starts_with("pkg/_C.abi3.so: sm_90; pkg/k.cubin: sm_120 | at 0x")) << text;
  EXPECT_EQ(objects->files[0].package, "my-pkg");
  EXPECT_EQ(objects->files[0].version, "1.2");
}

TEST_F(ArchiveObjectsTest, TheLastOfSeveralEntriesCounts) {
  EXPECT_EQ(read(archive_of("t.tar", {{"a.so", library(90)}, {"a.so", library(120)}})),
            "a.so: sm_120");
}

TEST_F(ArchiveObjectsTest, Kernels) {
  ObjectOptions options;
  options.kernels = true;
  auto objects = read_archive_objects(archive_of("t.tar", {{"a.so", library(90)}}), options);
  ASSERT_EQ(objects->files.size(), 1u);
  EXPECT_TRUE(objects->files[0].kernels.has_value());
}

TEST_F(ArchiveObjectsTest, LayersOfAnImage) {
  std::string low = bytes_of(archive_of("low", {{"opt/a.so", library(80)},
                                                {"opt/b.so", library(80)},
                                                {"opt/c.so", library(80)},
                                                {"usr/d.so", library(80)},
                                                {"usr/deep/e.so", library(80)}}));
  std::string high = bytes_of(archive_of("high", {{"opt/a.so", library(120)},
                                                  {"opt/.wh.b.so", ""},
                                                  {"usr/.wh..wh..opq", ""},
                                                  {"usr/f.so", library(120)}}));
  std::string expected = "opt/a.so: sm_120; opt/c.so: sm_80; usr/f.so: sm_120";
  // The layers may come in any order; the manifest says which is which.
  std::string docker = archive_of(
      "docker.tar", {{"b/layer.tar", high},
                     {"a/layer.tar", low},
                     {"manifest.json", R"([{"Layers": ["a/layer.tar", "b/layer.tar"]}])"}});
  EXPECT_EQ(read(docker), expected);
  std::string oci = archive_of(
      "oci.tar",
      {{"index.json", R"({"manifests": [{"digest": "sha256:11"}]})"},
       {"blobs/sha256/11", R"({"layers": [{"digest": "sha256:aa"}, {"digest": "sha256:bb"}]})"},
       {"blobs/sha256/aa", low},
       {"blobs/sha256/bb", high}});
  EXPECT_EQ(read(oci), expected);
  EXPECT_EQ(
      read(archive_of("odd.tar", {{"manifest.json", "[[[not an image"}, {"a.so", library(90)}})),
      "a.so: sm_90");
}

TEST_F(ArchiveObjectsTest, DamagedArchives) {
  std::string path = archive_of("t.tar", {{"a.so", library(90)}, {"b.so", library(90)}});
  fs::resize_file(path, 1000);
  EXPECT_TRUE(read(path).starts_with("error: a.so: "));
}

}  // namespace
}  // namespace ungate::audit

#include "package/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace ungate::package {
namespace {

namespace fs = std::filesystem;

struct File {
  std::string path, bytes;
  std::string link = {};  // a symbolic link's target
};

class ArchiveTest : public testing::Test {
 protected:
  ArchiveTest()
      : folder_(fs::path(testing::TempDir()) / ("ungate_archive_" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
  }
  ~ArchiveTest() override { fs::remove_all(folder_); }

  std::string make(const std::string& name, const std::vector<File>& files) {
    std::string path = (folder_ / name).string();
    archive* a = archive_write_new();
    if (name.ends_with(".whl")) {
      archive_write_set_format_zip(a);
    } else {
      archive_write_set_format_pax_restricted(a);
      if (name.ends_with(".gz")) archive_write_add_filter_gzip(a);
    }
    archive_write_open_filename(a, path.c_str());
    for (const File& f : files) {
      archive_entry* e = archive_entry_new();
      archive_entry_set_pathname(e, f.path.c_str());
      archive_entry_set_perm(e, 0644);
      archive_entry_set_filetype(e, f.link.empty() ? AE_IFREG : AE_IFLNK);
      if (!f.link.empty()) archive_entry_set_symlink(e, f.link.c_str());
      archive_entry_set_size(e, static_cast<la_int64_t>(f.bytes.size()));
      archive_write_header(a, e);
      archive_write_data(a, f.bytes.data(), f.bytes.size());
      archive_entry_free(e);
    }
    archive_write_close(a);
    archive_write_free(a);
    return path;
  }

  // "path=bytes " of each entry, then "| notes", or the error.
  std::string read(const std::string& path, const ArchiveLimits& limits = {}) {
    std::string out;
    std::vector<Note> notes;
    auto visit = [&](ArchiveEntry& e) -> Status {
      out += e.path() + '=';
      for (;;) {
        auto bytes = e.next();
        if (!bytes) return std::unexpected(bytes.error());
        if (bytes->empty()) break;
        out += *bytes;
      }
      out += ' ';
      return {};
    };
    auto status = read_archive(path, visit, notes, limits);
    for (const Note& n : notes) out += "| " + n.what;
    return status ? out : std::string(name_of(status.error().code)) + ": " + status.error().what;
  }

  fs::path folder_;
};

TEST_F(ArchiveTest, ReadsInOrder) {
  std::vector<File> files = {
      {"b/x.so", "one"}, {"./a//y.so", "two"}, {"b/x.so", "three"}, {"e", ""}};
  for (const char* name : {"w.whl", "t.tar", "t.tar.gz"}) {
    EXPECT_EQ(read(make(name, files)), "b/x.so=one a/y.so=two b/x.so=three e= ") << name;
  }
}

// Wherever a buffer ends while the archive is read: in a name, a header, at the first byte of a member.
TEST_F(ArchiveTest, NoMemberIsCutWhereABufferEnds) {
  constexpr std::size_t kBuffer = 256 * 1024;
  std::string noise(kBuffer, ' ');
  std::uint32_t state = 1;
  for (char& c : noise) c = static_cast<char>((state = state * 1664525u + 1013904223u) >> 24);
  std::string text;
  for (int i = 0; i < 400; ++i) text += "line " + std::to_string(i * 7919) + '\n';
  for (std::size_t before = kBuffer - 260; before < kBuffer; ++before) {
    std::string path = make("w.whl", {{"a", noise.substr(0, before)}, {"b", text}});
    std::size_t got = 0;
    std::vector<Note> notes;
    auto status = read_archive(path, [&](ArchiveEntry& e) -> Status {
      if (e.path() != "b") return {};
      for (;;) {
        auto bytes = e.next();
        if (!bytes) return std::unexpected(bytes.error());
        if (bytes->empty()) return {};
        got += bytes->size();
      }
    }, notes);
    ASSERT_TRUE(status);
    ASSERT_EQ(got, text.size()) << before;
  }
}

TEST_F(ArchiveTest, NamesThatLeaveAreLeftOut) {
  std::vector<File> files = {
      {"../up.so", "x"}, {"/etc/abs.so", "x"}, {"a/../../b", "x"}, {"good", "y"}};
  EXPECT_EQ(
      read(make("t.tar", files)),
      "good=y | ../up.so is left out: it would lie outside| /etc/abs.so is left out: it would "
      "lie outside| a/../../b is left out: it would lie outside");
}

TEST_F(ArchiveTest, LinksAreNotFollowed) {
  std::vector<File> files = {{"link.so", "", "/etc/passwd"}, {"real.so", "x"}};
  EXPECT_EQ(read(make("t.tar", files)), "real.so=x ");
}

TEST_F(ArchiveTest, StopsAtBombs) {
  std::string path = make("w.whl", {{"zeros", std::string(3 << 20, '\0')}});
  ArchiveLimits limits;
  limits.free = 1 << 20;
  EXPECT_EQ(
      read(path, limits),
      "malformed: zeros: it unpacks to far more than an archive of its size should; reading stops");
  EXPECT_TRUE(read(path).starts_with("zeros="));
  limits = {};
  limits.bytes = 1 << 20;
  EXPECT_TRUE(read(path, limits).starts_with("malformed: zeros"));
  limits = {};
  limits.entries = 1;
  EXPECT_EQ(read(make("t.tar", {{"a", "x"}, {"b", "x"}}), limits),
            "malformed: a: it has too many entries; reading stops");
}

TEST_F(ArchiveTest, Truncated) {
  std::string noise;
  for (unsigned i = 0; i < 60000; ++i) noise += static_cast<char>(i * 2654435761u >> 13);
  for (const char* name : {"w.whl", "t.tar", "t.tar.gz"}) {
    std::string path = make(name, {{"a", noise}, {"b", noise}});
    fs::resize_file(path, fs::file_size(path) / 2);
    EXPECT_TRUE(read(path).starts_with("malformed")) << name;
  }
  std::ofstream(folder_ / "text.whl") << "no archive at all";
  EXPECT_TRUE(read((folder_ / "text.whl").string()).starts_with("malformed"));
  EXPECT_TRUE(read("/nonexistent.whl").starts_with("no-such-path"));
  EXPECT_TRUE(read(folder_.string()).starts_with("unreadable"));
}

TEST_F(ArchiveTest, ArchivesInsideOthers) {
  std::string inner = make("inner.tar.gz", {{"x.so", "inside"}});
  std::ifstream in(inner, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(in)), {});
  std::string outer = make("outer.tar", {{"layer", bytes}, {"other", "x"}});
  std::string out;
  std::vector<Note> notes;
  auto status = read_archive(
      outer,
      [&](ArchiveEntry& e) -> Status {
        if (e.path() != "layer") return {};
        return read_archive(
            e, "layer",
            [&](ArchiveEntry& i) -> Status {
              out += i.path() + '=' + std::string(*i.next());
              return {};
            },
            notes);
      },
      notes);
  EXPECT_TRUE(status);
  EXPECT_EQ(out, "x.so=inside");
}

TEST(Archive, Names) {
  EXPECT_TRUE(is_archive_name("vllm-0.15.0-cp38-abi3-manylinux_2_31_x86_64.whl"));
  EXPECT_TRUE(is_archive_name("image.tar.zst"));
  EXPECT_FALSE(is_archive_name("libx.a"));
  EXPECT_FALSE(is_archive_name("x.so"));
}

}  // namespace
}  // namespace ungate::package

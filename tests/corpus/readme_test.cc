// README.md shows what the program says. Each block that begins with "$ ungate" is run again, on the
// releases of fused-allreduce/ in an environment `.venv`; every line of it must come out, in its order.
// "[…]" stands for lines that were left out. Figures may differ: the next release of the rules finds
// more.
#include <gtest/gtest.h>

#include <cctype>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "corpus/releases.h"

namespace ungate::corpus {
namespace {

namespace fs = std::filesystem;

struct Block {
  std::string command;
  std::vector<std::string> lines;
};

std::vector<Block> blocks() {
  std::ifstream in(fs::path(UNGATE_TEST_DIR).parent_path() / "README.md");
  std::vector<Block> out;
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("```")) {
      inside = false;
    } else if (line.starts_with("$ ungate ")) {
      out.push_back({line.substr(9), {}});
      inside = true;
    } else if (inside) {
      out.back().lines.push_back(line);
    }
  }
  return out;
}

// Figures as '#', and blanks as one: columns follow the figures.
std::string shape_of(const std::string& line) {
  std::string out;
  for (char c : line) {
    bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    char shown = digit ? '#' : c;
    bool part = shown == ',' && out.ends_with('#');
    if (part || ((shown == '#' || shown == ' ') && out.ends_with(shown))) continue;
    out += shown;
  }
  return out;
}

// A virtual environment with the releases, as far as the program can tell.
class Workplace {
 public:
  Workplace() {
    std::string name = fs::temp_directory_path() / "ungate-readme-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder");
    folder_ = fs::canonical(name);
    fs::path site = folder_ / ".venv/lib/python3.11/site-packages";
    fs::create_directories(site.parent_path());
    fs::create_directories(folder_ / ".venv/bin");
    std::ofstream(folder_ / ".venv/pyvenv.cfg") << "version = 3.11.2\n";
    fs::path story = fs::path(UNGATE_TEST_DIR) / "corpus/fused-allreduce";
    fs::copy(installed("fused-allreduce", lines_of(story / "packages.txt")), site,
             fs::copy_options::recursive | fs::copy_options::copy_symlinks);
  }
  ~Workplace() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  const fs::path& folder() const { return folder_; }

 private:
  fs::path folder_;
};

TEST(Readme, ShowsWhatTheProgramSays) {
  Workplace place;
  std::vector<Block> all = blocks();
  ASSERT_GE(all.size(), 3u);
  for (const Block& block : all) {
    int status = 0;
    std::string said = output_of("cd " + quoted(place.folder()) + " && HOME=" +
                                     quoted(place.folder()) + " " + quoted(UNGATE_BINARY) + ' ' +
                                     block.command,
                                 status);
    std::istringstream in(said);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    std::size_t at = 0;
    bool gap = false;
    for (const std::string& shown : block.lines) {
      if (shown == "[…]") {
        gap = true;
        continue;
      }
      // Where it was run is told by the program, too.
      bool names_folder = shown.find("/.venv") != shown.npos;
      std::size_t found = at;
      while (found < lines.size() && shape_of(lines[found]) != shape_of(shown) &&
             !(names_folder && lines[found].find("/.venv") != lines[found].npos)) {
        ++found;
      }
      ASSERT_LT(found, lines.size()) << "`ungate " << block.command << "` does not say:\n"
                                     << shown << "\nbut:\n" << said;
      EXPECT_TRUE(gap || found == at) << "lines are missing before:\n" << shown;
      gap = false;
      at = found + 1;
    }
  }
}

}  // namespace
}  // namespace ungate::corpus

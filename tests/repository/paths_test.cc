// The repository stands alone: no file names a place on somebody's machine, or one above its root.
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

const fs::path kRoot = fs::path(UNGATE_TEST_DIR).parent_path();

// The files of the repository: those below the folders and beside them that are no build products.
std::vector<fs::path> files() {
  std::vector<fs::path> out;
  for (fs::recursive_directory_iterator it(kRoot), end; it != end; ++it) {
    std::string name = it->path().filename();
    if (it->is_directory() && (name == ".git" || name == "build" || name == ".cache" ||
                               name == "__pycache__")) {
      it.disable_recursion_pending();
    } else if (it->is_regular_file() && name != ".git" && name != "compile_commands.json") {
      out.push_back(it->path());
    }
  }
  return out;
}

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::size_t line_of(const std::string& text, std::size_t at) {
  return 1 + static_cast<std::size_t>(
                 std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

// Written in two parts, so that this file does not hold them. nobody lives in the home of `me`.
const std::array<std::string, 6> kMachines{std::string("/ho") + "me/", std::string("/ro") + "ot/",
                                           std::string("/Us") + "ers/", std::string("/wo") + "rk/",
                                           std::string("/sha") + "red/", std::string("/mn") + "t/"};
const std::string kNobody = std::string("/ho") + "me/me/";

TEST(Repository, NamesNoPlaceOnAMachine) {
  std::size_t read_files = 0;
  for (const fs::path& file : files()) {
    std::string text = read(file);
    ++read_files;
    for (const std::string& place : kMachines) {
      for (std::size_t at = 0; (at = text.find(place, at)) != text.npos; at += place.size()) {
        // A path of one's own may go on so: "data/work/x". And `${HOME}/…` names no machine.
        bool begins = at == 0 || (std::isalnum(text[at - 1]) == 0 && text[at - 1] != '_' &&
                                  text[at - 1] != '.' && text[at - 1] != '}');
        if (!begins || text.compare(at, kNobody.size(), kNobody) == 0) continue;
        ADD_FAILURE() << file << ':' << line_of(text, at) << ": "
                      << text.substr(at, text.find_first_of(" \n\"'`)", at) - at);
      }
    }
  }
  EXPECT_GT(read_files, 100u);
}

// "../x" in a file must stay below the root, seen from where the file lies.
TEST(Repository, ReachesForNothingAboveItsRoot) {
  for (const fs::path& file : files()) {
    std::string text = read(file);
    fs::path folder = fs::relative(file.parent_path(), kRoot);
    auto depth = std::distance(folder.begin(), folder.end());
    if (folder == ".") depth = 0;
    for (std::size_t at = 0; (at = text.find("../", at)) != text.npos;) {
      std::size_t begin = at;
      std::ptrdiff_t up = 0;
      for (; text.compare(at, 3, "../") == 0; at += 3) ++up;
      // "a/../b" and "/../" inside a word go down first; tests of path handling write such.
      bool begins = begin == 0 || std::string(" \n\"'`(=").find(text[begin - 1]) != std::string::npos;
      if (begins && up > depth) {
        ADD_FAILURE() << file << ':' << line_of(text, begin) << ": "
                      << text.substr(begin, text.find_first_of(" \n\"'`)", begin) - begin);
      }
    }
  }
}

}  // namespace

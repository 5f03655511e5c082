// What a house may include is what src/CMakeLists.txt says that it knows. The linker does not notice
// when a header of another house is included for its types alone.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

namespace {

namespace fs = std::filesystem;

const fs::path kSource = fs::path(UNGATE_TEST_DIR).parent_path() / "src";

std::string read(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

// house -> itself and the houses behind KNOWS.
std::map<std::string, std::set<std::string>> declared() {
  std::map<std::string, std::set<std::string>> out;
  std::string text = read(kSource / "CMakeLists.txt");
  static const std::regex kHouse(R"(\nhouse\((\w+)([^)]*)\))");
  for (std::sregex_iterator it(text.begin(), text.end(), kHouse), end; it != end; ++it) {
    std::string name = (*it)[1];
    std::set<std::string>& known = out[name];
    known.insert(name);
    std::istringstream words((*it)[2]);
    bool knows = false;
    for (std::string word; words >> word;) {
      if (word == "KNOWS" || word == "USES") {
        knows = word == "KNOWS";
      } else if (knows) {
        known.insert(word);
      }
    }
  }
  return out;
}

TEST(Layering, EveryHouseIsDeclared) {
  auto houses = declared();
  for (const auto& entry : fs::directory_iterator(kSource)) {
    if (entry.is_directory()) {
      EXPECT_TRUE(houses.contains(entry.path().filename()))
          << entry.path() << " has no house() in src/CMakeLists.txt";
    }
  }
}

TEST(Layering, AHouseIncludesOnlyWhatItKnows) {
  static const std::regex kInclude(R"re(\n\s*#\s*include\s*"(\w+)/)re");
  auto houses = declared();
  std::size_t checked = 0;
  for (const auto& [house, known] : houses) {
    for (const auto& entry : fs::recursive_directory_iterator(kSource / house)) {
      std::string text = '\n' + read(entry.path());
      for (std::sregex_iterator it(text.begin(), text.end(), kInclude), end; it != end; ++it) {
        ++checked;
        EXPECT_TRUE(known.contains((*it)[1]))
            << entry.path() << " includes " << (*it)[1] << "/, which " << house << " does not know";
      }
    }
  }
  EXPECT_GT(checked, houses.size());
}

// base <- arch <- value <- front ends: none of them knows one that knows it.
TEST(Layering, NoHouseKnowsAHouseThatKnowsIt) {
  auto houses = declared();
  for (const auto& [house, known] : houses) {
    for (const std::string& other : known) {
      if (other != house) {
        EXPECT_FALSE(houses[other].contains(house)) << house << " and " << other;
      }
    }
  }
  for (const char* front : {"python", "cuda"}) {
    for (const char* other : {"python", "cuda", "package", "gate"}) {
      if (std::string(front) != other) {
        EXPECT_FALSE(houses[front].contains(other)) << front << " knows " << other;
      }
    }
  }
}

}  // namespace

// Build-time program: turns the data folders into C++.
//
//   embed ROOT embedded.cc archs.inc FILE…
//
// embedded.cc holds the bytes of every FILE (named relative to ROOT) so that the program carries its
// rules and patch sets; archs.inc holds the rows of rules/archs.yaml, checked here.
#include <yaml-cpp/yaml.h>

#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

namespace {

[[noreturn]] void die(const std::string& why) {
  std::cerr << "embed: " << why << '\n';
  std::exit(1);
}

std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) die("cannot read " + path);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

void write(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  if (!out.flush()) die("cannot write " + path);
}

void split_cc(const std::string& cc, int& major, int& minor) {
  if (std::sscanf(cc.c_str(), "%d.%d", &major, &minor) != 2) die("archs.yaml: bad cc '" + cc + "'");
}

std::string arch_rows(const std::string& path) {
  std::ostringstream out;
  int last = 0;
  YAML::Node root = YAML::Load(read(path));
  for (const YAML::Node& row : root["devices"]) {
    int major = 0, minor = 0, old_major = 0, old_minor = 0;
    split_cc(row["cc"].as<std::string>(), major, minor);
    if (row["was"]) split_cc(row["was"].as<std::string>(), old_major, old_minor);
    if (major * 10 + minor <= last) die("archs.yaml: devices are not in ascending order");
    last = major * 10 + minor;
    bool exact = false, family = false;
    for (const YAML::Node& code : row["code"]) {
      (code.as<std::string>() == "a" ? exact : family) = true;
    }
    std::string names;
    for (const YAML::Node& name : row["names"]) names += (names.empty() ? "" : "|") + name.as<std::string>();
    int block = row["smem"] ? row["smem"][0].as<int>() : 0;
    int sm = row["smem"] ? row["smem"][1].as<int>() : 0;
    int cluster = row["cluster"] ? row["cluster"].as<int>() : 0;
    out << "{" << major << ", " << minor << ", \"" << row["generation"].as<std::string>() << "\", \""
        << row["products"].as<std::string>() << "\", " << (exact ? "true" : "false") << ", "
        << (family ? "true" : "false") << ", " << block << ", " << sm << ", " << cluster << ", "
        << old_major << ", " << old_minor << ", \"" << names << "\"},\n";
  }
  return out.str();
}

std::string embedded(const std::string& root, const std::vector<std::string>& files) {
  std::ostringstream out;
  out << "#include \"rules/embedded.h\"\nnamespace ungate::rules {\nnamespace {\n";
  for (std::size_t i = 0; i < files.size(); ++i) {
    out << "constexpr unsigned char kFile" << i << "[] = {";
    for (unsigned char c : read(root + '/' + files[i])) out << int{c} << ',';
    out << "0};\n";
  }
  out << "}\nstd::vector<EmbeddedFile> embedded_files() {\n  return {\n";
  for (std::size_t i = 0; i < files.size(); ++i) {
    out << "    {\"" << files[i] << "\", {reinterpret_cast<const char*>(kFile" << i << "), sizeof kFile"
        << i << " - 1}},\n";
  }
  out << "  };\n}\n}  // namespace ungate::rules\n";
  return out.str();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) die("usage: embed ROOT embedded.cc archs.inc FILE...");
  std::string root = argv[1];
  std::vector<std::string> files(argv + 4, argv + argc);
  try {
    write(argv[2], embedded(root, files));
    write(argv[3], arch_rows(root + "/rules/archs.yaml"));
  } catch (const std::exception& e) {
    die(e.what());
  }
}

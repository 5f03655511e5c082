// CPython is the oracle of the evaluator: every case of tests/oracle/python/*.py is run by both, for every
// device of the table, exceptions included. What the evaluator claims to know must be what Python gives.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "python/evaluate.h"
#include "support/knowledge.h"

namespace ungate::python {
namespace {

namespace fs = std::filesystem;

std::string output_of(const std::string& command) {
  std::string out;
  FILE* pipe = popen(command.c_str(), "r");
  std::array<char, 4096> buffer;
  for (std::size_t n; (n = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) out.append(buffer.data(), n);
  EXPECT_EQ(pclose(pipe), 0) << command;
  return out;
}

// A value as repr() prints it; nothing if some of it is not known.
std::optional<std::string> repr(const value::Store& s, value::ValueId v) {
  using value::Kind;
  const auto& n = s.node(v);
  auto list = [&](std::string open, std::string close, bool comma) -> std::optional<std::string> {
    if (n.open) return std::nullopt;
    for (std::size_t i = 0; i < n.items.size(); ++i) {
      auto item = repr(s, n.items[i]);
      if (!item) return std::nullopt;
      open += (i == 0 ? "" : ", ") + *item;
    }
    return open + (comma && n.items.size() == 1 ? "," : "") + close;
  };
  switch (n.kind) {
    case Kind::absent: return "raise " + std::string(Symbol::from_id(n.ref).text());
    case Kind::none:
    case Kind::boolean:
    case Kind::integer: return s.to_text(v);
    case Kind::string: return "'" + std::string(n.name.text()) + "'";
    case Kind::tuple: return list("(", ")", true);
    case Kind::list: return list("[", "]", false);
    case Kind::dict: {
      std::string out = "{";
      for (std::size_t i = 0; i + 1 < n.items.size(); i += 2) {
        auto key = repr(s, n.items[i]), item = repr(s, n.items[i + 1]);
        if (n.open || !key || !item) return std::nullopt;
        out += (i == 0 ? "" : ", ") + *key + ": " + *item;
      }
      return out + "}";
    }
    default: return std::nullopt;
  }
}

class Oracle : public testing::TestWithParam<std::string> {};

TEST_P(Oracle, AgreesWithCPython) {
  fs::path file = fs::path(UNGATE_TEST_DIR) / "oracle" / "python" / (GetParam() + ".py");
  std::string command = "python3 " + (fs::path(UNGATE_TEST_DIR) / "oracle" / "run_cases.py").string() + ' ' + file.string();
  for (unsigned d : arch::known_devices()) command += ' ' + arch::Device(d).dotted();
  auto expected = nlohmann::json::parse(output_of(command));

  source::SourceFile text(GetParam() + ".py", read_file(file.string())->bytes);
  Program program([&](const std::string&) { return &text; });
  program.add(GetParam() + ".py");
  Knowledge knowledge = test::knowledge();
  value::World world;
  Evaluation evaluation(program, knowledge, world);
  ModuleId module = *program.find(Symbol(GetParam()));

  std::size_t compared = 0;
  for (auto& [name, unused] : expected["9.0"].items()) {
    value::Lifted result = evaluation.call(module, name);
    std::string wrong;
    for (unsigned d : arch::known_devices()) {
      auto ours = repr(evaluation.store(), evaluation.lifted().at(result, d));
      std::string theirs = expected[arch::Device(d).dotted()][name];
      ++compared;
      if (ours == theirs) continue;
      wrong = (ours ? *ours : evaluation.store().to_text(evaluation.lifted().at(result, d))) + " on " +
              arch::Device(d).name() + ", Python says " + theirs;
    }
    EXPECT_EQ(wrong, "") << name;
  }
  EXPECT_GT(compared, 100u);
}

INSTANTIATE_TEST_SUITE_P(Files, Oracle, testing::Values("conditions", "functions", "statements", "classes"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace ungate::python

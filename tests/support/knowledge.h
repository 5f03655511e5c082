// The rules that ship, for tests that evaluate.
#pragma once

#include <gtest/gtest.h>

#include "rules/embedded.h"
#include "rules/python_rules.h"

namespace ungate::test {

inline python::Knowledge knowledge() {
  python::Knowledge k;
  for (const auto& file : rules::embedded_files()) {
    Status status;
    if (file.path == "rules/sources.yaml") status = rules::load_sources(file.text, std::string(file.path), k);
    if (file.path == "rules/sinks.yaml") status = rules::load_sinks(file.text, std::string(file.path), k);
    EXPECT_TRUE(status) << to_text(status.error());
  }
  return k;
}

}  // namespace ungate::test

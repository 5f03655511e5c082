// The configuration of a launch: which attributes are set in it, and when.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cuda/blocks.h"
#include "cuda/lexeme.h"
#include "cuda/structure.h"

namespace ungate::cuda {

inline constexpr std::string_view kProgrammatic =
    "cudaLaunchAttributeProgrammaticStreamSerialization";
inline constexpr std::string_view kProgrammaticValue = "programmaticStreamSerializationAllowed";
inline constexpr std::string_view kCluster = "cudaLaunchAttributeClusterDimension";

// What is known of a configuration at a place.
struct ConfigAt {
  Setting programmatic, cluster;
  std::string cluster_size, dynamic_shared;  // source texts
  std::uint32_t parameter = kNone;  // it is a parameter of the function
  Symbol helper;                    // it is the result of this function
};

class ConfigReader {
 public:
  ConfigReader(const Lexemes& body, const Blocks& blocks, const NameIndex& names,
               const std::vector<Symbol>& parameters)
      : l_(body), blocks_(blocks), names_(names), parameters_(parameters) {}

  // The configuration that the expression [begin, end) names, at the lexeme `at`.
  ConfigAt at(std::size_t begin, std::size_t end, std::size_t at) const;
  // What the function sets in any configuration, seen from its end.
  ConfigAt anywhere() const;
  // True if `name` is a variable of a configuration type at `at`.
  bool is_config(std::string_view name, std::size_t at) const;

 private:
  // The lexeme of the visible declaration of a variable, if it is in this function.
  std::optional<std::size_t> declaration(std::string_view name, std::size_t at) const;
  std::string_view attributes_of(std::string_view config, std::size_t from, std::size_t at) const;
  std::string_view initializer_attributes(std::size_t declared) const;
  std::string_view base_of(std::size_t member_dot) const;
  Symbol helper_of(std::size_t declared) const;
  Setting setting(std::string_view id, std::string_view attributes, std::string_view config,
                  std::size_t at) const;
  Setting value_of(std::string_view member, std::string_view attributes, std::size_t at) const;
  // How many attributes are passed on: none, enough, or under a condition.
  Setting count(std::string_view config, std::int64_t index, std::size_t at) const;
  Setting literal_or_condition(std::size_t begin, std::size_t end, std::int64_t more_than) const;
  Setting under(std::size_t statement, std::size_t at, Setting value) const;
  std::size_t statement_end(std::size_t i) const;
  std::string cluster_size(std::string_view attributes, std::size_t at) const;
  std::string dynamic_shared(std::string_view config, std::size_t declared, std::size_t at) const;

  const Lexemes& l_;
  const Blocks& blocks_;
  const NameIndex& names_;
  const std::vector<Symbol>& parameters_;
};

}  // namespace ungate::cuda

#include "verify/bench_shapes.h"

#include <cstdlib>
#include <sstream>

namespace arf::verify {
namespace {

constexpr struct {
  const char* name;
  int algorithm;
} kNames[] = {{"oneshot", ARF_ONESHOT},
              {"twoshot", ARF_TWOSHOT},
              {"pull", ARF_PULL},
              {"hierarchical", ARF_HIERARCHICAL}};

// The number of a shape that a letter stands for.
int* number(Manner& m, char letter) {
  switch (letter) {
    case 'c':
      return &m.cluster;
    case 'p':
      return &m.packs;
    case 'w':
      return &m.pause_ns;
    case 'u':
      return &m.max_units;
    default:
      return nullptr;
  }
}

}  // namespace

std::string name_of(const Manner& m) {
  std::string out;
  for (const auto& n : kNames)
    if (n.algorithm == m.algorithm) out = n.name;
  Manner copy = m;
  for (const char letter : {'c', 'p', 'u', 'w'})
    if (const int n = *number(copy, letter); n > 0)
      out += std::string("_") + letter + std::to_string(n);
  return out;
}

std::vector<Manner> splits(int algorithm, int tokens, int hidden) {
  std::vector<Manner> out;
  for (const int cluster : {1, 2, 4, 8})
    for (const int packs : {1, 2}) {
      const int threads = hidden / 8 / cluster / packs;
      if (tokens * cluster > 1100 || threads > 512 || threads < 96) continue;
      Manner m;
      m.algorithm = algorithm;
      m.cluster = cluster;
      m.packs = packs;
      out.push_back(m);
    }
  return out;
}

std::vector<Manner> variations(const Manner& best, int tokens) {
  std::vector<Manner> out;
  const auto with = [&](int Manner::*field, int n) {
    Manner m = best;
    m.*field = n;
    out.push_back(m);
  };
  for (const int n : {100, 300}) with(&Manner::pause_ns, n);
  for (const int n : {66, 88, 132})
    if (tokens > n) with(&Manner::max_units, n);
  return out;
}

std::vector<Manner> parse_shapes(const std::string& names) {
  std::vector<Manner> out;
  std::stringstream list(names);
  for (std::string name; std::getline(list, name, ',');) {
    Manner m;
    std::stringstream parts(name);
    for (std::string part; std::getline(parts, part, '_');) {
      for (const auto& n : kNames)
        if (part == n.name) m.algorithm = n.algorithm;
      if (int* const n = number(m, part[0]); n != nullptr && std::atoi(part.c_str() + 1) > 0)
        *n = std::atoi(part.c_str() + 1);
    }
    if (m.algorithm != ARF_AUTO) out.push_back(m);
  }
  return out;
}

}  // namespace arf::verify

#include "verify/bench_options.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>

namespace arf::verify {
namespace {

std::vector<int> numbers(const std::string& s) {
  std::vector<int> out;
  std::stringstream in(s);
  for (std::string part; std::getline(in, part, ',');) out.push_back(std::atoi(part.c_str()));
  return out;
}

}  // namespace

bool parse_options(int argc, char** argv, BenchOptions& o) {
  for (int i = 1; i < argc; i++) {
    const std::string a = argv[i];
    if (a == "--sweep" || a == "--tune") {
      o.sweep = true;
      o.tune = o.tune || a == "--tune";
      continue;
    }
    if (i + 1 >= argc) return false;
    const std::string v = argv[++i];
    if (a == "--devices") {
      o.devices = numbers(v);
    } else if (a == "--hidden") {
      o.hidden = numbers(v);
    } else if (a == "--tokens") {
      o.tokens = numbers(v);
    } else if (a == "--patterns") {
      o.patterns = numbers(v);
    } else if (a == "--transport") {
      o.transport = v == "host" ? ARF_TRANSPORT_HOST : ARF_TRANSPORT_PEER;
    } else if (a == "--nccl") {
      o.nccl = v;
    } else if (a == "--csv") {
      o.csv = v;
    } else if (a == "--shapes") {
      o.shapes = v;
    } else if (a == "--replays") {
      o.replays = std::atoi(v.c_str());
    } else {
      return false;
    }
  }
  const auto positive = [](int n) { return n > 0; };
  return o.devices.size() >= 2 && !o.hidden.empty() && !o.tokens.empty() && o.replays > 0 &&
         std::all_of(o.hidden.begin(), o.hidden.end(), positive) &&
         std::all_of(o.tokens.begin(), o.tokens.end(), positive);
}

}  // namespace arf::verify

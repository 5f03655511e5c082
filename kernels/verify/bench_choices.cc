#include "verify/bench_choices.h"

#include <algorithm>
#include <climits>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace arf::verify {
namespace {

// Up to where a size stands for others, given the next larger one that was measured.
template <class Map>
int reach(const Map& sizes, typename Map::const_iterator at) {
  const auto next = std::next(at);
  if (next == sizes.end()) return INT_MAX;
  return static_cast<int>(std::sqrt(static_cast<double>(at->first) * next->first));
}

int knobs(const Manner& m) {
  return (m.max_units > 0) + (m.pause_ns > 0);
}

}  // namespace

void ChoiceMaker::add(int hidden, int tokens, const Manner& m, double us) {
  if (std::isfinite(us)) times_[hidden][tokens].emplace_back(us, m);
}

std::vector<Choice> ChoiceMaker::choices(int world) const {
  std::vector<Choice> out;
  for (auto h = times_.begin(); h != times_.end(); ++h)
    for (auto t = h->second.begin(); t != h->second.end(); ++t) {
      const auto faster = [](const auto& a, const auto& b) { return a.first < b.first; };
      const double least = std::min_element(t->second.begin(), t->second.end(), faster)->first;
      const std::pair<double, Manner>* best = nullptr;
      for (const auto& v : t->second) {
        if (v.first > 1.005 * least) continue;
        if (best == nullptr || knobs(v.second) < knobs(best->second) ||
            (knobs(v.second) == knobs(best->second) && v.first < best->first))
          best = &v;
      }
      const int of_row = reach(times_, h);
      const Manner& m = best->second;
      out.push_back({world, of_row == INT_MAX ? INT_MAX : of_row / 8, reach(h->second, t),
                     m.algorithm, std::max(m.cluster, 1), std::max(m.packs, 1), m.max_units,
                     m.pause_ns});
    }
  return out;
}

std::string leave_choices(const std::vector<int>& devices, int transport,
                          const std::vector<Choice>& choices) {
  Machine machine;
  if (cudaDriverGetVersion(&machine.driver) != cudaSuccess) return "the driver has no version";
  for (const int d : devices) {
    cudaDeviceProp properties;
    if (cudaGetDeviceProperties(&properties, d) != cudaSuccess) return "a device has no properties";
    machine.devices.push_back(uuid_text(properties.uuid.bytes));
  }
  const std::string name = choices_file(static_cast<int>(devices.size()), transport);
  if (name.empty()) return "there is no home folder; name a file with ARF_CHOICES";
  std::error_code ec;
  std::filesystem::create_directories(std::filesystem::path(name).parent_path(), ec);
  std::ofstream out(name, std::ios::binary);
  out << write_choices(machine, choices);
  return out.flush() ? name : "cannot write " + name;
}

}  // namespace arf::verify

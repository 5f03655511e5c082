// Loops over all cores.
#pragma once

#include <algorithm>
#include <cstdint>
#include <thread>
#include <vector>

namespace arf::verify {

template <class F>
void in_parallel(uint64_t n, F f) {
  const uint64_t threads =
      std::min<uint64_t>({std::max(1u, std::thread::hardware_concurrency()), 32, n});
  if (threads <= 1) {
    if (n > 0) f(uint64_t{0}, n);
    return;
  }
  std::vector<std::thread> team;
  for (uint64_t t = 0; t < threads; t++)
    team.emplace_back([=] { f(n * t / threads, n * (t + 1) / threads); });
  for (auto& member : team) member.join();
}

}  // namespace arf::verify

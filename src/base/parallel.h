// Work on many items with a few threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace ungate {

// 0 means "as many as the machine has".
inline unsigned thread_count(unsigned wanted) {
  return wanted != 0 ? wanted : std::max(1u, std::thread::hardware_concurrency());
}

// Calls body(i) for every i below n, from up to `threads` threads; each takes `chunk` items at a time.
// Returns when all are done. body must not throw.
template <class Body>
void parallel_for(std::size_t n, unsigned threads, Body&& body, std::size_t chunk = 1) {
  threads = static_cast<unsigned>(
      std::min<std::size_t>(thread_count(threads), (n + chunk - 1) / std::max<std::size_t>(chunk, 1)));
  if (threads <= 1) {
    for (std::size_t i = 0; i < n; ++i) body(i);
    return;
  }
  std::atomic<std::size_t> next{0};
  auto work = [&] {
    for (;;) {
      std::size_t begin = next.fetch_add(chunk, std::memory_order_relaxed);
      if (begin >= n) return;
      for (std::size_t i = begin; i < std::min(begin + chunk, n); ++i) body(i);
    }
  };
  std::vector<std::jthread> others;
  for (unsigned t = 1; t < threads; ++t) others.emplace_back(work);
  work();
}

}  // namespace ungate

// Freeing what is large and not needed any more: millions of small pieces take a tenth of a second.
#pragma once

#include <memory>
#include <thread>

namespace ungate {

// Destroys the value on another thread; the program's end does not wait for that. The value must not refer to
// anything that its destructor touches and that may be gone by then.
template <class T>
void discard(std::unique_ptr<T> value) {
  std::thread([kept = std::move(value)] {}).detach();
}

}  // namespace ungate

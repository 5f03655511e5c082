// Containers whose elements never move: references stay valid while they grow.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace ungate {

template <class T, std::size_t kBits = 10>
class StableVector {
 public:
  T& push_back(T value) {
    if ((size_ & kMask) == 0 && size_ >> kBits == pages_.size()) {
      pages_.push_back(std::make_unique<T[]>(kMask + 1));
    }
    T& slot = pages_[size_ >> kBits][size_ & kMask];
    slot = std::move(value);
    ++size_;
    return slot;
  }
  T& operator[](std::size_t i) { return pages_[i >> kBits][i & kMask]; }
  const T& operator[](std::size_t i) const { return pages_[i >> kBits][i & kMask]; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& back() { return (*this)[size_ - 1]; }

 private:
  static constexpr std::size_t kMask = (std::size_t{1} << kBits) - 1;
  std::vector<std::unique_ptr<T[]>> pages_;
  std::size_t size_ = 0;
};

// Copies short arrays into blocks that are freed together.
template <class T>
class Arena {
 public:
  std::span<const T> keep(std::span<const T> items) {
    if (items.empty()) return {};
    if (items.size() > left_) {
      left_ = std::max<std::size_t>(items.size(), 4096);
      blocks_.push_back(std::make_unique_for_overwrite<T[]>(left_));
      at_ = blocks_.back().get();
    }
    T* begin = at_;
    std::copy(items.begin(), items.end(), begin);
    at_ += items.size();
    left_ -= items.size();
    return {begin, items.size()};
  }

 private:
  std::vector<std::unique_ptr<T[]>> blocks_;
  T* at_ = nullptr;
  std::size_t left_ = 0;
};

}  // namespace ungate

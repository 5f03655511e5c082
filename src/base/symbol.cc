#include "base/symbol.h"

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/hash.h"

namespace ungate {
namespace {

// Texts live in pages that never move, so that text() needs no lock.
constexpr std::size_t kPageBits = 12;
constexpr std::size_t kPageSize = 1u << kPageBits;
constexpr std::size_t kPages = 1u << 14;  // 67 million symbols
constexpr std::size_t kShards = 16;

struct Hasher {
  std::size_t operator()(std::string_view s) const { return hash64(s); }
};

class Table {
 public:
  static Table& get() {
    static Table table;
    return table;
  }

  std::uint32_t intern(std::string_view text) {
    if (text.empty()) return 0;
    Shard& shard = shards_[hash64(text) >> 60 & (kShards - 1)];
    std::lock_guard lock(shard.mutex);
    if (auto found = shard.ids.find(text); found != shard.ids.end()) return found->second;
    std::string_view kept = shard.keep(text);
    std::uint32_t id = next_.fetch_add(1, std::memory_order_relaxed);
    page(id >> kPageBits)[id & (kPageSize - 1)] = kept;
    shard.ids.emplace(kept, id);
    return id;
  }

  std::string_view text(std::uint32_t id) const {
    if (id == 0) return {};
    return pages_[id >> kPageBits].load(std::memory_order_acquire)[id & (kPageSize - 1)];
  }

 private:
  struct Shard {
    std::mutex mutex;
    std::unordered_map<std::string_view, std::uint32_t, Hasher> ids;
    std::vector<std::unique_ptr<char[]>> blocks;
    std::size_t left = 0;
    char* at = nullptr;

    std::string_view keep(std::string_view s) {
      if (s.size() > left) {
        std::size_t size = std::max<std::size_t>(s.size(), 1u << 15);
        blocks.push_back(std::make_unique_for_overwrite<char[]>(size));
        at = blocks.back().get();
        left = size;
      }
      s.copy(at, s.size());
      std::string_view kept(at, s.size());
      at += s.size();
      left -= s.size();
      return kept;
    }
  };

  std::string_view* page(std::size_t index) {
    std::string_view* existing = pages_[index].load(std::memory_order_acquire);
    if (existing != nullptr) return existing;
    auto* fresh = new std::string_view[kPageSize];  // lives as long as the program
    if (pages_[index].compare_exchange_strong(existing, fresh, std::memory_order_acq_rel)) return fresh;
    delete[] fresh;
    return existing;
  }

  std::array<Shard, kShards> shards_;
  std::array<std::atomic<std::string_view*>, kPages> pages_{};
  std::atomic<std::uint32_t> next_{1};
};

}  // namespace

Symbol::Symbol(std::string_view text) : id_(Table::get().intern(text)) {}
std::string_view Symbol::text() const { return Table::get().text(id_); }

}  // namespace ungate

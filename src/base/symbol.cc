#include "base/symbol.h"

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/hash.h"

namespace ungate {
namespace {

// Texts live in pages that never move, so that text() needs no lock.
constexpr std::size_t kPageBits = 12;
constexpr std::size_t kPageSize = 1u << kPageBits;
constexpr std::size_t kPages = 1u << 14;  // 67 million symbols
constexpr std::size_t kShards = 16;

// Texts are found in open-addressing tables of (hash, id) pairs. Looking one up takes no lock: entries are
// written once, and a table that grows is replaced, never changed; readers of the old one miss at worst,
// and look again under the lock.
class Table {
 public:
  static Table& get() {
    static Table* table = new Table;  // lives as long as the program
    return *table;
  }

  std::uint32_t intern(std::string_view text) {
    if (text.empty()) return 0;
    std::uint64_t hash = hash64(text);
    Shard& shard = shards_[hash >> 60 & (kShards - 1)];
    if (std::uint32_t id = find(shard.entries.load(std::memory_order_acquire), hash, text)) return id;
    std::lock_guard lock(shard.mutex);
    Entries* entries = shard.entries.load(std::memory_order_relaxed);
    if (std::uint32_t id = find(entries, hash, text)) return id;
    if (entries == nullptr || (shard.used + 1) * 2 > entries->size) entries = grow(shard);
    std::string_view kept = shard.keep(text);
    std::uint32_t id = next_.fetch_add(1, std::memory_order_relaxed);
    page(id >> kPageBits)[id & (kPageSize - 1)] = kept;
    put(*entries, hash, id);
    ++shard.used;
    return id;
  }

  std::string_view text(std::uint32_t id) const {
    if (id == 0) return {};
    return pages_[id >> kPageBits].load(std::memory_order_acquire)[id & (kPageSize - 1)];
  }

 private:
  struct Entries {
    std::size_t size;
    std::unique_ptr<std::atomic<std::uint64_t>[]> at;   // high half: of the hash; low half: the id
  };
  struct Shard {
    std::mutex mutex;
    std::atomic<Entries*> entries{nullptr};
    std::size_t used = 0;
    std::vector<std::unique_ptr<Entries>> tables;       // outgrown ones may still be read
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

  static std::uint64_t tag(std::uint64_t hash) { return hash & 0xffffffff00000000u; }

  std::uint32_t find(const Entries* entries, std::uint64_t hash, std::string_view wanted) const {
    if (entries == nullptr) return 0;
    for (std::size_t i = hash & (entries->size - 1);; i = (i + 1) & (entries->size - 1)) {
      std::uint64_t entry = entries->at[i].load(std::memory_order_acquire);
      if (entry == 0) return 0;
      auto id = static_cast<std::uint32_t>(entry);
      if (tag(entry) == tag(hash) && text(id) == wanted) return id;
    }
  }

  static void put(Entries& entries, std::uint64_t hash, std::uint32_t id) {
    std::size_t i = hash & (entries.size - 1);
    while (entries.at[i].load(std::memory_order_relaxed) != 0) i = (i + 1) & (entries.size - 1);
    entries.at[i].store(tag(hash) | id, std::memory_order_release);
  }

  Entries* grow(Shard& shard) {
    const Entries* old = shard.entries.load(std::memory_order_relaxed);
    auto fresh = std::make_unique<Entries>();
    fresh->size = old == nullptr ? 1024 : old->size * 2;
    fresh->at = std::make_unique<std::atomic<std::uint64_t>[]>(fresh->size);
    for (std::size_t i = 0; old != nullptr && i < old->size; ++i) {
      auto id = static_cast<std::uint32_t>(old->at[i].load(std::memory_order_relaxed));
      if (id != 0) put(*fresh, hash64(text(id)), id);
    }
    shard.entries.store(fresh.get(), std::memory_order_release);
    shard.tables.push_back(std::move(fresh));
    return shard.tables.back().get();
  }

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

#include "binary/stream.h"

#include <fmt/core.h>

#include <algorithm>

#include "binary/elf.h"
#include "binary/stream_scan.h"

namespace ungate::binary {
namespace {

// Section tables lie at the end of a file with the names of sections in front of them; tools that
// edit files move both, but together.
constexpr std::uint64_t kFront = 1u << 20, kBeforeTable = 1u << 20, kBehindTable = 16u << 20;

// The bytes at the front and around the section table; asking for others fails.
class Parts : public ByteSource {
 public:
  Parts(const std::string& name, std::uint64_t size, std::string_view front, std::string_view tail,
        std::uint64_t tail_at)
      : ByteSource(name, size), front_(front), tail_(tail), tail_at_(tail_at) {}

  Result<std::string_view> some(std::uint64_t offset, std::span<char> into) const override {
    for (auto [bytes, at] : {std::pair(front_, std::uint64_t{0}), std::pair(tail_, tail_at_)}) {
      if (offset < at || offset + into.size() > at + bytes.size()) continue;
      std::ranges::copy(bytes.substr(offset - at, into.size()), into.begin());
      return std::string_view(into.data(), into.size());
    }
    return bad(offset, "this is not where linkers put it; only the unpacked file can be listed");
  }

 private:
  std::string_view front_, tail_;
  std::uint64_t tail_at_;
};

}  // namespace

class StreamLister::Large {
 public:
  Large(const std::string& name, std::string_view front)
      : name_(name), scan_(name), front_(front.substr(0, kFront)) {
    kind_ = kind_of_bytes(front_);
    if (is_elf(front_) && front_.size() >= kElfHeaderSize) {
      table_ = load<std::uint64_t>(front_, 40);
    }
  }

  void feed(std::string_view bytes) {
    if (kind_ != FileKind::shared_object && kind_ != FileKind::object_file) return;
    scan_.feed(bytes);
    tail_ += bytes;
    std::uint64_t end = tail_at_ + tail_.size();
    if (end > table_ + kBehindTable) {
      // Something else is behind the table, and a lot of it.
      tail_.resize(tail_.size() -
                   std::min<std::uint64_t>(tail_.size(), end - table_ - kBehindTable));
      return;
    }
    std::uint64_t from = std::min(end, table_);
    from -= std::min(from, kBeforeTable);
    if (from > tail_at_ + kBeforeTable) {  // not at every call: it moves the rest
      tail_.erase(0, from - tail_at_);
      tail_at_ = from;
    }
  }

  Result<Listing> finish() {
    Listing out;
    out.kind = kind_;
    if (kind_ == FileKind::no_binary || kind_ == FileKind::other_vendor) return out;
    if (kind_ != FileKind::shared_object && kind_ != FileKind::object_file) {
      return fail(
          ErrorCode::malformed,
          fmt::format("a file of the kind '{}' that is this large is not listed inside an archive",
                      binary::name_of(kind_)),
          name_);
    }
    scan_.finish();
    Parts parts(name_, scan_.size(), front_, tail_, tail_at_);
    auto elf = read_elf(parts);
    if (!elf) return std::unexpected(elf.error());
    if (elf->header.table == 0) {
      return parts.bad(40, "without a section table, device code cannot be found");
    }
    for (const Section& s : elf->sections) {
      bool relfatbin = s.name == "__nv_relfatbin";
      if ((s.name != ".nv_fatbin" && !relfatbin) || !s.has_bytes()) continue;
      Place place = relfatbin ? Place::relfatbin : Place::fatbin;
      if (auto status = add(parts, s, place, out); !status) return std::unexpected(status.error());
    }
    return out;
  }

 private:
  // Containers and zeros must fill the section.
  Status add(const ByteSource& source, const Section& s, Place place, Listing& out) const {
    for (const FalseStart& f : scan_.false_starts()) {
      if (f.offset >= s.offset && f.offset - s.offset < s.size) return std::unexpected(f.error);
    }
    std::uint64_t filled = s.offset, end = s.offset + s.size;
    for (const PassedContainer& c : scan_.containers()) {
      if (c.container.offset < s.offset || c.container.offset >= end) continue;
      if (c.zeros_from > filled) return source.bad(filled, "a fatbin should begin here");
      if (c.container.end > end)
        return source.bad(c.container.offset, "a fatbin reaches beyond its section");
      auto unit = static_cast<std::uint32_t>(out.units.size());
      out.units.push_back({place, "", c.empty});
      for (CodeObject o : c.objects) {
        o.unit = unit;
        out.objects.push_back(o);
      }
      filled = std::max(c.container.end, c.zeros_to);
    }
    if (filled < end) return source.bad(filled, "a fatbin should begin here");
    return {};
  }

  const std::string& name_;
  FileKind kind_ = FileKind::no_binary;
  StreamScan scan_;
  std::string front_, tail_;
  std::uint64_t tail_at_ = 0, table_ = 0;
};

StreamLister::StreamLister(std::string name, std::uint64_t keep)
    : name_(std::move(name)), keep_(keep) {}
StreamLister::~StreamLister() = default;

void StreamLister::feed(std::string_view bytes) {
  if (large_ == nullptr) {
    // What kind of file it is must be plain before the rest may pass: 64 bytes say so of ELF only.
    std::uint64_t least = is_elf(bytes_.empty() ? bytes : bytes_) ? kElfHeaderSize : kFront;
    if (bytes_.size() + bytes.size() <= std::max(keep_, least)) {
      bytes_ += bytes;
      return;
    }
    bytes_ += bytes.substr(0, std::min<std::size_t>(bytes.size(), kFront));
    bytes.remove_prefix(std::min<std::size_t>(bytes.size(), kFront));
    large_ = std::make_unique<Large>(name_, bytes_);
    large_->feed(bytes_);
    bytes_ = std::string();
  }
  large_->feed(bytes);
}

Result<Listing> StreamLister::finish() {
  if (large_ != nullptr) return large_->finish();
  return list(Memory(name_, bytes_));
}

const std::string* StreamLister::whole() const {
  return large_ == nullptr ? &bytes_ : nullptr;
}

}  // namespace ungate::binary

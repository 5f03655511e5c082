#include "binary/stream_scan.h"

#include <algorithm>
#include <bit>

#include "binary/listing.h"

namespace ungate::binary {
namespace {

// Magic, version 1 and a header of 16 bytes: what every container begins with.
constexpr std::uint64_t kBeginning = std::uint64_t{0x00100001} << 32 | kFatbinMagic;
constexpr std::uint64_t kWindow = 192;  // an entry's header and the first bytes behind it

}  // namespace

void StreamScan::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    std::size_t used = 0;
    if (at_ < skip_to_) {
      used = static_cast<std::size_t>(std::min<std::uint64_t>(skip_to_ - at_, bytes.size()));
    } else if (state_ == State::scan) {
      if (at_ % 8 != 0 || bytes.size() < 8) {
        gather(State::word, 8 - at_ % 8);
        continue;
      }
      used = scan(bytes);
    } else {
      used =
          static_cast<std::size_t>(std::min<std::uint64_t>(needed_ - kept_.size(), bytes.size()));
      kept_ += bytes.substr(0, used);
    }
    at_ += used;
    bytes.remove_prefix(used);
    while (state_ != State::scan && at_ >= skip_to_ && kept_.size() >= needed_) gathered();
  }
}

// Looks at whole words until a container begins; gives the number of bytes seen.
std::size_t StreamScan::scan(std::string_view bytes) {
  std::size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) {
    auto word = load<std::uint64_t>(bytes, i);
    if (word == kBeginning) {
      kept_at_ = at_ + i;
      gather(State::container, kContainerHeaderSize);
      break;
    }
    if (word != 0 || !zeros_) see_word(word, at_ + i);
  }
  return i;
}

// Follows the zeros behind the last container and in front of the next one.
void StreamScan::see_word(std::uint64_t word, std::uint64_t offset) {
  if (word == 0) {
    if (!zeros_) zeros_from_ = offset, zeros_ = true;
    return;
  }
  if (!containers_.empty() && containers_.back().zeros_to == 0) {
    containers_.back().zeros_to = offset + static_cast<std::uint64_t>(std::countr_zero(word)) / 8;
  }
  zeros_ = false;
}

void StreamScan::gather(State state, std::uint64_t count) {
  state_ = state;
  kept_.clear();
  if (state == State::word) kept_at_ = at_;
  needed_ = count;
}

void StreamScan::gathered() {
  switch (state_) {
    case State::word: {
      if (kept_.size() == 8 && load<std::uint64_t>(kept_, 0) == kBeginning) {
        state_ = State::container;
        needed_ = kContainerHeaderSize;
        break;
      }
      std::string word = kept_;
      word.resize(8, '\0');
      state_ = State::scan;
      see_word(load<std::uint64_t>(word, 0), kept_at_);
      break;
    }
    case State::container:
      begin_container();
      break;
    case State::entry:
      read_entry();
      break;
    case State::payload:
      look_into_payload();
      break;
    case State::scan:
      break;
  }
}

void StreamScan::begin_container() {
  Memory nothing(name_, {});
  auto container = parse_container(nothing, kept_, kept_at_, UINT64_MAX >> 1);
  current_ = {};
  current_.container.offset = kept_at_;
  if (!container) return give_up(container.error());
  if (!containers_.empty() && containers_.back().zeros_to == 0) {
    containers_.back().zeros_to = kept_at_;
  }
  current_.container = *container;
  current_.zeros_from = zeros_ ? zeros_from_ : kept_at_;
  go_on(container->first);
}

// Continues with the entry at `offset`, some of whose bytes may have been kept already.
void StreamScan::go_on(std::uint64_t offset) {
  std::uint64_t end = current_.container.end;
  if (offset >= end) {
    containers_.push_back(std::move(current_));
    zeros_from_ = end, zeros_ = true;
    state_ = State::scan;
    kept_.clear();
    needed_ = 0;
    skip_to_ = std::max(at_, end);
    return;
  }
  std::uint64_t have = kept_at_ + kept_.size();
  if (offset <= have) {
    kept_.erase(0, offset - kept_at_);
  } else {
    kept_.clear();
    skip_to_ = offset;
  }
  kept_at_ = offset;
  needed_ = std::min(kWindow, end - offset);
  state_ = State::entry;
}

void StreamScan::read_entry() {
  Memory nothing(name_, {});
  auto entry = parse_entry(nothing, kept_, kept_at_, current_.container.end);
  if (!entry) return give_up(entry.error());
  const CodeObject& o = entry->object;
  next_entry_ = entry->next;
  bool small =
      o.kind == CodeKind::elf && o.size <= kLargestEmptyCubin && o.stored <= kLargestEmptyCubin;
  bool ask = current_.empty && small;
  if (!ask) current_.empty = false;
  current_.objects.push_back(o);
  if (!ask) return go_on(next_entry_);
  needed_ = std::max<std::uint64_t>(needed_, o.offset - kept_at_ + o.stored);
  state_ = State::payload;
}

void StreamScan::look_into_payload() {
  CodeObject o = current_.objects.back();
  o.offset -= kept_at_;
  current_.empty = is_surely_empty(Memory(name_, kept_), o);
  go_on(next_entry_);
}

// Something else began like a container. What was kept of it may hold the beginning of a real one.
void StreamScan::give_up(const Error& error) {
  false_starts_.push_back({current_.container.offset, error});
  std::string again = state_ == State::container ? kept_.substr(8) : kept_;
  at_ -= again.size();
  zeros_ = false;
  state_ = State::scan;
  kept_.clear();
  needed_ = 0;
  feed(again);
}

void StreamScan::finish() {
  if (state_ == State::word) {
    needed_ = kept_.size();
    gathered();
  }
  if (state_ != State::scan || at_ < skip_to_) {
    Memory nothing(name_, {});
    std::uint64_t offset =
        state_ == State::scan ? containers_.back().container.offset : current_.container.offset;
    if (state_ == State::scan) containers_.pop_back();
    false_starts_.push_back({offset, nothing.bad(offset, "the file ends inside a fatbin").error()});
  }
  if (!containers_.empty() && containers_.back().zeros_to == 0) containers_.back().zeros_to = at_;
}

}  // namespace ungate::binary

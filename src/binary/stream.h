// Listings of files that pass by once, from front to back: members of archives.
//
// Small files are kept and listed as usual. Of large ELF files only these parts are kept:
// containers' and entries' headers (found by the magic at multiples of 8 while the bytes pass, and
// skipped over as their sizes say), the section table, and what lies before it, where linkers put
// the section names. At the end the section table must confirm the containers: they and zeros fill
// its sections of device code, exactly as for a file on disk. Otherwise the listing is refused.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "binary/listing.h"

namespace ungate::binary {

class StreamLister {
 public:
  // Files up to `keep` bytes are kept whole.
  explicit StreamLister(std::string name, std::uint64_t keep = std::uint64_t{32} << 20);
  ~StreamLister();

  void feed(std::string_view bytes);
  // After the last byte. `malformed` as from list(), or if the file cannot be listed in one pass.
  Result<Listing> finish();
  // The whole file after the last byte, if it was small enough to be kept.
  const std::string* whole() const;

 private:
  class Large;
  std::string name_;
  std::uint64_t keep_;
  std::string bytes_;             // from the front, until there are too many
  std::unique_ptr<Large> large_;  // from then on
};

}  // namespace ungate::binary

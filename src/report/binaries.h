// Binaries in the report for people: each file with what its code objects come to on the device.
#pragma once

#include <string>

#include "report/listing.h"

namespace ungate::report {

bool is_binary(const Entry& entry);

std::string binaries(const Entries& entries, const Listing& listing, const Paint& paint,
                     std::size_t width);

}  // namespace ungate::report

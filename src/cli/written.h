// What apply and revert say of files, by-products and processes.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "patch/by_products.h"
#include "patch/plan.h"
#include "report/words.h"

namespace ungate::cli {

// "  cleared 3 JIT cache folders, 1 .pyc file", or that they are stale and how to clear them; then
// each.
std::string by_products_text(const patch::ByProducts& by_products);
void write_by_products(JsonWriter& w, const patch::ByProducts& by_products);

// Processes that use the folders of these files, or have a cache of theirs open: restart needed.
std::string processes_text(const std::vector<patch::FileRef>& files,
                           const std::vector<patch::CacheRule>& caches);

}  // namespace ungate::cli

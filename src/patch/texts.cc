#include "patch/texts.h"

namespace ungate::patch {

Result<const Text*> Texts::find(const std::string& path) {
  auto [entry, fresh] = texts_.try_emplace(path);
  Text& text = entry->second;
  for (std::uint32_t site = 0;
       fresh && text.file == nullptr && site < ground_.environment.sites.size(); ++site) {
    auto bytes = ground_.load(site, path);
    if (!bytes) return std::unexpected(bytes.error());
    if (*bytes) text = {site, std::make_unique<source::SourceFile>(path, std::move(**bytes))};
  }
  return text.file == nullptr ? nullptr : &text;
}

}  // namespace ungate::patch

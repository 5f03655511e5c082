#include "package/owners.h"

#include <algorithm>

#include "base/text.h"
#include "package/folder.h"

namespace ungate::package {
namespace {

// "flashinfer" of "flashinfer/jit/comm.py" and "six" of "six.py".
std::string_view top_level(std::string_view path) {
  std::size_t slash = path.find('/');
  return slash == path.npos ? path.substr(0, path.find('.')) : path.substr(0, slash);
}

bool has_below(const Record& record, std::string_view folder) {
  std::string prefix = std::string(folder) + '/';
  auto at = std::ranges::lower_bound(record.entries(), prefix, {}, &RecordEntry::path);
  return at != record.entries().end() && at->path.starts_with(prefix);
}

// Distributions are mostly called as their top-level folder, or begin with it (flashinfer-python):
// those are asked first, so that one RECORD is read and not all.
int likeliness(const Distribution& d, const std::string& top) {
  return d.name == top ? 2 : d.name.starts_with(top) || top.starts_with(d.name) ? 1 : 0;
}

// The editable install whose sources the site is; its dist-info lies in another site.
const Distribution* editable_owner(const Environment& environment, std::uint32_t site) {
  for (const Distribution& d : environment.distributions) {
    if (d.editable_source.empty()) continue;
    std::string source = resolve(d.editable_source).value_or(d.editable_source);
    if (is_within(environment.sites[site].path, source)) return &d;
  }
  return nullptr;
}

}  // namespace

struct Owners::Loaded {
  std::once_flag once;
  Record record;
};

Owners::Owners(const Environment& environment)
    : environment_(environment),
      loaded_(std::make_unique<Loaded[]>(environment.distributions.size())) {}

Owners::~Owners() = default;

const Record& Owners::record(std::uint32_t distribution) const {
  Loaded& loaded = loaded_[distribution];
  std::call_once(loaded.once, [&] {
    const Distribution& d = environment_.distributions[distribution];
    if (auto record = read_record(environment_.sites[d.site].path, d)) {
      loaded.record = std::move(*record);
    }
  });
  return loaded.record;
}

Owner Owners::find(std::uint32_t site, std::string_view path) const {
  std::string top = normalised_name(top_level(path));
  std::vector<std::uint32_t> candidates;
  for (std::uint32_t i = 0; i < environment_.distributions.size(); ++i) {
    if (environment_.distributions[i].site == site) candidates.push_back(i);
  }
  std::ranges::stable_sort(candidates, std::greater(), [&](std::uint32_t i) {
    return likeliness(environment_.distributions[i], top);
  });
  for (std::uint32_t i : candidates) {
    if (const RecordEntry* entry = record(i).find(path)) {
      return {&environment_.distributions[i], entry};
    }
  }
  if (const Distribution* sources = editable_owner(environment_, site)) return {sources, nullptr};
  Owner owner;
  if (path.find('/') == path.npos) return owner;
  for (std::uint32_t i : candidates) {
    if (!has_below(record(i), top_level(path))) continue;
    if (owner.distribution != nullptr) return {};
    owner.distribution = &environment_.distributions[i];
  }
  return owner;
}

}  // namespace ungate::package

#include "package/verify.h"

#include <algorithm>
#include <mutex>

#include "base/file.h"
#include "base/hash.h"
#include "base/parallel.h"
#include "package/folder.h"

namespace ungate::package {
namespace {

struct Job {
  std::uint32_t distribution;
  const RecordEntry* entry;
  std::string path;  // absolute
};

// Scripts are listed with "..", in bin/; `pip install --target` puts them elsewhere altogether.
bool is_compared(const RecordEntry& entry) {
  return !entry.sha256.empty() && !entry.path.starts_with("..") && !entry.path.starts_with('/');
}

std::vector<Job> jobs_of(const Environment& environment, const Owners& owners,
                         std::span<const std::uint32_t> distributions) {
  std::vector<Job> jobs;
  for (std::uint32_t i : distributions) {
    const std::string& site = environment.sites[environment.distributions[i].site].path;
    for (const RecordEntry& entry : owners.record(i).entries()) {
      if (is_compared(entry)) jobs.push_back({i, &entry, join_path(site, entry.path)});
    }
  }
  return jobs;
}

bool compare(const Job& job, Mismatch& found) {
  found = {job.distribution, job.entry->path, Mismatch::Kind::changed, {}};
  auto text = read_file(job.path);
  if (!text) {
    bool missing = text.error().code == ErrorCode::no_such_path;
    found.kind = missing ? Mismatch::Kind::missing : Mismatch::Kind::unreadable;
    return false;
  }
  found.sha256 = sha256_hex(text->bytes);
  return found.sha256 == job.entry->sha256;
}

}  // namespace

std::vector<Mismatch> compare_with_record(const Environment& environment, const Owners& owners,
                                          std::span<const std::uint32_t> distributions,
                                          unsigned threads) {
  std::vector<Job> jobs = jobs_of(environment, owners, distributions);
  std::vector<Mismatch> out;
  std::mutex mutex;
  parallel_for(jobs.size(), threads, [&](std::size_t i) {
    Mismatch found;
    if (compare(jobs[i], found)) return;
    std::scoped_lock lock(mutex);
    out.push_back(std::move(found));
  }, 16);
  std::ranges::sort(out, {}, [](const Mismatch& m) { return std::pair(m.distribution, m.path); });
  return out;
}

}  // namespace ungate::package

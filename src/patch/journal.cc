#include "patch/journal.h"

#include <fcntl.h>
#include <time.h>

#include <algorithm>
#include <cerrno>

#include <fmt/core.h>

#include "base/file.h"
#include "base/hash.h"
#include "patch/disk.h"
#include "patch/plan_json.h"
#include "patch/state_folder.h"
#include "patch/steps.h"

namespace ungate::patch {
namespace {

constexpr std::string_view kSum = ", \"sum\": \"";
constexpr std::size_t kSumLength = kSum.size() + 16 + 2;  // digits, quote, brace
constexpr std::string_view kStateNames[] = {"apply", "applied", "undone", "revert", "reverted"};

std::string journal_file(const std::string& root) { return state_folder(root) + "/journal"; }

// Turns "{...}" into a line.
std::string sealed(std::string object) {
  object.pop_back();
  std::string sum = hex(hash64(object));
  return object.append(kSum) + sum + "\"}\n";
}

bool is_whole(std::string_view line) {
  if (line.size() < kSumLength) return false;
  std::string_view body = line.substr(0, line.size() - kSumLength);
  std::string_view tail = line.substr(body.size());
  return tail.starts_with(kSum) && tail.ends_with("\"}") &&
         tail.substr(kSum.size(), 16) == hex(hash64(body));
}

JsonWriter record(std::string_view name, std::string_view run) {
  JsonWriter w;
  w.begin_object().field("record", name).field("run", run).field("time", utc_time());
  return w;
}

std::string apply_record(const Run& run, const std::string& root) {
  JsonWriter w;
  w.begin_object()
      .field("record", name_of(Run::State::applying))
      .field("run", run.id)
      .field("time", run.time);
  w.field("pid", getpid()).field("target", run.target).field("clear_caches", run.clear_caches);
  w.key("files").begin_array();
  for (const RunFile& f : run.files) {
    w.begin_object().field("site", site_in_file(f.site, root)).field("path", f.path);
    w.field("package", f.package).field("version", f.version);
    w.field("before_sha256", f.before_sha256).field("after_sha256", f.after_sha256).end_object();
  }
  w.end_array();
  write_steps(w, run.steps);
  write_reliances(w, run.relies_on, root);
  write_caches(w, run.caches);
  w.end_object();
  return w.take();
}

Run read_run(const JsonFields& from, const std::string& root) {
  Run run;
  run.id = from.string("run");
  run.time = run.state_time = from.string("time");
  run.target = from.string("target");
  run.clear_caches = from.boolean("clear_caches");
  from.each("files", [&](const JsonFields& f) {
    run.files.push_back({site_from_file(f.string("site"), root), f.string("path"),
                         f.string("package"), f.string("version"), f.string("before_sha256"),
                         f.string("after_sha256")});
  });
  run.steps = read_steps(from);
  run.relies_on = read_reliances(from, root);
  run.caches = read_caches(from);
  return run;
}

}  // namespace

std::string_view name_of(Run::State state) { return kStateNames[static_cast<std::size_t>(state)]; }

std::string utc_time() {
  time_t now = time(nullptr);
  tm parts;
  gmtime_r(&now, &parts);
  char text[32];
  strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

Result<Journal> Journal::read(const std::string& root) {
  Journal journal(root);
  std::string path = journal_file(root);
  auto text = read_file_or_empty(path);
  if (!text) return std::unexpected(text.error());
  std::string_view rest = text->bytes;
  for (std::size_t number = 1; !rest.empty(); ++number) {
    std::size_t end = rest.find('\n');
    std::string_view line = rest.substr(0, end);
    bool last = end == rest.npos || end + 1 == rest.size();
    if (end == rest.npos || !is_whole(line)) {
      if (!last) {
        return fail(ErrorCode::bad_config, "is damaged", fmt::format("{}:{}", path, number));
      }
      journal.torn_ = true;
      break;
    }
    if (auto taken = journal.take(line, number); !taken) return std::unexpected(taken.error());
    journal.good_bytes_ += end + 1;
    rest.remove_prefix(end + 1);
  }
  return journal;
}

Status Journal::take(std::string_view line, std::size_t number) {
  std::string where = fmt::format("{}:{}", journal_file(root_), number);
  auto json = nlohmann::json::parse(line, nullptr, false);
  std::string problem;
  JsonFields fields(json, "", problem);
  std::string kind = fields.string("record");
  if (kind == "journal") {
    if (fields.number("format") == 1) return {};
    return fail(ErrorCode::bad_config, "was written by another version of ungate", where);
  }
  if (kind == name_of(Run::State::applying)) {
    runs_.push_back(read_run(fields, root_));
  } else {
    auto run = std::ranges::find(runs_, fields.string("run"), &Run::id);
    auto state = std::ranges::find(kStateNames, kind);
    bool known = state != std::end(kStateNames) || kind == "stopped";
    if (run == runs_.end() || !known) {
      return fail(ErrorCode::bad_config, "makes no sense here", where);
    }
    run->reason = fields.optional_string("reason");
    if (kind != "stopped") {
      run->state = static_cast<Run::State>(state - std::begin(kStateNames));
      run->state_time = fields.string("time");
    }
  }
  return problem.empty() ? Status() : Status(fail(ErrorCode::bad_config, problem, where));
}

const Run* Journal::find(std::string_view id) const {
  auto run = std::ranges::find(runs_, id, &Run::id);
  return run == runs_.end() ? nullptr : &*run;
}

const Run* Journal::interrupted() const {
  auto run = std::ranges::find_if(runs_.rbegin(), runs_.rend(), &Run::interrupted);
  return run == runs_.rend() ? nullptr : &*run;
}

Status Journal::append(std::string object) {
  std::string path = journal_file(root_), text;
  bool fresh = good_bytes_ == 0;
  if (fresh) text = sealed("{\"record\": \"journal\", \"format\": 1}");
  std::string line = sealed(std::move(object));
  text += line;
  if (!step("journal", path)) return std::unexpected(os_error("writing", path, errno));
  Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644));
  bool placed = file && ftruncate(file.get(), static_cast<off_t>(good_bytes_)) == 0 &&
                lseek(file.get(), 0, SEEK_END) >= 0;
  if (!placed) return std::unexpected(os_error("writing", path, errno));
  if (fresh) {
    if (auto synced = sync_folder(state_folder(root_)); !synced) return synced;
  }
  auto written = write_all(file.get(), text, path);
  if (written && (!step("sync", path) || fsync(file.get()) != 0)) {
    written = std::unexpected(os_error("writing", path, errno));
  }
  if (!written) {
    // Half a record means nothing, but a whole one that is not synced might be read later.
    if (ftruncate(file.get(), static_cast<off_t>(good_bytes_)) != 0) torn_ = true;
    return written;
  }
  good_bytes_ += text.size();
  torn_ = false;
  line.pop_back();
  return take(line, 0);
}

Status Journal::begin(const Run& run) { return append(apply_record(run, root_)); }

Status Journal::enter(const std::string& run, Run::State state, std::string_view reason) {
  JsonWriter w = record(name_of(state), run);
  if (state == Run::State::reverting) w.field("pid", getpid());
  if (!reason.empty()) w.field("reason", reason);
  w.end_object();
  return append(w.take());
}

Status Journal::stopped(const std::string& run, std::string_view reason) {
  JsonWriter w = record("stopped", run);
  w.field("reason", reason).end_object();
  return append(w.take());
}

}  // namespace ungate::patch

#include "kernels/build.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <regex>
#include <thread>

#include "base/file.h"
#include "base/hash.h"
#include "prove/messages.h"
#include "prove/process.h"

namespace ungate::kernels {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMessages = "compiler.txt";  // what nvcc said of the kernels
constexpr const char* kDone = "complete";          // written last

struct Job {
  std::string source, object;
};

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> heads) {
  return std::ranges::any_of(heads, [&](std::string_view h) { return text.starts_with(h); });
}

std::string object_of(const std::string& source) {
  std::string name = source;
  std::ranges::replace(name, '/', '_');
  return name + ".o";
}

class Builder {
 public:
  Builder(const BuildRequest& request, std::string folder)
      : r_(request), folder_(std::move(folder)) {}

  Status run() {
    std::vector<Job> jobs;
    for (const std::string& f : r_.sources.files) {
      bool library = starts_with_any(f, {"kernels_", "host/"});
      bool wanted = library || (r_.programs && f.starts_with("verify/"));
      if (wanted && (f.ends_with(".cu") || f.ends_with(".cc"))) jobs.push_back({f, object_of(f)});
    }
    // The kernels take longest.
    std::ranges::stable_sort(jobs, {}, [](const Job& j) { return !j.source.ends_with(".cu"); });
    if (auto status = compile_all(jobs); !status) return status;
    std::vector<std::string> library, verify, bench;
    for (const Job& j : jobs) {
      bool test_only = starts_with_any(j.source, {"verify/verify_main", "verify/suite_"});
      bool bench_only =
          starts_with_any(j.source, {"verify/bench_", "verify/timing", "verify/nccl_api"});
      if (!j.source.starts_with("verify/")) library.push_back(j.object);
      if (!bench_only) verify.push_back(j.object);
      if (!test_only) bench.push_back(j.object);
    }
    if (auto status = link("libarf.so", library, {"-shared"}); !status) return status;
    if (!r_.programs) return {};
    if (auto status = link("arf_verify", verify, {}); !status) return status;
    return link("arf_bench", bench, {});
  }

  const std::string& messages() const { return messages_; }

 private:
  std::vector<std::string> command(const Job& job) const {
    const std::string& s = r_.sources.folder;
    std::vector<std::string> c{r_.compiler.nvcc, "-c", s + '/' + job.source, "-o",
                               folder_ + '/' + job.object};
    c.insert(c.end(), {"-std=c++20", "-I" + s, "-I" + s + "/include",
                       "-Xcompiler=-fPIC,-fvisibility=hidden"});
    c.push_back("-DARF_BUILD=\"" + r_.target.name() + ' ' + r_.compiler.name() + '"');
    if (job.source.ends_with(".cu")) {
      std::string number = r_.target.name().substr(3);
      c.insert(c.end(),
               {"-O3", "-Xptxas=-v", "-gencode", "arch=compute_" + number + ",code=sm_" + number});
    } else {
      // The references are compared bit for bit.
      c.insert(c.end(), {"-O2", "-Xcompiler=-ffp-contract=off"});
    }
    return c;
  }

  Status compile_all(const std::vector<Job>& jobs) {
    std::atomic<std::size_t> next{0}, done{0};
    Status first;
    std::vector<std::jthread> threads;
    for (int t = 0; t < std::max(1, r_.jobs); ++t) {
      threads.emplace_back([&] {
        for (std::size_t i; (i = next++) < jobs.size();) {
          Status status = run(command(jobs[i]), jobs[i].source);
          std::lock_guard lock(mutex_);
          if (!status && first) {
            first = status;
            next = jobs.size();
          }
          if (r_.progress) r_.progress(++done, jobs.size());
        }
      });
    }
    threads.clear();
    return first;
  }

  Status link(const std::string& name, const std::vector<std::string>& objects,
              std::vector<std::string> flags) {
    std::vector<std::string> c{r_.compiler.nvcc, "-o", folder_ + '/' + name, "-cudart", "static"};
    c.insert(c.end(), flags.begin(), flags.end());
    for (const std::string& o : objects) c.push_back(folder_ + '/' + o);
    c.insert(c.end(), {"-lpthread", "-ldl"});
    return run(c, name);
  }

  Status run(const std::vector<std::string>& command, const std::string& what) {
    prove::ProcessOptions options;
    options.cancelled = r_.cancelled;
    auto result = prove::run_process(command, options);
    if (!result) return std::unexpected(result.error());
    if (result->status == 0) {
      std::lock_guard lock(mutex_);
      if (what.ends_with(".cu")) messages_ += result->messages + result->output;
      return {};
    }
    prove::CompilerError error = prove::first_error(result->messages);
    return fail(ErrorCode::proof_failed,
                what + " does not compile for " + r_.target.name() + ": " +
                    (error.text.empty() ? result->messages.substr(0, 400) : error.text),
                error.path);
  }

  const BuildRequest& r_;
  std::string folder_, messages_;
  std::mutex mutex_;
};

std::string lower_first(std::string name) {
  name.front() = static_cast<char>(name.front() + ('a' - 'A'));
  return name;
}

std::vector<KernelUse> uses_of(std::string_view messages) {
  std::vector<KernelUse> out;
  for (const auto& [name, resources] : prove::read_resources(messages)) {
    if (std::string words = in_words(name); words != name)
      out.push_back({words, resources.registers, resources.shared_bytes, resources.spill_bytes});
  }
  std::ranges::sort(out, {}, &KernelUse::name);
  return out;
}

}  // namespace

Status write_text(const std::string& path, std::string_view text) {
  std::ofstream out(path, std::ios::binary);
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  if (!out.flush()) return std::unexpected(os_error("writing", path, errno));
  return {};
}

std::string in_words(const std::string& mangled) {
  // name<format, ranks, packs a thread, epilogue>; what finishes a sum that is made has no ranks.
  static const std::regex kName(
      "_ZN3arf\\d+(oneshot|twoshot|pull|hierarchical|finish_rows)INS_4(Bf16|Fp16|Fp32)E(?:Li(\\d)E)"
      "?Li(\\d)"
      "ELi(\\d)EEE.*");
  static const std::regex kExperts("_ZN3arf\\d+moe_inputINS_4(Bf16|Fp16|Fp32)EEE.*");
  std::smatch m;
  if (std::regex_match(mangled, m, kExperts)) return "experts " + lower_first(m[1]);
  if (!std::regex_match(mangled, m, kName)) return mangled;
  constexpr const char* kEpilogues[] = {"sum only", "norm", "norm, quantised"};
  int epilogue = m[5].str().front() - '0';
  if (epilogue > 2) return mangled;
  std::string format = lower_first(m[2]);
  std::string what = m[1] == "finish_rows" ? "finish" : m[1].str();
  std::string ranks = m[3].matched ? m[3].str() + " ranks, " : std::string();
  return fmt::format("{} {}, {}{} a thread, {}", what, format, ranks, m[4].str(),
                     kEpilogues[epilogue]);
}

std::string default_cache() {
  const char* cache = getenv("XDG_CACHE_HOME");
  if (cache != nullptr && *cache == '/') return std::string(cache) + "/ungate/kernels";
  const char* home = getenv("HOME");
  return home != nullptr && *home == '/' ? std::string(home) + "/.cache/ungate/kernels"
                                         : std::string();
}

arch::CodeTarget target_for(arch::Device device) {
  auto exact = arch::find_code_target(device, arch::Suffix::exact);
  return exact ? *exact : *arch::find_code_target(device, arch::Suffix::plain);
}

Result<Build> build(const BuildRequest& request) {
  auto start = std::chrono::steady_clock::now();
  auto print = fingerprint(request.sources);
  if (!print) return std::unexpected(print.error());
  std::string key =
      hex(hash64(*print + request.compiler.version + (request.programs ? "+programs" : "")));
  Build out;
  out.folder = request.cache + '/' + request.target.name() + '-' + key;
  out.library = out.folder + "/libarf.so";
  std::error_code ec;
  if (!fs::exists(out.folder + '/' + kDone, ec)) {
    fs::create_directories(out.folder, ec);
    if (ec) return std::unexpected(os_error("making", out.folder, ec.value()));
    Builder builder(request, out.folder);
    if (auto status = builder.run(); !status) return std::unexpected(status.error());
    if (auto status = write_text(out.folder + '/' + kMessages, builder.messages()); !status)
      return std::unexpected(status.error());
    for (const auto& entry : fs::directory_iterator(out.folder, ec)) {
      if (entry.path().extension() == ".o") fs::remove(entry.path(), ec);
    }
    if (auto status = write_text(out.folder + '/' + kDone, ""); !status)
      return std::unexpected(status.error());
    out.compiled = true;
  }
  auto messages = read_file(out.folder + '/' + kMessages);
  if (!messages) return std::unexpected(messages.error());
  out.kernels = uses_of(messages->bytes);
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return out;
}

}  // namespace ungate::kernels

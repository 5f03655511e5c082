// The audit: everything from an environment on disk to judged gates. Read-only.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "audit/store.h"
#include "audit/walk.h"
#include "gate/gate.h"
#include "gate/sources.h"
#include "package/environment.h"
#include "python/evaluate.h"
#include "rules/rule_set.h"
#include "value/free.h"

namespace ungate::audit {

struct Report;
struct ArchiveTree;

// A place that somebody asks about.
struct Line {
  std::string path;            // relative to its import root
  std::uint32_t offset = 0;    // of a character of the line
};

// What the analysis knew when it ended. The references hold while the function runs that gets them.
struct Inside {
  const Report& report;
  FileStore& files;
  python::Program& program;
  python::Evaluation& evaluation;
  gate::CudaFiles& cuda;
  const value::World& cuda_world;
};

struct Options {
  std::vector<arch::Device> targets;
  std::vector<std::string> packages;   // normalised names; empty: all
  std::vector<std::string> excludes;   // globs on paths relative to an import root
  std::vector<value::World::Entry> assume;  // what holds besides, and instead of, the defaults
  unsigned threads = 0;
  bool binaries = true;                 // whether binaries are looked at
  bool kernels = false;                 // ... and into, which reads whole files
  bool open_too = false;               // gates of CUDA files that admit every target, too
  const Overlay* overlay = nullptr;
  const ArchiveTree* archive = nullptr;  // the environment is this one's; instead of files on disk
  const std::atomic<bool>* cancelled = nullptr;
  // Called now and then with what is being done.
  std::function<void(std::string_view stage, std::size_t done, std::size_t of)> progress;
  std::optional<Line> watch;           // for Evaluation::reached()
  std::function<void(const Inside&)> inspect;  // called once, at the end
};

struct Report {
  const package::Environment* environment = nullptr;
  std::vector<arch::Device> targets;
  value::World world;
  std::vector<gate::Gate> gates;       // of the packages and paths asked for; ordered by site, path, place
  std::vector<Unread> unread;          // what could not be read, or only partly
  std::vector<std::string> not_checked;
  struct Counts {
    std::size_t seen = 0, python = 0, cuda = 0;   // files: of any kind, and of the two that are read
    std::size_t binaries = 0;                     // with code objects or without
    std::size_t evaluated = 0, guarded = 0;       // of these: evaluated, with target macros
    std::size_t modules = 0;                      // JIT modules described
  } counts;
  struct Stage {
    std::string name;
    double seconds;
  };
  std::vector<Stage> stages;           // for --stats; never part of a report's text
};

Result<Report> audit(const package::Environment& environment, const rules::RuleSet& rules, const Options& options);

}  // namespace ungate::audit

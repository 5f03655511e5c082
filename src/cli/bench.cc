// ungate bench
#include <fmt/core.h>

#include <set>

#include "base/file.h"
#include "base/json.h"
#include "cli/command.h"
#include "cli/kernel_build.h"
#include "cli/machine.h"
#include "cli/version.h"
#include "kernels/bench_plot.h"
#include "kernels/bench_table.h"

namespace ungate::cli {
namespace {

struct Flags {
  KernelFlags kernels;
  std::string devices, hidden = "7168,4096", tokens = "1,8,32,64,128,256,512", nccl, transport,
                       plot, rows, from;
  bool tune = false;
};

using Points = std::vector<kernels::BenchPoint>;

std::set<std::pair<int, int>> groups(const Points& points) {
  std::set<std::pair<int, int>> out;
  for (const kernels::BenchPoint& p : points) out.emplace(p.ranks, p.hidden);
  return out;
}

std::string cell(double t) {
  return t == 0 ? "-" : fmt::format("{:.2f}", t);
}

std::string render_text(const Points& points) {
  std::string out = "µs a call in a CUDA graph, bf16, allreduce + residual + RMSNorm\n\n";
  out += fmt::format(
      "{:>5}  {:>6}  {:>6}  {:>8}  {:>8}  {:>8}  {:>7}  {:>11}  {:>5}  {:>6}  {:>6}  {:>6}\n",
      "ranks", "hidden", "tokens", "KB", "fused", "p99", "floor", "NCCL + norm", "ratio", "algbw",
      "busbw", "#wrong");
  for (const kernels::BenchPoint& p : points) {
    std::string ratio = p.ours > 0 && p.nccl > 0 ? fmt::format("{:.2f}", p.ours / p.nccl) : "-";
    out += fmt::format(
        "{:5}  {:6}  {:6}  {:8.0f}  {:>8}  {:>8}  {:>7}  {:>11}  {:>5}  {:>6}  {:>6}  {:6}\n",
        p.ranks, p.hidden, p.tokens, p.kilobytes(), cell(p.ours), cell(p.p99), cell(p.floor),
        cell(p.nccl), ratio, cell(p.algorithm_bandwidth()), cell(p.bus_bandwidth()), p.wrong);
  }
  out += '\n';
  for (const auto& [ranks, hidden] : groups(points))
    out += kernels::advice(points, ranks, hidden) + '\n';
  return out;
}

std::string render_json(const Points& points) {
  JsonWriter w(2);
  w.begin_object().field("schema", "ungate-bench").field("version", 1).field("tool", kVersion);
  w.key("points").begin_array();
  auto number = [&w](const char* name, double t) {
    w.key(name).raw(t == 0 ? "null" : fmt::format("{:.3f}", t));
  };
  for (const kernels::BenchPoint& p : points) {
    w.begin_object().field("ranks", p.ranks).field("hidden", p.hidden).field("tokens", p.tokens);
    number("fused_us", p.ours);
    number("fused_p99_us", p.p99);
    number("algbw_gbs", p.algorithm_bandwidth());
    number("busbw_gbs", p.bus_bandwidth());
    number("floor_us", p.floor);
    number("nccl_norm_us", p.nccl);
    w.string_or_null("nccl_variant", p.nccl_variant).field("wrong", p.wrong).end_object();
  }
  w.end_array().key("groups").begin_array();
  for (const auto& [ranks, hidden] : groups(points)) {
    w.begin_object().field("ranks", ranks).field("hidden", hidden);
    number("crossover_kb", kernels::crossover(points, ranks, hidden));
    w.field("advice", kernels::advice(points, ranks, hidden)).end_object();
  }
  w.end_array().key("errors").begin_array().end_array().end_object();
  return w.take() + '\n';
}

// Runs arf_bench, which leaves its rows in `csv`; whether every row's outputs were right.
Result<bool> measure(const Flags& flags, const std::string& csv, Console& console) {
  auto devices = device_list(flags.devices);
  if (!devices) return std::unexpected(devices.error());
  if (flags.devices.empty() && *devices == "0,0")
    return fail(ErrorCode::tool_missing,
                "this machine has one GPU, and ranks that share it say nothing about time", {},
                "ungate verify checks the kernels there");
  auto built = kernel_build(flags.kernels, true, console);
  if (!built) return std::unexpected(built.error());
  std::string nccl = flags.nccl.empty() ? find_nccl({}).path : flags.nccl;
  std::vector<std::string> arguments{"--devices", *devices,     "--hidden", flags.hidden,
                                     "--tokens",  flags.tokens, "--csv",    csv};
  if (!flags.transport.empty()) arguments.insert(arguments.end(), {"--transport", flags.transport});
  if (!nccl.empty()) arguments.insert(arguments.end(), {"--nccl", nccl});
  if (flags.tune) arguments.emplace_back("--tune");
  auto result = run_kernels(built->folder + "/arf_bench", arguments, console);
  if (!result) return std::unexpected(result.error());
  if (result->status != 0 && result->status != static_cast<int>(Exit::proof))
    return fail(ErrorCode::tool_missing, "the benchmark cannot run on devices " + *devices);
  if (flags.tune) console.print(result->output);
  return result->status == 0;
}

Result<Exit> run(const Flags& flags, Console& console) {
  auto scratch = prove::ScratchFolder::make();
  if (!scratch) return std::unexpected(scratch.error());
  std::string csv = flags.from;
  if (csv.empty()) csv = flags.rows.empty() ? scratch->path() + "/rows.csv" : flags.rows;
  bool right = true;
  if (flags.from.empty()) {
    auto measured = measure(flags, csv, console);
    if (!measured) return std::unexpected(measured.error());
    right = *measured;
  }
  auto text = read_file(csv);
  if (!text) {
    if (!flags.from.empty()) text.error().next = "name a file that `ungate bench --rows FILE` wrote";
    return std::unexpected(text.error());
  }
  auto rows = kernels::read_rows(text->bytes);
  if (!rows) return std::unexpected(rows.error());
  Points points = kernels::points(*rows);
  if (!flags.plot.empty()) {
    if (auto status = kernels::write_text(flags.plot, kernels::plot_svg(points)); !status)
      return std::unexpected(status.error());
  }
  auto show = [&](const Look& look) {
    return look.format == Format::json ? render_json(points) : render_text(points);
  };
  if (auto status = console.show(show); !status) return std::unexpected(status.error());
  return right ? Exit::ok : Exit::proof;
}

}  // namespace

Command bench_command(CLI::App& top) {
  CLI::App* app =
      top.add_subcommand("bench", "Time the bundled kernels against NCCL.")->group(kKernels);
  app->description(
      "Times the fused kernels and NCCL followed by a norm kernel on this machine's GPUs, and says "
      "at which sizes "
      "fusing wins. Every row's outputs are checked.");
  auto flags = std::make_shared<Flags>();
  declare(*app, flags->kernels);
  app->add_option("--devices", flags->devices, "The GPU of each rank: 0,1.");
  app->add_option("--hidden", flags->hidden, "Widths, comma separated.")->capture_default_str();
  app->add_option("--tokens", flags->tokens, "Numbers of tokens, comma separated.")
      ->capture_default_str();
  app->add_option("--nccl", flags->nccl, "NCCL's library; without it the one that is found.")
      ->type_name("FILE");
  app->add_option("--transport", flags->transport, "Where the ranks meet.")
      ->check(CLI::IsMember({"peer", "host"}));
  app->add_option("--plot", flags->plot, "Also draw time against size into this SVG file.")
      ->type_name("FILE");
  app->add_option("--rows", flags->rows, "Keep the measured rows in this file.")->type_name("FILE");
  app->add_option("--from", flags->from,
                  "Measure nothing; take the rows of an earlier run from this file.")
      ->type_name("FILE")
      ->excludes("--rows");
  declare_switch(*app, "--tune", flags->tune,
                 "Also try every launch shape, and keep the best for this machine, where the "
                 "library finds them.");
  auto output = std::make_shared<OutputFlags>();
  declare(*app, *output, {Format::human, Format::json});
  return {app, output, [flags](Console& console) { return run(*flags, console); }};
}

}  // namespace ungate::cli

#include "prove/unit.h"

#include "base/text.h"

namespace ungate::prove {

std::string virtual_target(arch::CodeTarget target) {
  std::string name = target.name();
  return "compute_" + name.substr(name.find('_') + 1);
}

Result<std::vector<std::string>> command_for(const Unit& unit, const Tree& tree, const Compiler& compiler,
                                             arch::CodeTarget target, Step step, const std::string& output,
                                             bool line_info) {
  auto source = tree.find(unit.source);
  if (!source) return fail(ErrorCode::not_found, "the source is not there", unit.source);
  std::vector<std::string> out{compiler.nvcc};
  out.push_back(step == Step::preprocess ? "-E" : "-ptx");
  // One code target a call, and never by -arch: that drops the macros of a and f targets.
  out.push_back("-gencode=arch=" + virtual_target(target) + ",code=" + target.name());
  out.push_back("-w");
  if (line_info) out.push_back("-lineinfo");
  out.insert(out.end(), unit.flags.begin(), unit.flags.end());
  for (const std::string& folder : unit.folders) {
    if (auto path = tree.find(folder)) out.push_back("-I" + *path);
  }
  for (const std::string& folder : compiler.library_folders) {
    out.push_back("-isystem");
    out.push_back(folder);
  }
  for (const auto& [folder, name] : tree.roots()) {
    out.push_back("-Xcompiler");
    out.push_back("-fmacro-prefix-map=" + folder + '=' + name);
  }
  out.push_back(*source);
  if (step != Step::preprocess) {
    out.push_back("-o");
    out.push_back(output);
  }
  return out;
}

std::vector<std::string> assemble_command(const Unit& unit, const Compiler& compiler, arch::CodeTarget target,
                                          const std::string& ptx, const std::string& cubin) {
  std::vector<std::string> out{compiler.ptxas, "-v", "-arch=" + target.name(), "-O3"};
  for (std::size_t i = 0; i < unit.flags.size(); ++i) {
    std::string_view flag = unit.flags[i], passed;
    if (flag.starts_with("-maxrregcount") || flag.starts_with("--maxrregcount")) out.emplace_back(flag);
    if (flag.starts_with("--ptxas-options=") || flag.starts_with("-Xptxas=")) passed = flag.substr(flag.find('=') + 1);
    if ((flag == "--ptxas-options" || flag == "-Xptxas") && i + 1 < unit.flags.size()) passed = unit.flags[i + 1];
    for (std::string_view part : text::split(passed, ',')) {
      if (!part.empty() && part != "-v") out.emplace_back(part);
    }
  }
  out.insert(out.end(), {ptx, "-o", cubin});
  return out;
}

}  // namespace ungate::prove

// A small package with the gates that an audit of it would find, and a patch set for it: what the
// resolver works on, without an audit.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "patch/resolve.h"
#include "source/source_file.h"

namespace ungate::patch {

inline arch::Device device(int major, int minor) {
  return *arch::find_device(major, minor);
}
inline arch::DeviceSet devices(std::string_view text) {
  arch::DeviceSet out;
  for (std::string_view part = text; !part.empty();) {
    std::size_t comma = part.find(',');
    out |= arch::DeviceSet::of(arch::parse_device(part.substr(0, comma))->index());
    part = comma == part.npos ? std::string_view() : part.substr(comma + 1);
  }
  return out;
}

inline constexpr const char* kList = "fi/build.py";
inline constexpr const char* kGuards = "fi/a.cuh";
inline constexpr const char* kHost = "fi/a.cu";

class SmallGround {
 public:
  SmallGround() {
    files[kList] = "import x\n\n\ndef make():\n    return spec(majors=[9, 10])\n";
    files[kGuards] =
        "#if ARCH >= 900 && ARCH < 1200\nwait();\n#endif\n"
        "#if ARCH >= 900 && ARCH < 1200\nbody();\n#endif\n";
    files[kHost] = "for (i)\n  ptr[i + n] = p;\n";
    environment.sites = {{"/env/site", "/env", package::SiteKind::site_packages, ""}};
    install("fi", "1.5");
  }

  void install(const std::string& name, const std::string& version) {
    package::Distribution d;
    d.name = name;
    d.version_text = version;
    if (auto parsed = package::Version::parse(version)) d.version = *parsed;
    environment.distributions.push_back(std::move(d));
  }

  // A gate on the nth occurrence of a text, that shuts 12.0 and 12.1 out and would admit them if
  // `from` in it (an empty text: its end) became `to`.
  gate::Gate& shut(const std::string& id, const std::string& path, const std::string& expression,
                   const std::string& from, const std::string& to, int nth = 0) {
    gate::Gate& g = add(id, path, expression, nth);
    g.admitted = devices("9.0,10.0");
    for (gate::Standing& s : g.standings) {
      s.admits = gate::Admits::no;
      s.effect = gate::Effect::raises;
      s.verdict = gate::Verdict::policy;
      std::size_t at = from.empty() ? expression.size() - 1 : expression.find(from);
      auto begin = g.range.begin + static_cast<std::uint32_t>(at);
      source::Range range{begin, begin + static_cast<std::uint32_t>(from.size())};
      s.lift = gate::Lift{{{path, 0, {range, from, to}, {}}}, {}, {}, {"mod"}, {}};
    }
    return g;
  }

  gate::Gate& open(const std::string& id, const std::string& path, const std::string& expression,
                   int nth = 0) {
    gate::Gate& g = add(id, path, expression, nth);
    g.admitted = devices("9.0,10.0,12.0,12.1");
    for (gate::Standing& s : g.standings) s.admits = gate::Admits::yes;
    return g;
  }

  static void needs(gate::Gate& g, const std::string& id) {
    for (gate::Standing& s : g.standings) s.lift->needs.push_back(id);
  }

  // The three gates of the package as it comes.
  void shut_all() {
    gate::Gate& list = shut("11aa", kList, "[9, 10]", "", ", 12");
    list.form = "py-major-list";
    list.enclosing = "fi.build::make";
    needs(list, "22bb");
    needs(list, "33cc");
    for (int nth : {0, 1}) {
      gate::Gate& g = shut(nth == 0 ? "22bb" : "33cc", kGuards, "ARCH >= 900 && ARCH < 1200",
                           "1200", "1300", nth);
      g.form = "pp-arch-range";
      for (gate::Standing& s : g.standings) {
        s.effect = nth == 0 ? gate::Effect::race : gate::Effect::empty_kernel;
      }
    }
  }

  gate::Gate& gate(const std::string& id) {
    for (gate::Gate& g : gates) {
      if (g.id == id) return g;
    }
    ADD_FAILURE() << "no gate " << id;
    return gates.front();
  }

  // For 12.0 and 12.1: a step for each file, the enabling one first, as nobody should write them.
  PatchSet set() const {
    PatchSet out;
    out.id = "fi/wider";
    out.package = "fi";
    out.title = "Wider";
    out.targets = devices("12.0,12.1");
    out.modules = {"mod"};
    Member core;
    core.name = "core";
    core.package = "fi";
    core.versions = *package::SpecifierSet::parse(">=1,<2");
    core.steps = {gate_step("list", {kList, {"py-major-list"}, "make", "[9", ""}),
                  gate_step("guards", {kGuards, {}, "", "ARCH >= 900", ""}),
                  text_step("stride", {kHost, "ptr[i + n]", "ptr[i + kMost]"})};
    core.steps[1].every = true;
    core.steps[2].superseded_by = "ptr[kMost + i]";
    out.members = {core};
    return out;
  }

  Step gate_step(const std::string& id, GatePattern pattern) const {
    Step out;
    out.id = id;
    out.gate = std::move(pattern);
    out.admit = devices("12.0,12.1");
    return out;
  }
  static Step text_step(const std::string& id, TextEdit edit) {
    Step out;
    out.id = id;
    out.edits = {std::move(edit)};
    return out;
  }

  // `sets` must stay: the resolution points into them.
  Result<Resolution> resolve(const std::vector<PatchSet>& sets, Request request = {}) {
    request.targets = {device(12, 0)};
    auto chosen = choose_sets(sets, request);
    if (!chosen) return std::unexpected(chosen.error());
    gate_list_.assign(gates.begin(), gates.end());
    auto load = [this](std::uint32_t,
                       const std::string& path) -> Result<std::optional<std::string>> {
      auto found = files.find(path);
      if (found == files.end()) return std::nullopt;
      return found->second;
    };
    Ground ground{environment, gate_list_, load, sets, caches};
    return patch::resolve(*chosen, request, ground);
  }

  std::map<std::string, std::string> files;
  std::deque<gate::Gate> gates;  // references stay
  package::Environment environment;
  std::map<std::string, std::vector<CacheRule>> caches{
      {"fi", {{"JIT", {"/cache"}, {"{module}"}, {}}}}};

 private:
  gate::Gate& add(const std::string& id, const std::string& path, const std::string& expression,
                  int nth) {
    gate::Gate g;
    g.id = id;
    g.path = path;
    g.package = "fi";
    g.version = "1.5";
    g.form = "py-compare";
    g.expression = expression;
    source::SourceFile file(path, files[path]);
    std::size_t at = files[path].find(expression);
    while (nth-- > 0) at = files[path].find(expression, at + 1);
    EXPECT_NE(at, std::string::npos) << expression;
    g.range = {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at + expression.size())};
    g.begin = file.position(g.range.begin);
    for (arch::Device d : {device(12, 0), device(12, 1)}) {
      gate::Standing s;
      s.device = d;
      g.standings.push_back(s);
    }
    gates.push_back(std::move(g));
    return gates.back();
  }

  std::vector<gate::Gate> gate_list_;
};

}  // namespace ungate::patch

#include "trace/lead.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/text.h"

namespace ungate::trace {
namespace {

using gate::Gate;

constexpr std::array<std::string_view, 5> kWays = {"frame", "name", "list", "message", "code"};
constexpr std::int64_t kReach = 12;      // lines between a frame and its gate: a call over lines, a raise below an if
constexpr std::size_t kLeastText = 12;   // bytes of a literal that a message must hold
constexpr std::size_t kMost = 8;         // gates of a lead

std::string_view last_part(std::string_view name) {
  std::size_t dot = name.rfind('.');
  return dot == name.npos ? name : name.substr(dot + 1);
}

std::string compact(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c != ' ') out += c;
  }
  return out;
}

bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    bool begins = at == 0 || !text::is_identifier_part(text[at - 1]);
    bool ends = at + word.size() == text.size() || !text::is_identifier_part(text[at + word.size()]);
    if (begins && ends) return true;
  }
  return false;
}

// The literal pieces of a source text: what stands between quotes, cut where values are put in.
std::vector<std::string> literals(std::string_view source) {
  std::vector<std::string> out;
  char quote = 0;
  std::string piece;
  auto end = [&] {
    std::string trimmed(text::trim(piece));
    if (trimmed.size() >= kLeastText && trimmed.find(' ') != trimmed.npos) out.push_back(std::move(trimmed));
    piece.clear();
  };
  for (std::size_t i = 0; i < source.size(); ++i) {
    char c = source[i];
    if (quote == 0) {
      if (c == '"' || c == '\'') quote = c;
    } else if (c == quote || c == '\n') {
      end();
      quote = 0;
    } else if (c == '{' || c == '}' || c == '%' || c == '\\') {
      end();
    } else {
      piece += c;
    }
  }
  return out;
}

class Finder {
 public:
  explicit Finder(const Question& q) : q_(q) {}

  Result<std::vector<Lead>> run() {
    auto signs = find_signs(*q_.log, *q_.symptoms);
    if (!signs) return std::unexpected(signs.error());
    std::vector<Lead> out;
    for (Sign& sign : *signs) {
      Lead lead{std::move(sign), {}};
      find_gates(lead);
      out.push_back(std::move(lead));
    }
    for (const Traceback& t : q_.log->tracebacks) {
      if (std::ranges::any_of(out, [&](const Lead& l) { return l.sign.traceback == &t || l.sign.at == t.at; })) continue;
      Lead lead;
      lead.sign.at = t.at, lead.sign.text = t.exception, lead.sign.traceback = &t;
      by_frames(lead, 2);
      by_message(lead);
      if (!lead.gates.empty()) out.push_back(std::move(lead));
    }
    std::ranges::stable_sort(out, {}, [](const Lead& l) { return l.sign.at; });
    return out;
  }

 private:
  const gate::Standing* standing(const Gate& g) const {
    auto at = std::ranges::find(g.standings, q_.device, &gate::Standing::device);
    return at == g.standings.end() ? nullptr : &*at;
  }
  bool shuts(const Gate& g) const {
    const gate::Standing* s = standing(g);
    return s != nullptr && s->admits != gate::Admits::yes;
  }
  bool is_binary(const Gate& g) const { return g.form.starts_with("binary-"); }

  void add(Lead& lead, const Gate& g, Way way, std::string by) const {
    if (lead.gates.size() >= kMost || std::ranges::any_of(lead.gates, [&](const Found& f) { return f.gate == &g; })) return;
    lead.gates.push_back({&g, way, std::move(by)});
  }

  void find_gates(Lead& lead) const {
    switch (lead.sign.symptom->fault) {
      case Fault::no_code:
        by_code(lead);
        break;
      case Fault::gate:
        by_frames(lead, 16);
        by_name(lead);
        if (lead.gates.empty()) by_list(lead);
        if (lead.gates.empty()) by_message(lead);
        break;
      case Fault::instruction:
      case Fault::resource:
      case Fault::toolchain:
        break;
    }
  }

  // From the innermost frame outwards: the first that stands at gates that shut the device out.
  void by_frames(Lead& lead, std::size_t most) const {
    if (lead.sign.traceback == nullptr) return;
    const auto& frames = lead.sign.traceback->frames;
    for (std::size_t i = frames.size(); i-- > 0 && most-- > 0;) {
      const Frame& f = frames[i];
      std::vector<std::pair<std::int64_t, const Gate*>> near;
      for (const Gate& g : *q_.gates) {
        if (is_binary(g) || !shuts(g) || !(f.path == g.path || f.path.ends_with('/' + g.path))) continue;
        bool module = f.function == "<module>";
        if (module ? !g.enclosing.empty() : last_part(g.enclosing) != f.function) continue;
        std::int64_t line = f.line, distance = line < g.begin.line ? g.begin.line - line : line > g.end.line ? line - g.end.line : 0;
        if (distance <= kReach) near.emplace_back(distance, &g);
      }
      std::ranges::stable_sort(near, {}, [](const auto& n) { return n.first; });
      for (const auto& [distance, g] : near) {
        if (distance == near.front().first) add(lead, *g, Way::frame, fmt::format("{}:{} in {}", g->path, f.line, f.function));
      }
      if (!near.empty()) return;
    }
  }

  // "BackendSupportedError: mm_fp4 does not support …": a decorator's check knows the function's name.
  void by_name(Lead& lead) const {
    for (const Gate& g : *q_.gates) {
      std::string_view name = last_part(g.enclosing);
      bool telling = name.size() > 4 && name.find('_') != name.npos;
      if (telling && shuts(g) && standing(g)->effect == gate::Effect::raises && has_word(lead.sign.text, name))
        add(lead, g, Way::name, std::string(name));
    }
  }

  void by_list(Lead& lead) const {
    std::string list = compact(lead.sign.list);
    if (list.empty()) return;
    for (const Gate& g : *q_.gates) {
      if (shuts(g) && compact(g.expression).find(list) != std::string::npos) add(lead, g, Way::list, lead.sign.list);
    }
  }

  // A text that is raised where the gate stands.
  void by_message(Lead& lead) const {
    std::size_t colon = lead.sign.text.find(": ");
    std::string message = colon == std::string::npos ? lead.sign.text : lead.sign.text.substr(colon + 2);
    if (message.size() < kLeastText || !q_.source) return;
    struct Near {
      std::ptrdiff_t lines;
      const Gate* gate;
      std::string piece;
    };
    std::vector<Near> near;
    for (const Gate& g : *q_.gates) {
      if (is_binary(g) || !shuts(g) || standing(g)->effect != gate::Effect::raises) continue;
      std::string source = q_.source(g, g.begin.line, g.end.line + 8);
      for (std::string& piece : literals(source)) {
        if (message.find(piece) == std::string::npos) continue;
        std::size_t at = source.find(piece);
        near.push_back({std::count(source.begin(), source.begin() + static_cast<std::ptrdiff_t>(std::min(at, source.size())), '\n'), &g, std::move(piece)});
        break;
      }
    }
    // The text stands below the gate that raises it, not below one further up.
    std::ptrdiff_t least = near.empty() ? 0 : std::ranges::min(near, {}, &Near::lines).lines;
    for (const Near& n : near) {
      if (n.lines == least) add(lead, *n.gate, Way::message, n.piece);
    }
  }

  // Shared objects of the packages that the traceback went through come first.
  void by_code(Lead& lead) const {
    auto touched = [&](const Gate& g) {
      std::string top = g.path.substr(0, g.path.find('/') + 1);
      return lead.sign.traceback != nullptr && std::ranges::any_of(lead.sign.traceback->frames, [&](const Frame& f) {
               return !top.empty() && f.path.find("-packages/" + top) != std::string::npos;
             });
    };
    for (bool wanted : {true, false}) {
      for (const Gate& g : *q_.gates) {
        if (is_binary(g) && standing(g) != nullptr && standing(g)->admits == gate::Admits::no && touched(g) == wanted) add(lead, g, Way::code, {});
      }
    }
  }

  const Question& q_;
};

}  // namespace

std::string_view name_of(Way way) { return kWays[static_cast<std::size_t>(way)]; }

Result<std::vector<Lead>> find_leads(const Question& question) { return Finder(question).run(); }

std::optional<arch::Device> device_of(const Log& log, const std::vector<Symptom>& symptoms) {
  auto signs = find_signs(log, symptoms);
  if (!signs) return std::nullopt;
  for (const Sign& sign : *signs) {
    if (sign.device) return sign.device;
  }
  return std::nullopt;
}

}  // namespace ungate::trace

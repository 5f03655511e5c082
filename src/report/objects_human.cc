#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "binary/kernel_coverage.h"
#include "report/objects.h"
#include "report/objects_kernels.h"
#include "report/words.h"

namespace ungate::report {
namespace {

using binary::State;

std::string_view sentence_of(State state) {
  switch (state) {
    case State::covered:
      return "machine code for all of it loads";
    case State::jit_only:
      return "the driver compiles all of it from PTX when it is first used, without features that "
             "only `a` and `f` targets have";
    case State::partly:
      return "some of it loads, some is compiled from PTX or cannot be used";
    case State::no_code:
      return "nothing in it loads: its kernels fail with \"no kernel image is available\"";
    case State::no_device_code:
      return "host code alone";
  }
  return "";
}

// "sm_80 sm_90a, PTX sm_90"; what a device linker left behind is set apart.
std::string code_of(const binary::Listing& listing) {
  std::map<std::string, std::set<binary::Built>> kinds;  // sorts "" before the others
  for (const binary::CodeObject& o : listing.objects) {
    std::string label;
    if (o.kind == binary::CodeKind::ptx) label = "PTX ";
    if (o.kind == binary::CodeKind::ltoir) label = "LTO IR ";
    if (o.kind == binary::CodeKind::other) label = fmt::format("kind {} ", o.raw_kind);
    if (!binary::counts(listing, listing.units[o.unit])) label = "unlinked " + label;
    kinds[label].insert(o.built);
  }
  std::vector<std::string> parts;
  for (const auto& [label, built] : kinds) {
    std::vector<std::string> names;
    for (const binary::Built& b : built) names.push_back(b.name());
    parts.push_back(label + text::join(names, " "));
  }
  return text::join(parts, ", ");
}

// "partly 11/33 +15 jit": of 33 units, 11 load and 15 are compiled from PTX.
std::string state_text(const binary::Coverage& c) {
  std::string out(binary::name_of(c.state));
  if (c.state != State::partly) return out;
  out += fmt::format(" {}/{}", c.loaded, c.units);
  if (c.jit != 0) out += fmt::format(" +{} jit", c.jit);
  return out;
}

struct Line {
  std::string path, code, kind;
  std::vector<binary::Coverage> states;  // one a target
  std::size_t files = 0;
  std::string package;
};

class Table {
 public:
  Table(const ObjectsStyle& style, const ObjectsOf& of)
      : style_(style), of_(of), paint_(style.colour) {}

  std::string text() {
    collect();
    std::string out;
    widths();
    for (const std::string& package : packages_) out += one_package(package);
    for (arch::Device d : style_.targets) {
      std::string kernels = kernels_of(of_, d, style_);
      if (!kernels.empty()) out += kernels + '\n';
    }
    return out + summary() + unread();
  }

 private:
  void collect() {
    std::map<std::string, std::size_t> same;  // lines of many alike files
    std::map<std::string, std::size_t> counts;
    for (const audit::ObjectFile& f : of_.objects.files) ++counts[key_of(f)];
    for (const audit::ObjectFile& f : of_.objects.files) {
      std::string key = key_of(f);
      bool many = counts[key] >= 4 && is_small(f.listing.kind);
      if (many && same.contains(key)) {
        ++lines_[same[key]].files;
        continue;
      }
      Line line{f.path, code_of(f.listing), std::string(binary::name_of(f.listing.kind)), {}, 1,
                {}};
      if (!f.package.empty()) line.package = f.package + ' ' + f.version;
      for (arch::Device d : style_.targets) {
        line.states.push_back(binary::coverage_of(f.listing, d));
        line.states.back().state = binary::state_of(f.listing, f.kernels, d);
      }
      if (many) {
        line.path = f.path.substr(0, f.path.rfind('/') + 1);
        same[key] = lines_.size();
      }
      if (std::ranges::find(packages_, line.package) == packages_.end()) {
        packages_.push_back(line.package);
      }
      lines_.push_back(std::move(line));
    }
  }

  // Kinds that come by the thousand.
  static bool is_small(binary::FileKind kind) {
    return kind == binary::FileKind::cubin || kind == binary::FileKind::ptx ||
           kind == binary::FileKind::object_file || kind == binary::FileKind::other_vendor;
  }

  std::string key_of(const audit::ObjectFile& f) const {
    return fmt::format("{}\n{}\n{}\n{}\n{}", f.package, f.site,
                       f.path.substr(0, f.path.rfind('/') + 1), binary::name_of(f.listing.kind),
                       code_of(f.listing));
  }

  std::string name_of_line(const Line& line) const {
    if (line.files == 1) return text::escape(line.path);
    return fmt::format("{} ({} {} files)", text::escape(line.path), grouped(line.files), line.kind);
  }

  void widths() {
    columns_.assign(style_.targets.size(), 0);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      columns_[i] = style_.targets[i].name().size();
      for (const Line& l : lines_) {
        columns_[i] = std::max(columns_[i], state_text(l.states[i]).size());
      }
    }
    for (const Line& l : lines_) {
      std::size_t width = columns(name_of_line(l));
      if (width <= kLongestPath) path_ = std::max(path_, width);
    }
  }

  std::string paint(State state, const std::string& text) const {
    switch (state) {
      case State::covered:
        return paint_.green(text);
      case State::no_code:
        return paint_.red(text);
      case State::jit_only:
      case State::partly:
        return paint_.yellow(text);
      case State::no_device_code:
        break;
    }
    return paint_.dim(text);
  }

  std::string one_package(const std::string& package) {
    std::string title = package.empty() ? "(no package)" : text::escape(package);
    std::string out = paint_.bold(title) + '\n';
    if (!style_.targets.empty()) {
      out += "  " + std::string(path_, ' ');
      for (std::size_t i = 0; i < columns_.size(); ++i) {
        out += "  " + padded(style_.targets[i].name(), columns_[i]);
      }
      out += "  code\n";
    }
    for (const Line& l : lines_) {
      if (l.package == package) out += row(l);
    }
    return out + '\n';
  }

  std::string row(const Line& l) const {
    std::string name = name_of_line(l), out = "  ";
    if (columns(name) > path_) {
      out += name + "\n  " + std::string(path_, ' ');
    } else {
      out += padded(name, path_);
    }
    std::size_t used = 2 + path_;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      State state = l.states[i].state;
      out += "  " + paint(state, padded(state_text(l.states[i]), columns_[i]));
      used += 2 + columns_[i];
    }
    std::string code = l.code.empty() ? "-" : l.code;
    auto width = static_cast<std::size_t>(std::max(style_.width, 60));
    std::size_t indent = used + 2;
    if (indent + 20 > width) width = indent + 40;
    std::string wrapped_code = wrapped(code, indent, width);
    return out + "  " + wrapped_code.substr(indent);
  }

  std::string summary() const {
    std::string out;
    auto width = static_cast<std::size_t>(std::max(style_.width, 60));
    for (std::size_t i = 0; i < style_.targets.size(); ++i) {
      std::map<State, std::size_t> n;
      for (const Line& l : lines_) n[l.states[i].state] += l.files;
      out += paint_.bold(style_.targets[i].name()) + '\n';
      for (const auto& [state, files] : n) {
        std::string body = wrapped(sentence_of(state), 25, width);
        out += "  " + fmt::format("{:<14} {:>6}  ", binary::name_of(state), grouped(files)) +
               body.substr(25);
      }
    }
    return out;
  }

  std::string unread() const {
    if (of_.objects.unread.empty()) return "";
    std::string out = "\n" + paint_.bold("Not read") + '\n';
    for (const audit::Unread& u : of_.objects.unread) {
      out += "  " + text::escape(u.path) + ": " + text::escape(u.why) + '\n';
    }
    return out;
  }

  static constexpr std::size_t kLongestPath = 48;

  const ObjectsStyle& style_;
  const ObjectsOf& of_;
  Paint paint_;
  std::vector<Line> lines_;
  std::vector<std::string> packages_;
  std::vector<std::size_t> columns_;
  std::size_t path_ = 0;
};

}  // namespace

std::string objects_human(const std::vector<ObjectsOf>& all, const ObjectsStyle& style) {
  std::string out;
  for (const ObjectsOf& of : all) {
    if (!out.empty()) out += '\n';
    out += Table(style, of).text();
  }
  bool kernels = std::ranges::any_of(all, [](const ObjectsOf& of) {
    return std::ranges::any_of(of.objects.files,
                               [](const auto& f) { return f.kernels.has_value(); });
  });
  out += "\nNot checked: ";
  if (!kernels) out += "which kernels the code objects hold (--kernels), and ";
  out += "what is compiled when it is first used.\n";
  return out;
}

}  // namespace ungate::report

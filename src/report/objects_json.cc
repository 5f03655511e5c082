#include <map>
#include <tuple>

#include "base/json.h"
#include "binary/kernel_coverage.h"
#include "report/objects.h"

namespace ungate::report {
namespace {

using binary::CodeObject;

// What a row counts: place, kind of code, target of the code.
using Row = std::tuple<binary::Place, binary::CodeKind, binary::Built>;

std::map<Row, std::size_t> rows_of(const binary::Listing& listing) {
  std::map<Row, std::size_t> rows;
  for (const CodeObject& o : listing.objects) {
    ++rows[{listing.units[o.unit].place, o.kind, o.built}];
  }
  return rows;
}

class Records {
 public:
  explicit Records(const ObjectsStyle& style) : style_(style) {}

  // Calls emit(write) for each record in turn; write(JsonWriter&) writes it.
  template <class Emit>
  void each(const std::vector<ObjectsOf>& all, Emit&& emit) const {
    std::vector<const arch::Device*> targets;
    for (const arch::Device& d : style_.targets) targets.push_back(&d);
    if (targets.empty()) targets.push_back(nullptr);
    for (const ObjectsOf& one : all) {
      for (const audit::ObjectFile& file : one.objects.files) {
        const std::string& site = one.sites[file.site];
        auto rows = rows_of(file.listing);
        for (const arch::Device* target : targets) {
          for (const auto& [row, count] : rows) {
            emit([&](JsonWriter& w) { write_row(w, site, file, row, count, target); });
          }
          if (file.kernels && target != nullptr) {
            auto uses = binary::kernel_uses(file.listing, *file.kernels, *target);
            for (std::uint32_t i = 0; i < uses.size(); ++i) {
              emit([&](JsonWriter& w) { write_kernel(w, site, file, i, uses[i], *target); });
            }
          }
          emit([&](JsonWriter& w) { write_file(w, site, file, target); });
        }
      }
      for (const audit::Unread& unread : one.objects.unread) {
        emit([&](JsonWriter& w) {
          w.begin_object().field("path", unread.path).field("error", unread.why).end_object();
        });
      }
    }
  }

 private:
  static void write_row(JsonWriter& w, const std::string& site, const audit::ObjectFile& file,
                        const Row& row, std::size_t count, const arch::Device* target) {
    auto [place, kind, built] = row;
    w.begin_object().field("site", site).field("path", file.path);
    w.field("place", place == binary::Place::fatbin ? "fatbin" : "relfatbin");
    w.field("arch", built.name()).field("kind", binary::name_of(kind)).field("count", count);
    w.string_or_null("target", target == nullptr ? "" : target->name());
    w.string_or_null(
        "loads", target == nullptr ? std::string_view() : name_of(loads_on(kind, built, *target)));
    w.end_object();
  }

  static void write_kernel(JsonWriter& w, const std::string& site, const audit::ObjectFile& file,
                           std::uint32_t name, const binary::KernelUse& use, arch::Device target) {
    const binary::KernelImage& image = file.kernels->images[use.image];
    const CodeObject& object = file.listing.objects[image.object];
    const std::string& symbol = file.kernels->names[name];
    w.begin_object().field("site", site).field("path", file.path);
    w.field("kernel", symbol).field("name", binary::demangled(symbol));
    w.field("target", target.name()).field("use", name_of(use.use));
    w.field("arch", object.built.name()).field("kind", binary::name_of(object.kind));
    w.field("code", image.code).field("registers", image.registers).field("shared", image.shared);
    w.end_object();
  }

  static void write_file(JsonWriter& w, const std::string& site, const audit::ObjectFile& file,
                         const arch::Device* target) {
    w.begin_object().field("site", site).field("path", file.path);
    w.string_or_null("package", file.package).string_or_null("version", file.version);
    w.field("file", binary::name_of(file.listing.kind));
    w.string_or_null("target", target == nullptr ? "" : target->name());
    if (target == nullptr) {
      w.key("state").null();
    } else {
      binary::Coverage c = binary::coverage_of(file.listing, *target);
      w.field("state", binary::name_of(binary::state_of(file.listing, file.kernels, *target)));
      w.field("units", c.units).field("loaded", c.loaded).field("jit", c.jit).field("none", c.none);
      if (file.kernels) write_kernel_counts(w, file, *target);
    }
    w.string_or_null("toolkit", file.listing.toolkit).end_object();
  }

  static void write_kernel_counts(JsonWriter& w, const audit::ObjectFile& file,
                                  arch::Device target) {
    auto uses = binary::kernel_uses(file.listing, *file.kernels, target);
    binary::KernelCounts n = binary::count(uses);
    w.key("kernels").begin_object().field("names", n.names).field("code", n.code);
    w.field("jit", n.jit).field("empty", n.empty).field("trap", n.trap).field("none", n.none);
    w.end_object().key("kernels_built_for").begin_array();
    for (const auto& b : binary::count_by_target(file.listing, *file.kernels, uses)) {
      w.begin_object().field("arch", b.built.name()).field("names", b.names);
      w.field("code", b.code).field("jit", b.jit).end_object();
    }
    w.end_array();
  }

  const ObjectsStyle& style_;
};

}  // namespace

std::string objects_jsonl(const std::vector<ObjectsOf>& all, const ObjectsStyle& style) {
  std::string out;
  Records(style).each(all, [&](auto&& write) {
    JsonWriter w;
    write(w);
    out += w.text() + '\n';
  });
  return out;
}

std::string objects_json(const std::vector<ObjectsOf>& all, const ObjectsStyle& style) {
  JsonWriter w(2);
  w.begin_object().field("schema", "ungate-objects").field("version", 1).field("tool", style.tool);
  w.key("records").begin_array();
  Records(style).each(all, [&](auto&& write) { write(w); });
  w.end_array().key("errors").begin_array().end_array().end_object();
  return w.take() + '\n';
}

}  // namespace ungate::report

#include "rules/catalogue.h"

#include "base/text.h"
#include "rules/yaml.h"

namespace ungate::rules {
namespace {

// "rules/sources.yaml" and "/home/me/rules/sources.yaml" -> "sources.yaml"; "…/packages/x.yaml" ->
// "packages/".
std::string kind_of_file(const std::string& path) {
  std::size_t slash = path.rfind('/');
  std::string name = path.substr(slash == path.npos ? 0 : slash + 1);
  if (slash == path.npos) return name;
  std::string above = path.substr(0, slash);
  if (above == "packages" || above.ends_with("/packages")) return "packages/";
  return name;
}

std::string joined(const Yaml& node) {
  return node.exists() ? text::join(node.texts(), ", ") : std::string();
}

class Reader {
 public:
  Reader(const RuleFile& file, std::vector<CatalogueEntry>& into) : file_(file), into_(into) {}

  void read() {
    auto root = Yaml::parse(file_.text, file_.path);
    if (!root) return;
    std::string kind = kind_of_file(file_.path);
    if (kind == "archs.yaml") {
      for (const Yaml& n : (*root)["devices"].items()) arch(n);
    } else if (kind == "sources.yaml") {
      for (const Yaml& n : (*root)["sources"].items()) source(n);
      for (const Yaml& n : (*root)["world"].items()) world(n);
    } else if (kind == "sinks.yaml") {
      for (const Yaml& n : (*root)["sinks"].items()) list(n);
    } else if (kind == "features.yaml") {
      for (const Yaml& n : (*root)["features"].items()) feature(n);
    } else if (kind == "symptoms.yaml") {
      for (const Yaml& n : (*root)["symptoms"].items()) symptom(n);
    } else if (kind == "headers.yaml") {
      for (const Yaml& n : (*root)["headers"].items()) header(n);
    } else if (kind == "packages/") {
      package(*root);
    }
  }

 private:
  CatalogueEntry& add(const Yaml& node, std::string kind, std::string id, std::string summary) {
    std::string where = node.where();
    where = where.substr(0, where.rfind(':'));  // without the column
    return into_.emplace_back(
        CatalogueEntry{std::move(kind), std::move(id), text::one_line(summary, 160), {}, where});
  }
  static void field(CatalogueEntry& e, std::string label, std::string text) {
    if (!text.empty()) e.fields.emplace_back(std::move(label), text::one_line(text, 2000));
  }

  void arch(const Yaml& n) {
    std::string cc = n["cc"].text();
    CatalogueEntry& e = add(n, "arch", "sm_" + text::replace_all(cc, ".", ""),
                            n["generation"].text() + ": " + n["products"].text_or(""));
    field(e, "capability", cc);
    std::string code = joined(n["code"]);
    field(e, "code targets", code.empty() ? "plain" : "plain, " + code);
    std::vector<std::string> smem =
        n["smem"].exists() ? n["smem"].texts() : std::vector<std::string>();
    if (smem.size() == 2)
      field(e, "shared memory", smem[0] + " KB a block, " + smem[1] + " KB a multiprocessor");
    field(e, "cluster", n["cluster"].text_or(""));
    field(e, "was", n["was"].text_or(""));
  }

  void source(const Yaml& n) {
    for (std::string_view key : {"call", "function", "annotation", "property"}) {
      if (!n[key].exists()) continue;
      std::string what = std::string(key) + " that gives " + n["gives"].text();
      CatalogueEntry& e = add(n, "source", n[key].text(), what);
      field(e, "gives", n["gives"].text());
      field(e, "source", n["source"].text_or(""));
    }
  }

  void world(const Yaml& n) {
    CatalogueEntry& e =
        add(n, "world", n["name"].text(), "assumed to be " + value::to_text(n["value"].constant()));
    field(e, "override", "--assume " + n["name"].text() + "=VALUE");
  }

  void list(const Yaml& n) {
    bool decorator = n["decorator"].exists();
    std::string name = decorator ? n["decorator"].text() : n["keyword"].text();
    CatalogueEntry& e =
        add(n, "list", n["form"].text(),
            (decorator ? "decorator @" : "keyword ") + name + " lists " + n["lists"].text());
    field(e, decorator ? "decorator" : "keyword", name);
    field(e, "lists", n["lists"].text());
    field(e, "source", n["source"].text_or(""));
  }

  void feature(const Yaml& n) {
    CatalogueEntry& e = add(n, "feature", n["name"].text(), "on " + joined(n["targets"]));
    field(e, "code targets", joined(n["targets"]));
    field(e, "instructions", joined(n["instructions"]));
    field(e, "words", joined(n["words"]));
    field(e, "CUTLASS architectures", joined(n["tags"]));
    field(e, "measured by", n["ptx"].text_or(""));
  }

  void symptom(const Yaml& n) {
    CatalogueEntry& e = add(n, "symptom", n["id"].text(), n["says"].text());
    field(e, "fault", n["fault"].text());
    field(e, "match", n["match"].text());
    field(e, "next", n["next"].text_or(""));
    field(e, "source", n["source"].text());
  }

  void header(const Yaml& n) {
    CatalogueEntry& e = add(n, "header", n["begins"].text(), "headers that begin so are in " + n["wheel"].text());
    field(e, "wheel", n["wheel"].text());
  }

  void package(const Yaml& root) {
    std::string name = root["package"].text();
    CatalogueEntry& e = add(root, "package", name, "how it builds modules, and what is known of them");
    field(e, "versions", root["versions"].text_or(""));
    field(e, "builder", joined(root["jit"]["builder"]));
    field(e, "kernels by", joined(root["kernel_decorators"]));
    for (const Yaml& c : root["caches"].exists() ? root["caches"].items() : std::vector<Yaml>()) {
      field(e, "cache", c["name"].text() + ": " + joined(c["bases"]));
    }
    for (const Yaml& p :
         root["prebuilt"].exists() ? root["prebuilt"].items() : std::vector<Yaml>()) {
      field(e, "prebuilt", p["package"].text() + ": " + joined(p["paths"]));
    }
    for (const Yaml& n : root["notes"].exists() ? root["notes"].items() : std::vector<Yaml>()) {
      CatalogueEntry& note = add(n, "note", n["id"].text(), n["text"].text());
      field(note, "package", name);
      field(note, "module", n["module"].text_or(""));
      field(note, "path", n["path"].text_or(""));
      field(note, "function", n["function"].text_or(""));
      field(note, "unless", joined(n["unless_files"]));
      field(note, "targets", n["targets"].text_or(""));
      field(note, "verdict", n["verdict"].text_or(""));
      field(note, "link", n["link"].text_or(""));
    }
    for (const Yaml& n : root["parts"].exists() ? root["parts"].items() : std::vector<Yaml>()) {
      CatalogueEntry& part = add(n, "part", n["id"].text(), n["text"].text());
      field(part, "package", name);
      field(part, "names", joined(n["names"]));
      field(part, "targets", n["targets"].text_or(""));
      field(part, "shared memory", n["shared_memory"].text_or(""));
      field(part, "unless", joined(n["unless_files"]));
      field(part, "verdict", n["verdict"].text_or("capability"));
      field(part, "link", n["link"].text_or(""));
    }
  }

  const RuleFile& file_;
  std::vector<CatalogueEntry>& into_;
};

CatalogueEntry entry_of(const patch::PatchSet& set) {
  CatalogueEntry e{"patch-set", set.id, text::one_line(set.title, 160), {}, set.file};
  auto field = [&](std::string label, std::string_view text) {
    if (!text.empty()) e.fields.emplace_back(std::move(label), text::one_line(text, 4000));
  };
  field("what", set.what);
  field("package", set.package);
  field("targets", arch::to_text(set.targets));
  field("modules", text::join(set.modules, ", "));
  for (const patch::Member& m : set.members) {
    std::string off = m.by_default ? "" : "; off by default: " + m.reason;
    field("member", m.name + " (" + m.package + "): " + m.what + off);
  }
  for (const std::string& sentence : set.unproved) field("not measured", sentence);
  field("source", set.source);
  return e;
}

}  // namespace

std::vector<CatalogueEntry> catalogue(const RuleSet& rules) {
  std::vector<CatalogueEntry> out;
  for (const RuleFile& file : rules.files) Reader(file, out).read();
  for (const patch::PatchSet& set : rules.patch_sets) out.push_back(entry_of(set));
  return out;
}

}  // namespace ungate::rules

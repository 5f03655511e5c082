#include "cli/topics.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/json.h"
#include "base/text.h"
#include "cli/nearest.h"
#include "cli/version.h"
#include "gate/forms.h"
#include "report/words.h"

namespace ungate::cli {
namespace {

using rules::CatalogueEntry;

CatalogueEntry topic_of(const gate::FormInfo& form) {
  CatalogueEntry e{"form", std::string(form.name), std::string(form.what), {}, {}};
  auto field = [&](const char* label, std::string_view text) {
    if (!text.empty()) e.fields.emplace_back(label, text);
  };
  field("looks like", form.example);
  field("lifted", form.lift);
  field("note", form.note);
  return e;
}

void write(JsonWriter& w, const CatalogueEntry& e) {
  w.begin_object().field("kind", e.kind).field("id", e.id).field("summary", e.summary);
  w.key("fields").begin_array();
  for (const auto& [label, text] : e.fields)
    w.begin_object().field("name", label).field("text", text).end_object();
  w.end_array().string_or_null("where", e.where).end_object();
}

std::string document(const std::vector<CatalogueEntry>& topics, std::string_view command) {
  JsonWriter w(2);
  w.begin_object()
      .field("schema", "ungate-" + std::string(command))
      .field("version", 1)
      .field("tool", kVersion);
  w.key("entries").begin_array();
  for (const CatalogueEntry& e : topics) write(w, e);
  w.end_array().key("errors").begin_array().end_array().end_object();
  return w.take() + '\n';
}

}  // namespace

Result<std::vector<CatalogueEntry>> all_topics(const std::vector<std::string>& folders) {
  auto rules = rules::load_rules(folders);
  if (!rules) return std::unexpected(rules.error());
  std::vector<CatalogueEntry> out;
  for (const gate::FormInfo& form : gate::forms()) out.push_back(topic_of(form));
  for (CatalogueEntry& e : rules::catalogue(*rules)) out.push_back(std::move(e));
  return out;
}

Result<std::vector<CatalogueEntry>> find_topics(const std::string& id,
                                                const std::vector<std::string>& folders) {
  auto topics = all_topics(folders);
  if (!topics) return std::unexpected(topics.error());
  std::vector<CatalogueEntry> exact, holding;
  std::vector<std::string> ids;
  for (const CatalogueEntry& e : *topics) {
    // A patch set is called by its own name, too.
    if (e.id == id || e.id.ends_with('/' + id)) exact.push_back(e);
    if (text::lower(e.id).find(text::lower(id)) != std::string::npos) holding.push_back(e);
    ids.push_back(e.id);
  }
  if (!exact.empty()) return exact;
  if (holding.size() == 1) return holding;
  std::string close = holding.empty() ? nearest(id, ids) : holding.front().id;
  return fail(ErrorCode::not_found, "nothing is called '" + id + "'", {},
              close.empty() ? "`ungate rules list` lists forms, rules and patch sets"
                            : "did you mean " + close + "?");
}

std::string render(const std::vector<CatalogueEntry>& topics, std::string_view command,
                   const Look& look) {
  if (look.format != Format::human) return document(topics, command);
  report::Paint paint(look.colour);
  auto width = static_cast<std::size_t>(look.width);
  std::string out;
  for (const CatalogueEntry& e : topics) {
    if (!out.empty()) out += '\n';
    out += paint.bold(text::escape(e.id)) + "  " + e.kind + '\n' +
           report::wrapped(text::escape(e.summary), 0, width);
    std::string last;
    for (const auto& [label, text] : e.fields) {
      std::string body = report::wrapped(text::escape(text), 16, width);
      out += report::padded(label == last ? "" : "  " + label, 16) +
             (body.size() > 16 ? body.substr(16) : "\n");
      last = label;
    }
    if (!e.where.empty()) out += report::padded("  written in", 16) + text::escape(e.where) + '\n';
  }
  return out;
}

std::string render_list(const std::vector<CatalogueEntry>& topics, const Look& look) {
  if (look.format != Format::human) return document(topics, "rules");
  report::Paint paint(look.colour);
  std::string out, kind;
  std::size_t name = 0;
  for (const CatalogueEntry& e : topics)
    name = std::max(name, std::min<std::size_t>(report::columns(e.id), 44));
  for (const CatalogueEntry& e : topics) {
    if (e.kind != kind) {
      kind = e.kind;
      out += (out.empty() ? "" : "\n") + paint.bold(kind) + '\n';
    }
    std::string summary = text::escape(
        text::one_line(e.summary, static_cast<std::size_t>(std::max(look.width, 80)) - name - 4));
    out += "  " + report::padded(text::escape(e.id), name) + "  " + summary + '\n';
  }
  return out;
}

}  // namespace ungate::cli

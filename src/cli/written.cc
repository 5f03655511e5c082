#include "cli/written.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "patch/processes.h"

namespace ungate::cli {

std::string by_products_text(const patch::ByProducts& by_products) {
  std::string out;
  if (!by_products.empty()) {
    std::vector<std::string> what;
    if (!by_products.caches.empty())
      what.push_back(text::count(by_products.caches.size(), "JIT cache folder"));
    if (!by_products.bytecode.empty())
      what.push_back(text::count(by_products.bytecode.size(), ".pyc file"));
    out += "  " + std::string(by_products.cleared ? "cleared " : "stale, and left: ") +
           text::join(what, ", ");
    out += by_products.cleared ? "\n" : " (--clear-caches clears them)\n";
    for (const patch::CacheFolder& c : by_products.caches)
      out += "    " + text::escape(c.path()) + '\n';
  }
  for (const std::string& problem : by_products.problems)
    out += "  not cleared: " + text::escape(problem) + '\n';
  return out;
}

void write_by_products(JsonWriter& w, const patch::ByProducts& by_products) {
  w.key("by_products").begin_object().field("cleared", by_products.cleared);
  w.texts("bytecode", by_products.bytecode);
  w.key("caches").begin_array();
  for (const patch::CacheFolder& c : by_products.caches) w.string(c.path());
  w.end_array();
  w.texts("problems", by_products.problems);
  w.end_object();
}

std::string processes_text(const std::vector<patch::FileRef>& files,
                           const std::vector<patch::CacheRule>& caches) {
  std::vector<std::string> folders;
  for (const patch::FileRef& f : files) {
    folders.push_back(f.site);
    folders.push_back(f.site + '/' + f.path.substr(0, f.path.find('/')));
  }
  for (const patch::CacheRule& rule : caches) {
    std::ranges::move(patch::expanded_bases(rule, patch::process_variables()),
                      std::back_inserter(folders));
  }
  std::ranges::sort(folders);
  folders.erase(std::ranges::unique(folders).begin(), folders.end());
  std::string out;
  for (const patch::ProcessUse& p : patch::find_processes(folders).uses) {
    out += fmt::format("  restart needed: process {} {} uses {}\n", p.pid, text::escape(p.command),
                       text::escape(p.path));
  }
  return out;
}

}  // namespace ungate::cli

#include "gate/instantiated.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "base/text.h"
#include "cuda/lexeme.h"

namespace ungate::gate {
namespace {

using cuda::Lexeme;
using cuda::Lexemes;

constexpr int kDeepest = 12;   // functions from an entry to an instruction

// "&ns::Kernel<args>::run" as {"ns", "Kernel", "run"}.
std::vector<std::string> parts_of(std::string_view entry) {
  std::vector<std::string> out(1);
  int nested = 0;
  for (char c : entry) {
    nested += c == '<' ? 1 : 0;
    if (nested == 0 && text::is_identifier_part(c)) out.back() += c;
    if (nested == 0 && c == ':' && !out.back().empty()) out.emplace_back();
    nested -= c == '>' ? 1 : 0;
  }
  if (out.back().empty()) out.pop_back();
  return out;
}

// "a::ns::Kernel::run" ends with {"ns", "Kernel", "run"}.
bool ends_with(std::string_view qualified, const std::vector<std::string>& parts) {
  std::string wanted;
  for (const std::string& part : parts) wanted += (wanted.empty() ? "" : "::") + part;
  return qualified.ends_with(wanted) && (qualified.size() == wanted.size() || qualified[qualified.size() - wanted.size() - 1] == ':');
}

}  // namespace

struct Instantiated::File {
  std::string path;
  const cuda::Structure* structure = nullptr;
  Lexemes lexemes;

  std::pair<std::size_t, std::size_t> within(source::Range range) const {
    auto begin = std::ranges::lower_bound(lexemes, range.begin, {}, &Lexeme::begin);
    auto end = std::ranges::lower_bound(lexemes, range.end, {}, &Lexeme::begin);
    return {static_cast<std::size_t>(begin - lexemes.begin()), static_cast<std::size_t>(end - lexemes.begin())};
  }
};

Instantiated::Instantiated(CudaFiles& files, ForeignCode& foreign) : files_(files), foreign_(foreign) {}
Instantiated::~Instantiated() = default;

const Instantiated::File& Instantiated::file(const std::string& path) {
  std::unique_ptr<File>& known = known_[path];
  if (known == nullptr) {
    known = std::make_unique<File>(File{path, &files_.structure(path), cuda::lex_code(files_.file(path)->text(), files_.directives(path))});
  }
  return *known;
}

class Instantiated::Search {
 public:
  Search(Instantiated& in, const JitModule& module, const WalkedModule& walked, arch::Device device)
      : in_(in), walked_(walked), device_(device), exact_(arch::find_code_target(device, arch::Suffix::exact)) {
    for (const std::string& path : walked.files) {
      bool library = std::ranges::any_of(module.rules->libraries, [&](const std::string& folder) { return path.starts_with(folder + '/'); });
      if (library || in.files_.file(path) == nullptr) continue;
      const File& file = in.file(path);
      for (const cuda::Function& f : file.structure->functions) {
        if (!f.body.empty()) functions_[f.name.text()].push_back({&file, &f});
      }
    }
  }

  std::vector<Evidence> from(std::string_view entry) {
    std::vector<std::string> parts = parts_of(entry);
    if (!exact_ || parts.empty()) return {};
    auto found = functions_.find(std::string_view(parts.back()));
    std::vector<Definition> entries;
    if (found != functions_.end()) {
      std::ranges::copy_if(found->second, std::back_inserter(entries), [&](const Definition& d) { return ends_with(d.function->qualified.text(), parts); });
    }
    if (std::vector<Evidence> here = all(entries, 0); !here.empty()) return here;
    if (parts.size() < 2) return {};
    // What a class sets up outside of its functions: `static constexpr auto kernel = f<…>;`.
    for (const Definition& e : entries) {
      if (std::vector<Evidence> here = in_class(*e.file, parts[parts.size() - 2]); !here.empty()) return here;
    }
    return {};
  }

 private:
  struct Definition {
    const File* file;
    const cuda::Function* function;
  };

  std::vector<Evidence> all(const std::vector<Definition>& definitions, int depth) {
    std::vector<Evidence> first;
    for (const Definition& d : definitions) {
      std::vector<Evidence> here = in_function(d, depth);
      if (here.empty()) return {};
      if (first.empty()) first = std::move(here);
    }
    return first;
  }

  const std::vector<Evidence>& in_function(const Definition& d, int depth) {
    auto [entry, fresh] = seen_.try_emplace(d.function);
    if (!fresh || depth > kDeepest) return entry->second;
    const cuda::FileResult* result = walked_.result(d.file->path);
    if (result == nullptr) return entry->second;
    std::vector<Evidence> found = in_.foreign_.find(d.file->path, *result, d.function->body, device_);
    if (found.empty()) {
      auto [begin, end] = d.file->within(d.function->body);
      found = in_names(*d.file, *result, begin, end, depth);
    }
    return seen_[d.function] = std::move(found);
  }

  std::vector<Evidence> in_class(const File& file, std::string_view name) {
    const Lexemes& l = file.lexemes;
    const cuda::FileResult* result = walked_.result(file.path);
    for (std::size_t i = 1; result != nullptr && i + 1 < l.size(); ++i) {
      bool here = l[i].text == name && (l[i - 1].is("struct") || l[i - 1].is("class"));
      std::size_t open = i + 1;
      while (here && open < l.size() && !l[open].is("{") && !l[open].is(";")) ++open;
      if (!here || open >= l.size() || !l[open].is("{")) continue;
      std::size_t close = cuda::after_brackets(l, open, l.size());
      for (std::size_t at = open; at < close;) {
        auto inside = std::ranges::find_if(file.structure->functions, [&](const cuda::Function& f) { return f.body.contains(l[at].range()); });
        std::size_t end = at + 1;
        if (inside != file.structure->functions.end()) end = std::max(end, file.within(inside->body).second);
        else if (std::vector<Evidence> found = in_names(file, *result, at, end, 0); !found.empty()) return found;
        at = end;
      }
    }
    return {};
  }

  std::vector<Evidence> in_names(const File& file, const cuda::FileResult& result, std::size_t begin, std::size_t end, int depth) {
    std::set<std::string_view> asked;
    for (std::size_t i = begin; i < end;) {
      if (std::size_t next = cuda::after_constexpr(file.lexemes, i); next != i) {
        i = next;
        continue;
      }
      const Lexeme& l = file.lexemes[i++];
      if (!l.is_identifier() || !asked.insert(l.text).second) continue;
      auto named = functions_.find(l.text);
      if (named == functions_.end() || !compiled(file, result, l.begin)) continue;
      if (std::vector<Evidence> found = all(named->second, depth + 1); !found.empty()) return found;
    }
    return {};
  }

  bool compiled(const File& file, const cuda::FileResult& result, std::uint32_t offset) const {
    const cuda::Directives& d = in_.files_.directives(file.path);
    for (std::uint32_t a = cuda::arm_at(d, offset); a != cuda::kNone; a = d.arms[a].parent) {
      if (!result.arms[a].condition.at(exact_->index()).is(value::kTrue)) return false;
    }
    return true;
  }

  Instantiated& in_;
  const WalkedModule& walked_;
  arch::Device device_;
  std::optional<arch::CodeTarget> exact_;
  std::unordered_map<std::string_view, std::vector<Definition>> functions_;   // by name
  std::unordered_map<const cuda::Function*, std::vector<Evidence>> seen_;
};

std::vector<Evidence> Instantiated::lacking(const JitModule& module, const WalkedModule& walked, arch::Device device) {
  Search search(*this, module, walked, device);
  for (const std::string& entry : module.entries) {
    if (std::vector<Evidence> found = search.from(entry); !found.empty()) return found;
  }
  return {};
}

}  // namespace ungate::gate

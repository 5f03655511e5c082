#include "gate/host_items.h"

#include <algorithm>
#include <map>

#include <fmt/core.h>

#include "arch/load.h"
#include "base/text.h"
#include "cuda/code_names.h"
#include "gate/evidence.h"

namespace ungate::gate {
namespace {

using cuda::HostChoice;
using python::Choice;
using python::Want;

// More names of compiled code than these in one function are a table: one gate.
constexpr std::size_t kMostNames = 8;
// Rounds of names that turned out to depend on the device.
constexpr int kRounds = 3;
// Of a name that other files are searched for: shorter ones ("arch", "run") are everywhere.
constexpr std::size_t kShortestName = 5;

std::string form_of(HostChoice::Kind kind) {
  switch (kind) {
    case HostChoice::Kind::check: return "cpp-check";
    case HostChoice::Kind::label: return "cpp-case";
    case HostChoice::Kind::call: return "cpp-helper-call";
    case HostChoice::Kind::flag: return "cpp-flag";
    default: return "cpp-compare";
  }
}

Want want_of(HostChoice::Want w) {
  return w == HostChoice::Want::no ? Want::no : w == HostChoice::Want::either ? Want::either : Want::yes;
}

Choice choice_of(const HostChoice& h, Symbol function) {
  Choice c;
  c.place.range = h.range;
  c.kind = h.kind == HostChoice::Kind::flag   ? Choice::Kind::flag
           : h.kind == HostChoice::Kind::call ? Choice::Kind::call
                                              : Choice::Kind::compare;
  c.position = static_cast<Choice::Position>(h.position);
  c.want = want_of(h.want);
  c.outcome = h.outcome;
  c.alive = h.alive;
  c.condition = h.condition, c.chain = h.chain, c.arm = h.arm;
  c.asked_bytes = h.asked_bytes;
  c.refusal = h.raises ? python::Refusal::raises : python::Refusal::none;
  c.function = function;
  return c;
}

// As the judgement of Python's choices takes them.
python::Condition condition_of(const cuda::HostCondition& c) {
  return {c.outcome, c.alive, want_of(c.want)};
}
python::Chain chain_of(const cuda::HostChain& chain) {
  python::Chain out;
  for (const auto& arm : chain.arms) out.arms.push_back({arm.test, arm.outcome, arm.alive, arm.refuses});
  out.has_else = chain.has_else, out.else_refuses = chain.else_refuses;
  return out;
}

// Another arm takes the device: an earlier one, which is why it does not come here, or one that asks for other
// things, too, just as this one does of the devices that it is for.
bool served_by_sibling(const Choice& c, const python::Chain& chain, arch::Device target) {
  if (c.arm >= chain.arms.size()) return false;
  bool mine_open = (chain.arms[c.arm].outcome.may_true).empty();
  for (std::size_t i = 0; i < chain.arms.size(); ++i) {
    const auto& arm = chain.arms[i];
    if (i == c.arm || arm.refuses || !arm.alive.has(target.index()) || !arm.outcome.differs(arm.alive)) continue;
    bool certain = arm.outcome.may_true.has(target.index()) && !arm.outcome.may_fail().has(target.index());
    if (certain || (mine_open && arm.outcome.may_pass().has(target.index()))) return true;
  }
  return false;
}

class Reader {
 public:
  explicit Reader(const Inputs& in) : in_(in) {}

  std::vector<Item> run() {
    std::map<std::string, std::vector<std::string>> files;   // by package: the first folder of their paths
    for (const std::string& path : in_.host_files) files[path.substr(0, path.find('/'))].push_back(path);
    for (auto& [package, paths] : files) read(package, std::move(paths));
    for (const std::string& path : read_) {
      choices(path);
      names(path);
    }
    return std::move(items_);
  }

 private:
  void read(const std::string& package, std::vector<std::string> files) {
    std::set<Symbol> known;
    for (int round = 0; round < kRounds && !files.empty(); ++round) {
      for (const std::string& path : files) add(package, path);
      auto program = programs_.find(package);
      if (program == programs_.end() || !in_.cuda_holders) break;
      std::vector<Symbol> fresh;
      for (Symbol name : program->second.derived()) {
        if (name.text().size() >= kShortestName && known.insert(name).second) fresh.push_back(name);
      }
      if (fresh.empty()) break;
      files = in_.cuda_holders(fresh, package);
    }
  }

  void add(const std::string& package, const std::string& path) {
    const source::SourceFile* file = in_.cuda.file(path);
    if (file == nullptr || file->text().size() > kLongestHostFile || !seen_.insert(path).second) return;
    cuda::HostProgram& program = programs_.try_emplace(package, in_.knowledge.host).first->second;
    program.add(path, file->text(), in_.cuda.directives(path), in_.cuda.structure(path));
    read_.push_back(path);
  }

  Item place(const std::string& path, source::Range range, std::uint32_t function, std::string form) {
    const source::SourceFile& file = *in_.cuda.file(path);
    Item item;
    Gate& g = item.gate;
    g.path = path;
    g.range = range;
    g.begin = file.position(range.begin);
    g.end = file.position(range.end);
    g.form = std::move(form);
    g.expression = text::one_line(file.text(range), 200);
    if (function != cuda::kNone) g.enclosing = std::string(in_.cuda.structure(path).functions[function].qualified.text());
    return item;
  }

  void choices(const std::string& path) {
    cuda::HostChoices found = programs_.at(path.substr(0, path.find('/'))).choices(path);
    for (const HostChoice& h : found.list) {
      Item item = place(path, h.range, h.function, form_of(h.kind));
      item.choice = choice_of(h, Symbol(item.gate.enclosing));
      item.host.emplace();
      item.host->kind = h.kind;
      item.host->serves = h.serves;
      item.gate.admitted = served(item.choice.outcome, item.choice.want);
      item.gate.guards = "run-time test of the device";
      std::optional<python::Condition> condition;
      std::optional<python::Chain> chain;
      if (h.condition != cuda::kNone) condition = condition_of(found.conditions[h.condition]);
      if (h.chain != cuda::kNone) chain = chain_of(found.chains[h.chain]);
      for (arch::Device target : in_.targets) {
        Admission a = admission(item.choice, condition ? &*condition : nullptr, chain ? &*chain : nullptr, target);
        bool used = h.kind == HostChoice::Kind::flag || h.kind == HostChoice::Kind::call;
        if (used && h.want == HostChoice::Want::either) {
          a = {Admits::yes, a.reached, false, "which of two ways it takes is decided where this is set"};
        } else if (a.admits == Admits::no && h.elsewhere.has(target.index())) {
          a = {Admits::yes, false, false, "another arm further out serves it"};
        } else if (a.admits == Admits::no && chain && served_by_sibling(item.choice, *chain, target)) {
          a = {Admits::yes, a.reached, false, "another arm of the chain serves it"};
        }
        item.admissions.push_back(std::move(a));
      }
      keep(std::move(item));
    }
  }

  void names(const std::string& path) {
    // By function and target: a table is one gate.
    std::map<std::pair<std::uint32_t, unsigned>, std::vector<cuda::CodeName>> groups;
    for (cuda::CodeName& n : cuda::code_names(in_.cuda.file(path)->text(), in_.cuda.directives(path), in_.cuda.structure(path))) {
      groups[{n.function, n.target.index()}].push_back(std::move(n));
    }
    for (auto& [key, list] : groups) {
      if (list.size() <= kMostNames) {
        for (const cuda::CodeName& n : list) name(path, n, n.range, "compiled code loaded by name");
      } else {
        source::Range all{list.front().range.begin, list.back().range.end};
        name(path, list.front(), all, text::count(list.size(), "name") + " of compiled code");
      }
    }
  }

  void name(const std::string& path, const cuda::CodeName& n, source::Range range, std::string guards) {
    Item item = place(path, range, n.function, "cpp-cubin-name");
    item.host.emplace();
    item.host->code = n.target;
    item.gate.guards = std::move(guards);
    item.choice.alive = arch::all_devices();
    item.choice.outcome.may_true = arch::sass_devices(n.target);
    item.choice.outcome.may_false = arch::all_devices() - item.choice.outcome.may_true;
    item.gate.admitted = item.choice.outcome.may_true;
    for (arch::Device target : in_.targets) item.admissions.push_back(admission(item.choice, nullptr, nullptr, target));
    keep(std::move(item));
  }

  void keep(Item item) {
    // What is open of a flag or helper is told at the tests that make it.
    bool derived = item.host->kind == HostChoice::Kind::flag || item.host->kind == HostChoice::Kind::call;
    bool shut = std::ranges::any_of(item.admissions, [&](const Admission& a) {
      return a.admits == Admits::no || (a.admits == Admits::unknown && !derived);
    });
    if (!shut && derived && !in_.open_too) return;
    if (shut || in_.open_too) items_.push_back(std::move(item));
  }

  const Inputs& in_;
  std::map<std::string, cuda::HostProgram> programs_;   // by package
  std::set<std::string> seen_;
  std::vector<std::string> read_;
  std::vector<Item> items_;
};

}  // namespace

std::vector<Item> host_items(const Inputs& in) { return Reader(in).run(); }

Effect effect_of_host(const Item& item) {
  if (item.host->code) return Effect::no_code;
  const Choice& c = item.choice;
  if (c.position == Choice::Position::assigned || c.position == Choice::Position::argument) {
    if (c.refusal != python::Refusal::raises) return Effect::definition;
  }
  if (c.refusal == python::Refusal::raises) return Effect::raises;
  if (c.position == Choice::Position::returned) return Effect::definition;
  return c.want == Want::either ? Effect::silent_fallback : Effect::feature_off;
}

std::vector<Evidence> lacking_in_arm(const Item& item, const std::vector<Feature>& features, CudaFiles& files,
                                     arch::Device target) {
  std::vector<Evidence> out;
  const source::SourceFile& file = *files.file(item.gate.path);
  if (item.host->code) {
    std::string code = item.host->code->name();
    out.push_back({fmt::format("the name is that of code compiled for {}, which {} does not load; there is no source to build",
                               code, target.name()),
                   file.at(item.gate.range.begin)});
    return out;
  }
  if (item.host->serves.empty()) return out;
  arch::CodeTargetSet mine = arch::code_targets_of(target);
  cuda::Lexemes l = cuda::lex_range(file.text(), item.host->serves);
  for (std::size_t i = 0; i < l.size() && out.size() < 4; ++i) {
    if (!l[i].is_identifier()) continue;
    for (const Feature& f : features) {
      if (!(f.targets & mine).empty()) continue;
      bool tag = i >= 2 && l[i - 1].is("::") && l[i - 2].is("arch") && std::ranges::find(f.tags, l[i].text) != f.tags.end();
      bool word = std::ranges::find(f.words, l[i].text) != f.words.end();
      if (!tag && !word) continue;
      out.push_back({fmt::format("{} ({}) is on no code target of {}", l[i].text, f.name, target.name()), file.at(l[i].begin)});
    }
  }
  return out;
}

}  // namespace ungate::gate

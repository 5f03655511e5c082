// Operators that a file exports.
#include <algorithm>

#include "base/text.h"
#include "cuda/body.h"

namespace ungate::cuda {
namespace {

class Reader {
 public:
  Reader(const Lexemes& l, const Vocabulary& vocabulary, Structure& out)
      : l_(l), vocabulary_(vocabulary), out_(out) {}

  void run(std::size_t i) {
    if (!(i + 1 < l_.size() && l_[i + 1].is("("))) return;
    auto args = [&] {
      return split_arguments(l_, i + 2, after_brackets(l_, i + 1, l_.size()) - 1);
    };
    for (const Vocabulary::ExportMacro& m : vocabulary_.export_macros) {
      if (m.name != l_[i].text) continue;
      auto list = args();
      auto op = static_cast<std::size_t>(m.op), function = static_cast<std::size_t>(m.function);
      if (op >= list.size() || function >= list.size()) return;
      add_export(i, op_name(list[op]),
                 named_function(l_, list[function].first, list[function].second));
      return;
    }
    bool method = i > 0 && (l_[i - 1].is(".") || l_[i - 1].is("->"));
    if (!method || std::ranges::find(vocabulary_.export_methods, l_[i].text) ==
                       vocabulary_.export_methods.end())
      return;
    auto list = args();
    if (list.size() < 2 || l_[list[0].first].kind != Lexeme::Kind::string) return;
    std::string_view function;
    for (std::size_t k = list.size(); k > 1 && function.empty(); --k) {
      if (l_[list[k - 1].first].is("&")) function = exported_function(list[k - 1]);
    }
    for (std::size_t k = 1; k < list.size() && function.empty(); ++k) {
      function = exported_function(list[k]);
    }
    add_export(i, op_name(list[0]), function);
  }

 private:
  // `&f`, `f`, or a macro around it: TORCH_FN(f). Not a dispatch key (torch::kCUDA).
  std::string_view exported_function(std::pair<std::size_t, std::size_t> arg) const {
    auto [from, to] = arg;
    bool wrapped = to - from > 3 && l_[from].is_identifier() && l_[from + 1].is("(") &&
                   text::lower(l_[from].text) != l_[from].text && l_[to - 1].is(")");
    std::string_view name =
        wrapped ? named_function(l_, from + 2, to - 1) : named_function(l_, from, to);
    bool key = name.size() > 1 && name[0] == 'k' && name[1] >= 'A' && name[1] <= 'Z';
    return key ? std::string_view() : name;
  }

  void add_export(std::size_t i, std::string op, std::string_view function) {
    if (!op.empty() && !function.empty())
      out_.exports.push_back({Symbol(op), Symbol(function), l_[i].range()});
  }

  // `name`, or "name(Tensor a) -> Tensor".
  std::string op_name(std::pair<std::size_t, std::size_t> range) const {
    std::string out;
    for (std::size_t k = range.first; k < range.second; ++k) {
      if (l_[k].kind == Lexeme::Kind::string) {
        append_string(l_[k].text, out);
      } else {
        out += l_[k].text;
      }
    }
    return out.substr(0, out.find('('));
  }

  const Lexemes& l_;
  const Vocabulary& vocabulary_;
  Structure& out_;
};

}  // namespace

void read_export(const Lexemes& lexemes, std::size_t i, const Vocabulary& vocabulary,
                 Structure& out) {
  Reader(lexemes, vocabulary, out).run(i);
}

}  // namespace ungate::cuda

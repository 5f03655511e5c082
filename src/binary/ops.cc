#include "binary/ops.h"

#include <algorithm>

#include "binary/elf.h"

namespace ungate::binary {
namespace {

constexpr std::string_view kArrow = ") -> ", kTightArrow = ")->";

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// "name" of "name.overload(…"; empty if the text does not begin so. A namespace may stand in front.
std::string_view op_name(std::string_view schema) {
  std::size_t open = schema.find('(');
  if (open == schema.npos) return {};
  std::string_view name = schema.substr(0, open);
  if (std::size_t colons = name.rfind("::"); colons != name.npos) name.remove_prefix(colons + 2);
  name = name.substr(0, name.find('.'));
  bool good = !name.empty() && (name[0] < '0' || name[0] > '9') &&
              std::ranges::all_of(name, is_name_character);
  return good ? name : std::string_view();
}

}  // namespace

OpNames::OpNames(std::string texts) : texts_(std::move(texts)) {
  std::string_view all = texts_;
  for (std::string_view arrow : {kArrow, kTightArrow}) {
    for (std::size_t at = all.find(arrow); at != all.npos; at = all.find(arrow, at + 1)) {
      std::size_t begin = all.rfind('\0', at);
      begin = begin == all.npos ? 0 : begin + 1;
      std::string_view name = op_name(all.substr(begin, at - begin));
      if (!name.empty()) names_.emplace_back(name);
    }
  }
  std::ranges::sort(names_);
  auto repeated = std::ranges::unique(names_);
  names_.erase(repeated.begin(), repeated.end());
}

bool OpNames::has(std::string_view name) const {
  return std::ranges::binary_search(names_, name);
}

bool OpNames::names_space(std::string_view name) const {
  return texts_.find(std::string(name) + '\0') != texts_.npos;
}

Result<OpNames> read_op_names(const ByteSource& source) {
  auto elf = read_elf(source);
  if (!elf) return std::unexpected(elf.error());
  std::string texts;
  const Section* section = elf->find(".rodata");
  if (section != nullptr && section->has_bytes() && section->size <= kMostTexts) {
    if (auto s = source.read(section->offset, section->size, texts); !s)
      return std::unexpected(s.error());
  }
  return OpNames(std::move(texts));
}

}  // namespace ungate::binary

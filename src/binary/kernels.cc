#include "binary/kernels.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <unordered_map>

#include "base/parallel.h"
#include "binary/payload.h"

namespace ungate::binary {
namespace {

struct Read {
  std::vector<NamedKernel> kernels;
  Error error;
  bool failed = false;
};

Read read_object(const ByteSource& source, const CodeObject& object) {
  Read out;
  auto stop = [&](Error e) {
    out.error = std::move(e);
    out.failed = true;
  };
  if (object.kind != CodeKind::elf && object.kind != CodeKind::ptx) return out;
  auto bytes = unpack(source, object);
  if (!bytes) {
    stop(std::move(bytes.error()));
  } else if (object.kind == CodeKind::ptx) {
    out.kernels = kernels_of_ptx(*bytes);
  } else {
    std::string name =
        source.name() + ", " + object.built.name() + " code at " + std::to_string(object.offset);
    auto kernels = kernels_of_cubin(Memory(name, *bytes));
    if (kernels)
      out.kernels = std::move(*kernels);
    else
      stop(std::move(kernels.error()));
  }
  return out;
}

// Kernels that trap where their siblings of the unit use matrix instructions.
void find_missing_matrix(const Listing& listing, std::vector<Read>& read) {
  std::map<std::pair<std::uint32_t, std::string_view>, bool> uses;
  auto each = [&](auto&& f) {
    for (std::size_t i = 0; i < read.size(); ++i) {
      for (NamedKernel& k : read[i].kernels) f(uses[{listing.objects[i].unit, k.name}], k);
    }
  };
  each([](bool& matrix, const NamedKernel& k) { matrix = matrix || k.matrix; });
  each([](bool matrix, NamedKernel& k) {
    if (matrix && !k.matrix && k.traps) k.image.trap = true;
  });
}

}  // namespace

Result<Kernels> read_kernels(const ByteSource& source, const Listing& listing, unsigned threads) {
  std::vector<Read> read(listing.objects.size());
  parallel_for(read.size(), threads,
               [&](std::size_t i) { read[i] = read_object(source, listing.objects[i]); });
  for (Read& r : read) {
    if (r.failed) return std::unexpected(std::move(r.error));
  }
  find_missing_matrix(listing, read);

  Kernels out;
  for (const Read& r : read) {
    for (const NamedKernel& k : r.kernels) out.names.push_back(k.name);
  }
  std::ranges::sort(out.names);
  auto repeated = std::ranges::unique(out.names);
  out.names.erase(repeated.begin(), repeated.end());
  std::unordered_map<std::string_view, std::uint32_t> index;
  for (std::uint32_t i = 0; i < out.names.size(); ++i) index.emplace(out.names[i], i);
  for (std::uint32_t i = 0; i < read.size(); ++i) {
    for (NamedKernel& k : read[i].kernels) {
      k.image.name = index.at(k.name);
      k.image.object = i;
      out.images.push_back(k.image);
    }
  }
  return out;
}

std::vector<NamedKernel> kernels_of_ptx(std::string_view text) {
  constexpr std::string_view kEntry = ".entry";
  std::vector<NamedKernel> out;
  for (std::size_t at = text.find(kEntry); at != text.npos; at = text.find(kEntry, at)) {
    at += kEntry.size();
    std::size_t begin = text.find_first_not_of(" \t\r\n", at);
    if (begin == at || begin == text.npos) continue;
    std::size_t end = text.find_first_of("( \t\r\n{", begin);
    if (end == text.npos || end == begin) continue;
    out.push_back({std::string(text.substr(begin, end - begin)), {}, false, false});
    at = end;
  }
  return out;
}

std::string demangled(const std::string& name) {
  constexpr std::size_t kLongest = 1 << 16;  // the demangler recurses
  if (name.size() > kLongest) return name;
  int status = 0;
  char* text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  std::string out = status == 0 && text != nullptr ? text : name;
  std::free(text);
  return out;
}

namespace {

// "k" of "void a::b::k", of which templates and parameters are gone already.
std::string_view last_name(std::string_view text) {
  std::size_t end = text.find_last_not_of(" &*");
  text = text.substr(0, end == text.npos ? 0 : end + 1);
  std::size_t begin = text.find_last_of(": ");
  return begin == text.npos ? text : text.substr(begin + 1);
}

}  // namespace

std::string short_name(const std::string& name) {
  constexpr std::size_t kLongest = 60;
  std::string full = demangled(name);
  if (full.starts_with("_Z")) return full.substr(0, kLongest);
  std::string_view text = full;
  constexpr std::string_view kAnonymous = "(anonymous namespace)";
  std::size_t from = 0;
  while (text.substr(from).starts_with(kAnonymous) || text.find(kAnonymous, from) != text.npos) {
    from = text.find(kAnonymous, from) + kAnonymous.size();
  }
  std::size_t parameters = text.find_first_of("<(", from);
  std::string out(last_name(text.substr(0, parameters)));
  if (parameters != text.npos && text[parameters] == '<') {
    std::string_view argument = text.substr(parameters + 1);
    argument = argument.substr(0, argument.find_first_of("<>,("));
    out += '<' + std::string(last_name(argument)) + '>';
  }
  return out.size() > kLongest ? out.substr(0, kLongest) : out;
}

}  // namespace ungate::binary

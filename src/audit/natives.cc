#include "audit/natives.h"

#include <fmt/core.h>

#include <algorithm>

#include "audit/binary_gates.h"
#include "base/text.h"
#include "binary/coverage.h"
#include "package/folder.h"

namespace ungate::audit {
namespace {

// "pkg._C" of "pkg/_C.cpython-312-x86_64-linux-gnu.so".
std::string module_of(const std::string& path) {
  std::string name = package::name_of_path(path);
  std::string out = path.substr(0, path.size() - name.size()) + name.substr(0, name.find('.'));
  std::ranges::replace(out, '/', '.');
  return out;
}

}  // namespace

Natives::Natives(const package::Environment& environment, const Objects& objects, bool archive,
                 const std::vector<arch::Device>& targets) {
  for (const ObjectFile& file : objects.files) {
    if (file.listing.kind != binary::FileKind::shared_object || file.listing.objects.empty()) continue;
    gate::NativeLibrary library{file.path, module_of(file.path), code_of(file.listing), {}};
    for (unsigned d : arch::all_devices()) {
      if (binary::coverage_of(file.listing, arch::Device(d)).state == binary::State::no_code)
        library.without |= arch::DeviceSet::of(d);
    }
    bool lacks = std::ranges::any_of(
        targets, [&](arch::Device d) { return library.without.has(d.index()); });
    all_.push_back(std::move(library));
    files_.push_back(archive || !lacks
                         ? ""
                         : package::join_path(environment.sites[file.site].path, file.path));
  }
}

const binary::OpNames& Natives::ops_of(std::size_t library) {
  auto found = ops_.find(library);
  if (found != ops_.end()) return found->second;
  auto source = binary::open_file(files_[library]);
  auto names = source ? binary::read_op_names(**source) : std::unexpected(source.error());
  return ops_.emplace(library, names ? std::move(*names) : binary::OpNames("")).first->second;
}

gate::NativeLibraries Natives::libraries() {
  auto with_op = [this](std::string_view space, std::string_view op) {
    std::vector<std::size_t> out;
    for (std::size_t l = 0; l < all_.size(); ++l) {
      if (files_[l].empty()) continue;
      const binary::OpNames& ops = ops_of(l);
      if (ops.has(op) && ops.names_space(space)) out.push_back(l);
    }
    return out;
  };
  return {all_, with_op};
}

void Natives::tell_uses(const std::vector<gate::NativeUse>& uses,
                        std::vector<gate::Gate>& binaries) const {
  for (std::size_t l = 0; l < uses.size(); ++l) {
    auto gate = std::ranges::find(binaries, all_[l].path, &gate::Gate::path);
    if (gate == binaries.end()) continue;
    auto say = [&](const std::vector<std::string>& places, std::string_view what) {
      if (places.empty()) return;
      gate->guards += fmt::format("; {} at {}", what, places.front());
      if (places.size() > 1) gate->guards += fmt::format(" and {} more", text::count(places.size() - 1, "place"));
    };
    say(uses[l].imports, "imported");
    say(uses[l].calls, "its operators are called");
  }
}

}  // namespace ungate::audit

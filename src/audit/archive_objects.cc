#include "audit/archive_objects.h"

#include "audit/archive_contents.h"
#include "package/distribution.h"

namespace ungate::audit {
namespace {

// What a wheel says of itself: the folder NAME-VERSION.dist-info.
bool find_owner(const std::string& path, package::Distribution& out) {
  std::size_t end = path.find(".dist-info/");
  if (end == path.npos || path.find('/') < end) return false;
  return package::read_wheel_name(path.substr(0, end), out);
}

bool is_metadata(const std::string& path, bool image) {
  return !image && path.ends_with(".dist-info/METADATA");
}

}  // namespace

Result<Objects> read_archive_objects(const std::string& path, const ObjectOptions& options) {
  auto contents = read_archive_contents(path, options, is_metadata);
  if (!contents) return std::unexpected(contents.error());
  package::Distribution owner;
  for (const auto& [name, member] : contents->members) {
    if (find_owner(name, owner)) break;
  }
  Objects out;
  out.unread = std::move(contents->unread);
  for (auto& [name, member] : contents->members) {
    if (!member.unread.empty()) out.unread.push_back({path + ": " + name, member.unread});
    if (!member.object) continue;
    member.object->package = owner.name;
    member.object->version = owner.version_text;
    out.files.push_back(std::move(*member.object));
  }
  return out;
}

}  // namespace ungate::audit

#include "value/free.h"

namespace ungate::value {

std::string_view name_of(Free::Kind kind) {
  switch (kind) {
    case Free::Kind::macro: return "macro";
    case Free::Kind::env: return "environment variable";
    case Free::Kind::toolkit: return "toolkit version";
    case Free::Kind::package_version: return "package version";
    case Free::Kind::device_name: return "device name";
    case Free::Kind::config: return "configuration";
    case Free::Kind::argument: return "argument";
    case Free::Kind::call: return "call";
    case Free::Kind::name: return "name";
    case Free::Kind::unread: return "not read:";
  }
  return "";
}

std::string to_text(const Free& free) {
  return std::string(name_of(free.kind)) + ' ' + std::string(free.name.text());
}

void World::assume(Free free, Constant value, std::string origin) {
  for (Entry& entry : entries_) {
    if (entry.free == free) {
      entry.value = std::move(value);
      entry.origin = std::move(origin);
      return;
    }
  }
  entries_.push_back({free, std::move(value), std::move(origin)});
}

const World::Entry* World::find(const Free& free) const {
  for (const Entry& entry : entries_) {
    if (entry.free == free) return &entry;
  }
  return nullptr;
}

std::string to_text(const Constant& constant) {
  struct {
    std::string operator()(std::monostate) const { return "None"; }
    std::string operator()(bool b) const { return b ? "True" : "False"; }
    std::string operator()(std::int64_t n) const { return std::to_string(n); }
    std::string operator()(const std::string& s) const { return '"' + s + '"'; }
  } print;
  return std::visit(print, constant);
}

}  // namespace ungate::value

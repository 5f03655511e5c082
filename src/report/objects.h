// Renderers of code objects: what the binaries of an environment, a file or a wheel hold.
#pragma once

#include <string>
#include <vector>

#include "arch/device.h"
#include "audit/objects.h"

namespace ungate::report {

struct ObjectsOf {
  std::vector<std::string> sites;  // by ObjectFile::site: folders or archives
  audit::Objects objects;
};

struct ObjectsStyle {
  std::vector<arch::Device> targets;  // may be empty: nothing is asked about
  bool colour = false;
  int width = 100;
  std::string tool;  // json: the program's version
};

// One record a line. First those of a file's code objects, one a place, kind and target of the
// code:
//   {"site", "path", "place": "fatbin" or "relfatbin", "arch": "sm_100f", "kind": "elf", "ptx",
//   "ltoir"
//    or "other", "count", "target", "loads": "yes", "no" or "jit"}
// then one for the file:
//   {"site", "path", "package", "version", "file": its kind, "target", "state": "covered",
//   "jit-only",
//    "partly", "no-code" or "no-device-code", "units", "loaded", "jit", "none", "toolkit"}
// once a target, with `kernels` {"names", "code", "jit", "empty", "trap", "none"} and
// `kernels_built_for` [{"arch", "names", and of these on the target "code", "jit"}] where kernels
// were looked at; then each kernel has a record in front:
//   {"site", "path", "kernel": its symbol, "name", "target", "use": "code", "jit", "empty", "trap"
//   or
//    "none", and of the code used, or of any for "none": "arch", "kind", "code" bytes, "registers",
//    "shared"}
// Without targets all is there once, with null for what depends on them. What could not be read:
//   {"path", "error"}
std::string objects_jsonl(const std::vector<ObjectsOf>& all, const ObjectsStyle& style);
// The same records in one document.
std::string objects_json(const std::vector<ObjectsOf>& all, const ObjectsStyle& style);
// A table for people; many files of one folder that hold the same are one row.
std::string objects_human(const std::vector<ObjectsOf>& all, const ObjectsStyle& style);

}  // namespace ungate::report

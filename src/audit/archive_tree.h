// Wheels, tar files and container images as environments: what an audit reads of them, without
// unpacking them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "audit/archive_contents.h"
#include "audit/store.h"
#include "package/environment.h"

namespace ungate::audit {

// The import roots of an archive are folders in it, and it is a folder itself: "/tmp/a.whl",
// "/tmp/image.tar/usr/lib/python3/dist-packages". Nothing is on disk under these names.
//
// A wheel has one root, into which pip would put its files (what is in NAME.data/purelib and
// platlib, too). Elsewhere they are the folders that hold a *.dist-info, those of source checkouts
// (pyproject.toml, setup.py), and the archive itself for what is left. Of an image the texts below
// usr/ that belong to no package (the interpreter's own, system headers) are not kept.
struct ArchiveTree {
  package::Environment environment;
  std::vector<FoundFile> files;  // ordered by root, then path; each is in `texts` or `objects`
  Overlay texts;                 // of sources and templates of sources, by path relative to a root
  Objects objects;
  std::size_t seen = 0;          // files of any kind
};

// `path` is absolute.
Result<std::unique_ptr<ArchiveTree>> read_archive_tree(const std::string& path,
                                                       const ObjectOptions& options);

}  // namespace ungate::audit

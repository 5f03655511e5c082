// The binaries in wheels, tar files and container images, without unpacking them.
#pragma once

#include <string>

#include "audit/objects.h"

namespace ungate::audit {

// Reads an archive once, front to back; the paths of the files are those inside. In an image (what
// `docker save` and OCI tools write) they are those of the container: layers apply in order, and
// what a later layer replaces or removes is not there. ObjectFile::site is 0: the archive. Entries
// that were not read and why are in `unread`; files that are too large to be kept are listed but
// their kernels are not looked into.
Result<Objects> read_archive_objects(const std::string& path, const ObjectOptions& options);

}  // namespace ungate::audit

// Container images in a tar file, as `docker save` and OCI tools write them.
//
// Docker: manifest.json, a list of images with "Layers", paths of tar files in the order in which
// they apply. OCI image layout: index.json names a manifest by digest, blobs/sha256/DIGEST; its
// "layers" have digests too. A layer is a tar file, plain or compressed; an entry ".wh.NAME" in it
// removes NAME, and
// ".wh..wh..opq" all that lower layers have in its folder (OCI image specification, "Layer").
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.h"

namespace ungate::audit {

struct Image {
  std::vector<std::string> layers;  // paths in the archive, lowest first
};

// Nothing if the archive is no image. Of several images in it the first is taken.
Result<std::optional<Image>> find_image(const std::string& path);

// What one layer does to those below.
struct Layer {
  std::vector<std::string> paths;    // of the files it brings
  std::vector<std::string> removed;  // paths of files and folders
  std::vector<std::string> emptied;  // folders

  // True if the path is a mark that removes something, which is noted.
  bool note_whiteout(const std::string& path);
  bool removes(const std::string& path) const;
};

}  // namespace ungate::audit

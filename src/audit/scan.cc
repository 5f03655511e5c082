#include "audit/scan.h"

#include <algorithm>
#include <cstring>
#include <mutex>

#include "base/file.h"
#include "base/literal_set.h"
#include "base/parallel.h"
#include "cuda/code_names.h"
#include "gate/host_items.h"

namespace ungate::audit {
namespace {

constexpr std::uint64_t kLargest = 64u << 20;

// Names that only a text about devices holds.
bool names_target(std::string_view text, const std::vector<std::string>& macros) {
  auto holds = [&](std::string_view name) { return memmem(text.data(), text.size(), name.data(), name.size()) != nullptr; };
  return holds("__CUDA_ARCH") || std::ranges::any_of(macros, holds);
}

}  // namespace

Scan scan(const std::vector<FoundFile>& files, const python::WordSet& seeds, const std::vector<std::string>& host_seeds,
          const std::vector<std::string>& macros, FileStore& store, const Overlay* overlay, unsigned threads, const std::atomic<bool>& cancelled) {
  Scan out;
  std::vector<std::vector<python::WordHash>> words(files.size());
  std::vector<char> hit(files.size(), 0), host(files.size(), 0);
  LiteralSet host_texts(host_seeds);
  std::mutex mutex;
  parallel_for(files.size(), threads, [&](std::size_t i) {
    const FoundFile& file = files[i];
    if (cancelled || (file.kind != FileKind::python && file.kind != FileKind::cuda)) return;
    std::string bytes;
    auto laid = overlay == nullptr ? Overlay::const_iterator() : overlay->find(file.path);
    if (overlay != nullptr && laid != overlay->end()) {
      bytes = laid->second;
    } else {
      auto text = read_file(store.absolute(file), kLargest);
      if (!text) {
        std::lock_guard lock(mutex);
        out.unread.push_back({store.absolute(file), text.error().what});
        return;
      }
      bytes = std::move(text->bytes);
    }
    if (file.kind == FileKind::cuda) {
      hit[i] = names_target(bytes, macros);
      host[i] = !host_seeds.empty() && bytes.size() <= gate::kLongestHostFile &&
                (host_texts.any_in(bytes) || cuda::may_hold_code_names(bytes));
    } else {
      words[i] = python::words_of(bytes);
      for (python::WordHash word : words[i]) hit[i] = hit[i] || seeds.has(word);
    }
    if (hit[i] || host[i]) store.keep(file, std::move(bytes));
  }, 16);
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (files[i].kind == FileKind::python) {
      out.python.push_back(files[i]);
      out.words.push_back(std::move(words[i]));
      out.seeded.push_back(hit[i]);
    } else if (files[i].kind == FileKind::cuda && hit[i]) {
      out.cuda.push_back(files[i].path);
    }
    if (host[i]) out.host.push_back(files[i].path);
  }
  return out;
}

std::vector<std::string> cuda_holders(const std::vector<FoundFile>& files, const std::vector<Symbol>& names,
                                      const std::string& folder, const std::vector<std::string>& headers,
                                      FileStore& store, unsigned threads) {
  std::vector<std::string> out, literals;
  python::WordSet wanted;
  for (Symbol name : names) {
    wanted.add(name.text());
    literals.emplace_back(name.text());
  }
  const LiteralSet somewhere(std::move(literals));   // a quick look: most files hold none, not even within another word
  std::vector<char> hit(files.size(), 0);
  parallel_for(files.size(), threads, [&](std::size_t i) {
    const FoundFile& file = files[i];
    if (file.kind != FileKind::cuda || !file.path.starts_with(folder) || file.path.find('/') != folder.size()) return;
    if (std::ranges::any_of(headers, [&](const std::string& h) { return file.path.starts_with(h + '/'); })) return;
    store.look(file.path, [&](std::string_view text) {
      hit[i] = text.size() <= gate::kLongestHostFile && somewhere.any_in(text) && python::holds_any(text, wanted);
    });
  }, 16);
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (hit[i]) out.push_back(files[i].path);
  }
  return out;
}

}  // namespace ungate::audit

#include "host/choices.h"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <iterator>
#include <sstream>

namespace arf {
namespace {

constexpr const char* kHead = "arf-choices 1";

bool sane(const Choice& c) {
  const auto one_of = [](int n, auto... list) { return ((n == list) || ...); };
  return c.row_packs > 0 && c.tokens > 0 && c.algorithm >= ARF_ONESHOT && c.algorithm <= ARF_NCCL &&
         one_of(c.cluster, 1, 2, 4, 8) && one_of(c.packs, 1, 2) && c.units >= 0 && c.pause_ns >= 0;
}

}  // namespace

std::string uuid_text(const char* bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (int i = 0; i < 16; i++) {
    const auto b = static_cast<unsigned char>(bytes[i]);
    out += kDigits[b >> 4];
    out += kDigits[b & 15];
  }
  return out;
}

std::string write_choices(const Machine& machine, const std::vector<Choice>& choices) {
  std::ostringstream out;
  out << kHead << "\nmachine " << machine.driver;
  for (const std::string& d : machine.devices) out << ' ' << d;
  out << "\n# world, packs of a row, tokens (up to these); algorithm, cluster, packs a thread, "
         "units,"
         " pause\n";
  for (const Choice& c : choices)
    out << c.world << ' ' << c.row_packs << ' ' << c.tokens << ' ' << c.algorithm << ' '
        << c.cluster << ' ' << c.packs << ' ' << c.units << ' ' << c.pause_ns << '\n';
  return out.str();
}

std::vector<Choice> read_choices(const std::string& text, const Machine& machine, int world) {
  std::istringstream in(text);
  std::string line, word;
  if (!std::getline(in, line) || line != kHead || !std::getline(in, line)) return {};
  std::istringstream of(line);
  int driver = 0;
  if (!(of >> word >> driver) || word != "machine" || driver != machine.driver) return {};
  const std::vector<std::string> there{std::istream_iterator<std::string>(of), {}};
  for (const std::string& d : machine.devices)
    if (std::find(there.begin(), there.end(), d) == there.end()) return {};
  std::vector<Choice> out;
  while (std::getline(in, line)) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream row(line);
    Choice c{};
    if (!(row >> c.world >> c.row_packs >> c.tokens >> c.algorithm >> c.cluster >> c.packs >>
          c.units >> c.pause_ns) ||
        row >> word || !sane(c))
      return {};
    if (c.world == world) out.push_back(c);
  }
  return out;
}

const Choice* find_choice(const std::vector<Choice>& choices, int world, int row_packs,
                          int tokens) {
  for (const Choice& c : choices)
    if (c.world == world && row_packs <= c.row_packs && tokens <= c.tokens) return &c;
  return nullptr;
}

const std::vector<Choice>& built_in_choices() {
  static const std::vector<Choice> kChoices{
#include "host/choices.inc"
  };
  return kChoices;
}

std::string choices_file(int world, int transport) {
  if (const char* const named = std::getenv("ARF_CHOICES")) return named;
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  const char* const home = std::getenv("HOME");
  std::string folder;
  if (cache != nullptr && *cache == '/')
    folder = cache;
  else if (home != nullptr && *home == '/')
    folder = std::string(home) + "/.cache";
  else
    return {};
  return folder + "/ungate/arf-choices-" + std::to_string(world) +
         (transport == ARF_TRANSPORT_HOST ? "-host.txt" : "-peer.txt");
}

}  // namespace arf

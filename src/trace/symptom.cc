#include "trace/symptom.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>

#include "base/text.h"

namespace ungate::trace {
namespace {

constexpr std::array<std::string_view, 5> kFaults = {"gate", "no-code", "toolchain", "instruction", "resource"};

// "sm_120a", "120", "12.0", "(12, 0)", "compute_120f".
std::optional<arch::Device> device_of(std::string text) {
  std::string plain;
  for (char c : text) {
    if (c == ',') plain += '.';
    else if (c != '(' && c != ')' && c != ' ') plain += c;
  }
  return arch::parse_device(plain);
}

class Matcher {
 public:
  explicit Matcher(const Symptom& symptom) : symptom_(symptom), expression_(symptom.match, RE2::Quiet), groups_(expression_.NamedCapturingGroups()) {}

  bool ok() const { return expression_.ok(); }
  const std::string& error() const { return expression_.error(); }

  std::optional<Sign> match(const std::string& line) const {
    std::vector<re2::StringPiece> found(static_cast<std::size_t>(expression_.NumberOfCapturingGroups()) + 1);
    if (!expression_.Match(line, 0, line.size(), RE2::UNANCHORED, found.data(), static_cast<int>(found.size()))) return std::nullopt;
    auto group = [&](const char* name) {
      auto at = groups_.find(name);
      return at == groups_.end() ? std::string() : std::string(found[static_cast<std::size_t>(at->second)]);
    };
    Sign out;
    out.symptom = &symptom_;
    out.text = text::trim(line);
    out.target = group("target"), out.list = group("list");
    out.instruction = group("instruction"), out.bytes = group("bytes");
    if (std::string hex = group("hex"); !hex.empty()) out.bytes = std::to_string(std::stoull(hex, nullptr, 16));
    if (!out.target.empty()) out.device = device_of(out.target);
    return out;
  }

 private:
  const Symptom& symptom_;
  RE2 expression_;
  const std::map<std::string, int>& groups_;
};

bool alike(const Sign& a, const Sign& b) {
  return a.symptom == b.symptom && (a.text == b.text || (a.traceback == nullptr && b.traceback == nullptr && a.target == b.target && a.list == b.list &&
                                                         a.instruction == b.instruction && a.bytes == b.bytes && a.symptom->fault != Fault::gate));
}

}  // namespace

std::string_view name_of(Fault fault) { return kFaults[static_cast<std::size_t>(fault)]; }

std::optional<Fault> parse_fault(std::string_view name) {
  auto at = std::ranges::find(kFaults, name);
  if (at == kFaults.end()) return std::nullopt;
  return static_cast<Fault>(at - kFaults.begin());
}

Result<std::vector<Sign>> find_signs(const Log& log, const std::vector<Symptom>& symptoms) {
  std::vector<std::unique_ptr<Matcher>> matchers;
  for (const Symptom& s : symptoms) {
    matchers.push_back(std::make_unique<Matcher>(s));
    if (!matchers.back()->ok()) return fail(ErrorCode::bad_rule, "'match' of " + s.id + ": " + matchers.back()->error());
  }
  std::vector<Sign> out;
  for (std::size_t i = 0; i < log.lines.size(); ++i) {
    for (const auto& matcher : matchers) {
      auto sign = matcher->match(log.lines[i]);
      if (!sign) continue;
      sign->at = i;
      auto traceback = std::ranges::find(log.tracebacks, i, &Traceback::at);
      if (traceback != log.tracebacks.end()) sign->traceback = &*traceback;
      auto same = std::ranges::find_if(out, [&](const Sign& other) { return alike(other, *sign); });
      if (same == out.end()) {
        out.push_back(std::move(*sign));
      } else {
        ++same->count;
        if (same->traceback == nullptr) same->traceback = sign->traceback;
      }
      break;
    }
  }
  return out;
}

}  // namespace ungate::trace

#include "prove/ptx_text.h"

namespace ungate::prove {

std::string without_comments(std::string_view s) {
  std::string out(s);
  bool fresh = true;  // nothing but blanks on this line
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (fresh && (s.substr(i).starts_with(".loc") || s.substr(i).starts_with(".file"))) {
      while (i < out.size() && out[i] != '\n') out[i++] = ' ';
    }
    if (i == out.size()) break;
    if (out[i] == '\n') fresh = true;
    else if (!is_space(out[i])) fresh = false;
    if (out[i] == '"') {
      for (++i; i < out.size() && out[i] != '"'; ++i) i += out[i] == '\\';
    } else if (out[i] == '/' && i + 1 < out.size() && out[i + 1] == '/') {
      while (i < out.size() && out[i] != '\n') out[i++] = ' ';
    } else if (out[i] == '/' && i + 1 < out.size() && out[i + 1] == '*') {
      while (i + 1 < out.size() && !(out[i] == '*' && out[i + 1] == '/')) out[i++] = ' ';
      out[i] = ' ';
      if (i + 1 < out.size()) out[i + 1] = ' ';
    }
  }
  return out;
}

std::string_view opcode_of(std::string_view s) {
  for (;;) {
    std::size_t i = 0;
    while (i < s.size() && is_space(s[i])) ++i;
    s.remove_prefix(i);
    if (s.starts_with('@')) {
      while (!s.empty() && !is_space(s.front())) s.remove_prefix(1);
      continue;
    }
    std::size_t end = 0;
    while (end < s.size() && !is_space(s[end]) && s[end] != ';' && s[end] != ',') ++end;
    if (end > 0 && s[end - 1] == ':' && (end < 2 || s[end - 2] != ':')) {  // a label
      s.remove_prefix(end);
      continue;
    }
    return s.substr(0, end);
  }
}

bool has_effect(std::string_view op) {
  if (op.starts_with("st.")) return !op.starts_with("st.param") && !op.starts_with("st.local");
  if (op.starts_with("cp.")) return op.find("wait") == op.npos && op.find("commit") == op.npos;
  for (std::string_view prefix :
       {"atom.", "red.", "multimem.", "sust.", "sured.", "tcgen05.", "wgmma.mma", "stmatrix.", "mbarrier.",
        "clusterlaunchcontrol.", "tensormap.replace", "surf."}) {
    if (op.starts_with(prefix)) return true;
  }
  return false;
}

}  // namespace ungate::prove

// String literals: prefixes, escapes, f-string fields, implicit concatenation.
#include <charconv>
#include <string>

#include "python/convert.h"

namespace ungate::python {
namespace {

void append_utf8(std::string& out, std::uint32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xc0 | c >> 6);
    out += static_cast<char>(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xe0 | c >> 12);
    out += static_cast<char>(0x80 | (c >> 6 & 0x3f));
    out += static_cast<char>(0x80 | (c & 0x3f));
  } else {
    out += static_cast<char>(0xf0 | c >> 18);
    out += static_cast<char>(0x80 | (c >> 12 & 0x3f));
    out += static_cast<char>(0x80 | (c >> 6 & 0x3f));
    out += static_cast<char>(0x80 | (c & 0x3f));
  }
}

// The text of a literal piece with its escapes resolved. {{ and }} stay for the caller.
std::string unescape(std::string_view s, bool bytes) {
  std::string out;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s[i] != '\\' || i + 1 == s.size()) {
      out += s[i];
      continue;
    }
    char c = s[++i];
    static constexpr std::string_view kFrom = "abfnrtv\\'\"", kTo = "\a\b\f\n\r\t\v\\'\"";
    if (std::size_t at = kFrom.find(c); at != std::string_view::npos) {
      out += kTo[at];
    } else if (c == '\n') {
      continue;
    } else if (c >= '0' && c <= '7') {
      std::uint32_t code = 0;
      std::size_t end = i;
      while (end < s.size() && end < i + 3 && s[end] >= '0' && s[end] <= '7') code = code * 8 + static_cast<std::uint32_t>(s[end++] - '0');
      append_utf8(out, code);
      i = end - 1;
    } else if (c == 'x' || (!bytes && (c == 'u' || c == 'U'))) {
      std::size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : 8;
      std::uint32_t code = 0;
      std::string_view hex = s.substr(i + 1, digits);
      if (std::from_chars(hex.data(), hex.data() + hex.size(), code, 16).ptr == hex.data() + digits) {
        append_utf8(out, code);
        i += digits;
      } else {
        out += '\\';
        out += c;
      }
    } else {
      out += '\\';
      out += c;
    }
  }
  return out;
}

std::string collapse_braces(std::string s) {
  std::string out;
  for (std::size_t i = 0; i < s.size(); ++i) {
    out += s[i];
    if ((s[i] == '{' || s[i] == '}') && i + 1 < s.size() && s[i + 1] == s[i]) ++i;
  }
  return out;
}

}  // namespace

NodeId Converter::string(TSNode node) {
  // A literal is a list of pieces: text, and fields of f-strings. Neighbouring texts are merged.
  std::vector<NodeId> fields;       // 0 marks a text piece
  std::vector<std::string> texts;
  bool bytes = false;
  auto literal = [&](TSNode part) {
    std::string_view start = text(ts_node_child(part, 0));
    bool raw = start.find_first_of("rR") != std::string_view::npos;
    bool format = start.find_first_of("fF") != std::string_view::npos;
    bytes = bytes || start.find_first_of("bB") != std::string_view::npos;
    // The grammar splits a text into string_content nodes and gives what lies between as escapes.
    auto append = [&](std::string_view piece) {
      std::string value = raw ? std::string(piece) : unescape(piece, bytes);
      if (format) value = collapse_braces(std::move(value));
      if (fields.empty() || fields.back() != 0) {
        fields.push_back(0);
        texts.emplace_back();
      }
      texts.back() += value;
    };
    for (std::uint32_t i = 1, n = ts_node_child_count(part); i + 1 < n; ++i) {
      TSNode child = ts_node_child(part, i);
      if (type_of(child) != "interpolation") {
        append(text(child));
        continue;
      }
      NodeId inner = expression(child_at(child, UNGATE_TS_FIELD("expression")));
      bool formatted = false;
      each_named(child, [&](TSNode extra) {
        formatted = formatted || type_of(extra) == "format_specifier" || type_of(extra) == "type_conversion";
      });
      fields.push_back(add(NodeKind::field, child, {&inner, 1}, formatted ? 1 : 0));
    }
  };
  if (kind_of(node) == Ts::concatenated_string) {
    each_named(node, literal);
  } else {
    literal(node);
  }
  auto constant = [&](std::string_view value) {
    auto kind = bytes ? Constant::bytes : Constant::string;
    return add(NodeKind::constant, node, {}, static_cast<std::uint8_t>(kind), Symbol(value));
  };
  if (texts.size() == fields.size() && texts.size() <= 1) return constant(texts.empty() ? "" : texts[0]);
  std::vector<NodeId> parts;
  std::size_t next = 0;
  for (NodeId field : fields) parts.push_back(field != 0 ? field : constant(texts[next++]));
  return add(NodeKind::fstring, node, parts);
}

}  // namespace ungate::python

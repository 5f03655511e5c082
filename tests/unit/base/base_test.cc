// Errors, hashes, JSON, symbols, threads.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <atomic>
#include <fstream>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/parallel.h"
#include "base/stable_vector.h"
#include "base/symbol.h"

namespace ungate {
namespace {

TEST(Error, SaysWhereWhatAndNext) {
  Error error{ErrorCode::bad_rule, "unknown key 'kynd'", "rules/a.yaml:3:5", {}};
  EXPECT_EQ(to_text(error), "rules/a.yaml:3:5: unknown key 'kynd'\n  next: correct the file, or drop --rules");
  EXPECT_EQ(exit_of(error.code), Exit::usage);
  EXPECT_EQ(exit_of(ErrorCode::drift), Exit::drift);
}

// RFC 6234 gives the digest of "abc"; RECORD files use the same digest in URL-safe base64.
TEST(Hash, Sha256) {
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_base64url("abc"), "ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0");
  EXPECT_EQ(sha256_base64url(""), "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU");
  EXPECT_EQ(hex(0x0123456789abcdefu, 4), "0123");
}

TEST(Json, WritesWhatAParserReadsBack) {
  JsonWriter w(2);
  w.begin_object().field("a\"b", "x\n\x01\xff").field("n", -3).key("list").begin_array();
  w.number(1).boolean(true).null().begin_object().end_object().end_array().string_or_null("e", "").end_object();
  auto parsed = nlohmann::json::parse(w.text());
  EXPECT_EQ(parsed["a\"b"], "x\n\x01\xef\xbf\xbd");
  EXPECT_EQ(parsed["n"], -3);
  EXPECT_EQ(parsed["list"].size(), 4u);
  EXPECT_TRUE(parsed["e"].is_null());
}

TEST(Symbol, EqualTextsAreOneSymbol) {
  EXPECT_EQ(Symbol("abc"), Symbol(std::string("ab") + "c"));
  EXPECT_NE(Symbol("abc"), Symbol("abd"));
  EXPECT_EQ(Symbol().text(), "");
  EXPECT_EQ(Symbol(""), Symbol());
  std::vector<Symbol> first(20'000), second(20'000);
  parallel_for(first.size(), 4, [&](std::size_t i) { first[i] = Symbol("s" + std::to_string(i)); });
  parallel_for(second.size(), 4, [&](std::size_t i) { second[i] = Symbol("s" + std::to_string(i)); });
  for (std::size_t i = 0; i < first.size(); ++i) {
    ASSERT_EQ(first[i], second[i]);
    ASSERT_EQ(first[i].text(), "s" + std::to_string(i));
  }
}

TEST(Parallel, VisitsEachItemOnce) {
  std::vector<std::atomic<int>> seen(1000);
  parallel_for(seen.size(), 3, [&](std::size_t i) { ++seen[i]; }, 7);
  for (auto& n : seen) EXPECT_EQ(n, 1);
}

TEST(StableVector, ElementsDoNotMove) {
  StableVector<int, 4> v;
  int& first = v.push_back(7);
  for (int i = 0; i < 1000; ++i) v.push_back(i);
  EXPECT_EQ(&first, &v[0]);
  EXPECT_EQ(v[1000], 999);
}

TEST(File, SaysWhyItCannotRead) {
  EXPECT_EQ(read_file("/no/such/file").error().code, ErrorCode::no_such_path);
  EXPECT_EQ(read_file("/").error().code, ErrorCode::unreadable);
  std::string path = testing::TempDir() + "ungate_file_test";
  std::ofstream(path) << "hello";
  EXPECT_EQ(read_file(path)->bytes, "hello");
  EXPECT_EQ(read_file(path)->stamp.size, 5u);
  EXPECT_EQ(read_file(path, 4).error().code, ErrorCode::unreadable);
}

}  // namespace
}  // namespace ungate

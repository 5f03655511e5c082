#include "binary/ops.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/binary/make.h"

namespace ungate::binary {
namespace {

using testing::ElementsAre;
using namespace std::string_literals;

TEST(Ops, SchemasOfALibrary) {
  std::string texts =
      "scale(Tensor x, float by) -> Tensor\0add.out(Tensor a, Tensor b)->Tensor\0my_C\0"
      "sum::mean(Tensor x) -> Tensor\0f(x) has no result\0 -> (x) -> y\0 9bad(x) -> y\0"s;
  std::string file = make::elf({{".rodata", texts}});
  auto ops = read_op_names(Memory("a.so", file));
  ASSERT_TRUE(ops) << to_text(ops.error());
  EXPECT_THAT(ops->names(), ElementsAre("add", "mean", "scale"));
  EXPECT_TRUE(ops->has("scale"));
  EXPECT_FALSE(ops->has("f"));
  EXPECT_TRUE(ops->names_space("my_C"));
  EXPECT_TRUE(ops->names_space("_C"));  // the end of a longer text
  EXPECT_FALSE(ops->names_space("my_"));
}

TEST(Ops, NothingThere) {
  EXPECT_TRUE(read_op_names(Memory("a.so", make::elf({{".text", "x"}})))->names().empty());
  EXPECT_FALSE(
      read_op_names(Memory("a.so", "no ELF file at all, but long enough to be one ....................")));
}

}  // namespace
}  // namespace ungate::binary

// Commands that are suggested must be such that they can be pasted.
#pragma once

#include <string>

namespace ungate::cli {

// As it is where a shell takes it as one word, else in single quotes.
std::string shell_word(const std::string& word);

}  // namespace ungate::cli

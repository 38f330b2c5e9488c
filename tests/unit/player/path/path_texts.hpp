// Texts of flight paths, and the fault that is found in one.
#pragma once

#include <catch2/catch.hpp>
#include <fstream>
#include <string>

#include "sync/base/error.hpp"

namespace tilewall::path {

/// The fault's line behind the file's name.
template <typename Read>
std::string fault_in(const std::string& file, const std::string& text, const Read& read) {
  std::ofstream(file) << text;
  try {
    read(file);
  } catch (const InputError& error) {
    const std::string line = error.what();
    REQUIRE(line.starts_with(file + ":"));
    return line.substr(file.size() + 1);
  }
  return "";
}

inline const std::string first_key = "[[key]]\neye = [4, 0, 0]\nlook_at = [0, 0, 0]\n";
inline const std::string second_key =
    "[[key]]\nname = \"top\"\neye = [0, 1, 4]\nlook_at = [0, 0, 0]\n";

}  // namespace tilewall::path

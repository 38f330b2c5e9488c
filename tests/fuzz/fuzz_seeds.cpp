// fuzz_seeds FOLDER: writes each decoder's good inputs to FOLDER/NAME/, for fuzzers to begin with.

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "tests/fuzz/decoder.hpp"

int main(int count, char** words) {
  using namespace tilewall::fuzz;
  if (count != 2) {
    std::fputs("usage: fuzz_seeds FOLDER\n", stderr);
    return 2;
  }
  for (const Decoder& decoder : all_decoders()) {
    const auto folder = std::filesystem::path(words[1]) / decoder.name;
    std::filesystem::create_directories(folder);
    for (std::size_t i = 0; i < decoder.good.size(); ++i)
      std::ofstream(folder / std::to_string(i), std::ios::binary) << text_of(decoder.good[i]);
  }
  return 0;
}

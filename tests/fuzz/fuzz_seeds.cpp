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
    std::size_t number = 0;
    for (const Bytes& seed : decoder.seeds())
      std::ofstream(folder / std::to_string(number++), std::ios::binary) << text_of(seed);
  }
  return 0;
}

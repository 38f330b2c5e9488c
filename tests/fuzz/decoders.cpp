#include <iterator>

#include "tests/fuzz/decoder.hpp"

namespace tilewall::fuzz {

std::vector<Decoder> all_decoders() {
  std::vector<Decoder> all;
  for (auto* const some : {wire_decoders, slab_decoders, movie_decoders, show_decoders})
    for (Decoder& decoder : some()) all.push_back(std::move(decoder));
  return all;
}

}  // namespace tilewall::fuzz

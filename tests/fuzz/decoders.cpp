#include <nlohmann/json.hpp>

#include "sync/base/json_text.hpp"
#include "tests/fuzz/decoder.hpp"

namespace tilewall::fuzz {

nlohmann::json json_of(std::span<const std::byte> input) {
  try {
    return parse_json(text_of(input));
  } catch (const InputError&) {
    return {};
  }
}

std::vector<Decoder> all_decoders() {
  std::vector<Decoder> all;
  for (auto* const some : {wire_decoders, slab_decoders, live_decoders, movie_decoders,
                           show_decoders, file_decoders, console_decoders})
    for (Decoder& decoder : some()) all.push_back(std::move(decoder));
  return all;
}

}  // namespace tilewall::fuzz

// libFuzzer's entry to one decoder.

#include <algorithm>
#include <cstdint>

#include "sync/base/check.hpp"
#include "tests/fuzz/decoder.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tilewall::fuzz;
  static const Decoder decoder = [] {
    std::vector<Decoder> all = all_decoders();
    const auto found = std::ranges::find(all, TILEWALL_FUZZ_DECODER, &Decoder::name);
    TW_CHECK(found != all.end());
    return *found;
  }();
  decoder.decode({reinterpret_cast<const std::byte*>(data), size});
  return 0;
}

// What takes bytes from outside, as one function each: fuzzers call it with whatever they make up,
// the ordinary tests with what mutants.hpp makes of good inputs.
#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sync/base/error.hpp"

namespace tilewall::fuzz {

using Bytes = std::vector<std::byte>;

struct Decoder {
  std::string name;                                        ///< fuzz_NAME is its program
  std::vector<Bytes> good;                                 ///< inputs that it takes
  std::function<void(std::span<const std::byte>)> decode;  ///< throws for a bug alone
  bool is_json = false;                                    ///< its inputs are JSON texts
  std::vector<Bytes> refused = {};                         ///< inputs worth changing too

  /// All inputs to begin with.
  [[nodiscard]] std::vector<Bytes> seeds() const {
    std::vector<Bytes> all = good;
    all.insert(all.end(), refused.begin(), refused.end());
    return all;
  }
};

/// Each on the first call made.
[[nodiscard]] std::vector<Decoder> wire_decoders();
[[nodiscard]] std::vector<Decoder> slab_decoders();
[[nodiscard]] std::vector<Decoder> live_decoders();
[[nodiscard]] std::vector<Decoder> movie_decoders();
[[nodiscard]] std::vector<Decoder> show_decoders();
[[nodiscard]] std::vector<Decoder> file_decoders();
[[nodiscard]] std::vector<Decoder> console_decoders();

/// All of the above.
[[nodiscard]] std::vector<Decoder> all_decoders();

/// What refusing() has called, and what of it refused nothing.
struct CallCounts {
  std::size_t made = 0;
  std::size_t taken = 0;
};
inline CallCounts calls;

/// Calls what may refuse its input in one line, and in no other way.
template <typename Call>
void refusing(const Call& call) {
  ++calls.made;
  try {
    call();
    ++calls.taken;
  } catch (const InputError&) {
  }
}

/// Null where it is none.
[[nodiscard]] nlohmann::json json_of(std::span<const std::byte> input);

[[nodiscard]] inline Bytes bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

[[nodiscard]] inline std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// The plain bytes of values, one behind the other.
template <typename... Values>
[[nodiscard]] Bytes joined(const Values&... values) {
  Bytes all;
  const auto add = [&](std::span<const std::byte> part) {
    all.insert(all.end(), part.begin(), part.end());
  };
  (add(std::as_bytes(std::span(&values, 1))), ...);
  return all;
}

}  // namespace tilewall::fuzz

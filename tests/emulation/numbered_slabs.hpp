// Slabs that a benchmark's server gives and its client knows: a few of one size, no two alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "net/slab/slab_server.hpp"

namespace tilewall::test {

class NumberedSlabs final : public SlabSource {
 public:
  /// Made before the processes part, so that both sides have them.
  explicit NumberedSlabs(std::size_t slab_bytes);

  /// What asks for the `number`-th slab of any series: they come round and round.
  [[nodiscard]] static std::vector<std::byte> words(std::uint64_t number);
  /// Whether these are its bytes.
  [[nodiscard]] bool is_right(std::uint64_t number, std::span<const std::byte> bytes) const;

  [[nodiscard]] nlohmann::json call(const nlohmann::json& question) override;
  [[nodiscard]] std::shared_ptr<const SlabBuffer> read(std::span<const std::byte> request) override;

 private:
  std::vector<SlabBuffer> slabs_;
  std::vector<std::uint64_t> hashes_;  // XXH3
};

}  // namespace tilewall::test

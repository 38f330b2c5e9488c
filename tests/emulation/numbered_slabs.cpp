#include "tests/emulation/numbered_slabs.hpp"

#include <xxhash.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "sync/base/error.hpp"

namespace tilewall::test {
namespace {

constexpr std::size_t different_slabs = 3;

void fill_at_random(SlabBuffer& slab, std::uint64_t seed) {
  std::uint64_t state = seed * 0x9E3779B97F4A7C15U + 1;
  for (std::size_t i = 0; i + sizeof state <= slab.size(); i += sizeof state) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    std::memcpy(slab.data() + i, &state, sizeof state);
  }
}

std::uint64_t hash_of(std::span<const std::byte> bytes) {
  return ::XXH3_64bits(bytes.data(), bytes.size());
}

}  // namespace

NumberedSlabs::NumberedSlabs(std::size_t slab_bytes) : slabs_(different_slabs) {
  for (std::size_t i = 0; i < slabs_.size(); ++i) {
    slabs_[i].resize(slab_bytes);
    fill_at_random(slabs_[i], i + 1);
    hashes_.push_back(hash_of(slabs_[i].bytes()));
  }
}

std::vector<std::byte> NumberedSlabs::words(std::uint64_t number) {
  std::vector<std::byte> words(sizeof number);
  std::memcpy(words.data(), &number, sizeof number);
  return words;
}

bool NumberedSlabs::is_right(std::uint64_t number, std::span<const std::byte> bytes) const {
  const std::size_t i = number % slabs_.size();
  return bytes.size() == slabs_[i].size() && hash_of(bytes) == hashes_[i];
}

nlohmann::json NumberedSlabs::call(const nlohmann::json&) { return "here"; }

std::shared_ptr<const SlabBuffer> NumberedSlabs::read(std::span<const std::byte> request) {
  std::uint64_t number = 0;
  if (request.size() != sizeof number) throw InputError("a slab's number was expected");
  std::memcpy(&number, request.data(), sizeof number);
  return {std::shared_ptr<const SlabBuffer>(), &slabs_[number % slabs_.size()]};  // outlives all
}

}  // namespace tilewall::test

// What a caster takes as a request for a picture, field by field.

#include "player/volume/cast_wire.hpp"

#include <catch2/catch.hpp>
#include <functional>

using namespace tilewall;
using namespace tilewall::volume;

namespace {

/// The lower right corner of a picture of 100x40 pixels.
CastMessage corner() {
  CastMessage message;
  message.picture_width = 100;
  message.picture_height = 40;
  message.x = 70;
  message.width = 30;
  message.y = 32;
  message.height = 8;
  return message;
}

constexpr std::size_t corner_bytes = std::size_t{30} * 8 * 4;

bool takes(const std::function<void(CastMessage&)>& change,
           std::size_t memory_bytes = std::size_t{1} << 20) {
  CastMessage message = corner();
  change(message);
  return decode_cast(std::as_bytes(std::span(&message, 1)), memory_bytes).has_value();
}

}  // namespace

TEST_CASE("a part of a picture lies within it and fits the memory", "[view][wire]") {
  const auto as_it_is = [](CastMessage&) {};
  CHECK(takes(as_it_is, corner_bytes));
  CHECK_FALSE(takes(as_it_is, corner_bytes - 1));
  CHECK_FALSE(takes([](CastMessage& one) { one.x = 71; }));
  CHECK_FALSE(takes([](CastMessage& one) { one.x = -1; }));
  CHECK_FALSE(takes([](CastMessage& one) { one.y = 33; }));
  CHECK_FALSE(takes([](CastMessage& one) { one.y = -1; }));
  CHECK_FALSE(takes([](CastMessage& one) { one.width = 0; }));
  CHECK_FALSE(takes([](CastMessage& one) { one.height = 0; }));
  CHECK_FALSE(takes([](CastMessage& one) { one.picture_width = 0; }));
  CHECK_FALSE(takes([](CastMessage& one) { one.picture_height = -40; }));
}

TEST_CASE("a request's timestep, lens, coarseness and detail are known ones", "[view][wire]") {
  CHECK(takes([](CastMessage& one) { one.timestep = 0; }));
  CHECK_FALSE(takes([](CastMessage& one) { one.timestep = -1; }));
  CHECK(takes([](CastMessage& one) { one.lens = 1; }));
  CHECK_FALSE(takes([](CastMessage& one) { one.lens = 2; }));
  CHECK_FALSE(takes([](CastMessage& one) { one.lens = -1; }));
  CHECK(takes([](CastMessage& one) { one.coarser_by = 0; }));
  CHECK_FALSE(takes([](CastMessage& one) { one.coarser_by = -1; }));
  CHECK_FALSE(takes([](CastMessage& one) { one.detail = static_cast<CastDetail>(4); }));
  CHECK_FALSE(takes([](CastMessage& one) { one.detail = static_cast<CastDetail>(-1); }));
  for (const CastDetail detail : {CastDetail::soon, CastDetail::awaited, CastDetail::deferred}) {
    CHECK_FALSE(takes([&](CastMessage& one) { one.detail = detail; }));  // of no region
    CHECK(takes([&](CastMessage& one) {
      one.detail = detail;
      one.region_width = one.region_height = 1;
    }));
    CHECK_FALSE(takes([&](CastMessage& one) {
      one.detail = detail;
      one.region_width = 1;
    }));
  }
}

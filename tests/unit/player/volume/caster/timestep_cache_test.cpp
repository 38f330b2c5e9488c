// Which timesteps of a volume are in memory, which is read next, and which values colours are for.

#include "player/volume/caster/timestep_cache.hpp"

#include <catch2/catch.hpp>

#include "player/volume/caster/series_values.hpp"
#include "player/volume/caster/tile_detail.hpp"
#include "tests/unit/render/volume/volume_fields.hpp"

using namespace tilewall;
using namespace tilewall::volume;

namespace timestep_cache_test {

constexpr LocalInstant read_at{std::chrono::seconds(100)};

ReadyTimestepPtr small_timestep() {
  return std::make_shared<ReadyTimestep>(
      Volume(voxels_of(VoxelType::u8, {4, 4, 4}, [](Vec3d) { return 1; })), 1);
}

void add(TimestepCache& cache, std::int64_t timestep) {
  cache.add({timestep, small_timestep(), nullptr, read_at});
}

void add_failure(TimestepCache& cache, std::int64_t timestep) {
  cache.add({timestep, nullptr, std::make_exception_ptr(std::runtime_error("broken")), read_at});
}

/// What is read ahead where nothing is thrown away.
std::vector<std::int64_t> read_ahead(TimestepCache& cache) {
  std::vector<std::int64_t> order;
  for (;;) {
    const auto next = cache.next_ahead();
    if (!next) return order;
    order.push_back(*next);
    add(cache, *next);
  }
}

DetailChoice box_choice(GridBox needed, GridBox box) {
  DetailChoice choice;
  choice.needed = needed;
  choice.box = box;
  return choice;
}

DetailChoice tiles_choice(const std::vector<int>& needed) {
  DetailChoice choice;
  choice.box = {{0, 0, 0}, {64, 64, 64}};
  TileNeeds needs;
  for (const int tile : needed) needs.uses.push_back(tile != 0 ? TileUse::needed : TileUse::unseen);
  choice.tiles = std::make_shared<const TileNeeds>(std::move(needs));
  return choice;
}

}  // namespace timestep_cache_test

using timestep_cache_test::add;
using timestep_cache_test::add_failure;
using timestep_cache_test::read_at;
using Steps = std::vector<std::int64_t>;

TEST_CASE("timesteps are read ahead in the direction of play, and around its end", "[view]") {
  TimestepCache cache(10, 4);
  CHECK_FALSE(cache.next_ahead());
  for (int looks = 0; looks < 3; ++looks) cache.want(8);  // a timestep stays on show
  add(cache, 8);
  CHECK(timestep_cache_test::read_ahead(cache) == Steps{9, 0, 1});
  TimestepCache back(10, 4);
  back.want(2);
  back.want(1);
  add(back, 1);
  CHECK(timestep_cache_test::read_ahead(back) == Steps{0, 9, 8});
  TimestepCache one(10, 1);
  one.want(3);
  CHECK_FALSE(one.next_ahead());
  TimestepCache all(3, 100);
  all.want(0);
  add(all, 0);
  CHECK(timestep_cache_test::read_ahead(all) == Steps{1, 2});
}

TEST_CASE("the timestep that was used longest ago makes room", "[view]") {
  TimestepCache cache(10, 3);
  for (const std::int64_t timestep : {0, 1, 2}) add(cache, timestep);
  CHECK(cache.is_full());
  CHECK(cache.get(0, read_at));
  CHECK(cache.find(1));  // looks only
  const ReadyTimestepPtr dropped = cache.drop_oldest();
  CHECK(dropped.use_count() == 1);
  CHECK_FALSE(cache.has(1));
  CHECK(cache.has(0));
  CHECK_FALSE(cache.is_full());
  CHECK(cache.held_bytes() == 2 * bytes_of(dropped->volume));
}

TEST_CASE("a timestep that cannot be read is tried again after a while", "[view]") {
  TimestepCache cache(10, 3);
  add_failure(cache, 4);
  CHECK(cache.has(4));
  CHECK_FALSE(cache.find(4));
  CHECK(cache.held_bytes() == 0);
  const LocalInstant again = read_at + TimestepCache::retry_pause;
  CHECK_THROWS_WITH(cache.get(4, again - Nanos(1)), "broken");
  CHECK_FALSE(cache.get(4, again));
  CHECK_FALSE(cache.has(4));
}

TEST_CASE("where colours change what was read is read again", "[view]") {
  TimestepCache cache(10, 3);
  add(cache, 0);
  add_failure(cache, 1);
  cache.drop_read();
  CHECK_FALSE(cache.has(0));
  CHECK(cache.has(1));
}

TEST_CASE("colours are for the first timestep that has different values", "[view]") {
  SeriesValues values;
  CHECK(values.unread_before(3) == 0);
  CHECK_FALSE(values.unread_before(0));
  values.note(0, ValueRange{5, 5}, 5);
  CHECK(values.unread_before(3) == 1);
  values.note(1, std::nullopt, 0);  // it cannot be read
  CHECK(values.unread_before(3) == 2);
  CHECK_FALSE(values.known());
  values.note(2, ValueRange{0, 9}, 0.5F);
  CHECK_FALSE(values.unread_before(100));
  values.note(3, ValueRange{0, 99}, 0.25F);
  CHECK(values.known() == ValueRange{0, 9});
  CHECK(values.least_above_zero() == 0.5F);
}

TEST_CASE("a file's range lacks the least value of a logarithm until a timestep has one",
          "[view]") {
  SeriesValues values(ValueRange{-1, 9});
  CHECK(values.unread_before(3) == 0);
  values.note(0, ValueRange{-1, 0}, 0);
  CHECK(values.unread_before(3) == 1);
  values.note(1, ValueRange{0, 9}, 0.5F);
  CHECK_FALSE(values.unread_before(3));
  CHECK(values.known() == ValueRange{-1, 9});
  CHECK(values.least_above_zero() == 0.5F);
  CHECK(SeriesValues(ValueRange{2, 9}).least_above_zero() == 2);
  CHECK_FALSE(SeriesValues(ValueRange{-2, -1}).unread_before(3));
}

TEST_CASE("a file's own range of values counts unless it is none", "[view]") {
  CHECK(SeriesValues(ValueRange{0, 7}).known() == ValueRange{0, 7});
  CHECK_FALSE(SeriesValues(ValueRange{7, 7}).known());
  CHECK_FALSE(SeriesValues(ValueRange{0, HUGE_VALF}).known());
  CHECK_FALSE(SeriesValues(std::nullopt).known());
}

TEST_CASE("a box that was read serves what lies in it", "[view]") {
  using timestep_cache_test::box_choice;
  const GridBox box{{1, 1, 1}, {20, 20, 20}};
  const WantedDetail held{3, box_choice({{5, 5, 5}, {15, 15, 15}}, box)};
  CHECK(held.serves(3, box_choice({{1, 1, 1}, {20, 20, 20}}, {{0, 0, 0}, {30, 30, 30}})));
  CHECK_FALSE(held.serves(3, box_choice({{1, 1, 1}, {21, 20, 20}}, box)));
  CHECK_FALSE(held.serves(3, box_choice({{1, 1, 1}, {20, 21, 20}}, box)));
  CHECK_FALSE(held.serves(3, box_choice({{1, 1, 1}, {20, 20, 21}}, box)));
  CHECK_FALSE(held.serves(3, box_choice({{0, 1, 1}, {20, 20, 20}}, box)));
  CHECK_FALSE(held.serves(3, box_choice({{1, 0, 1}, {20, 20, 20}}, box)));
  CHECK_FALSE(held.serves(3, box_choice({{1, 1, 0}, {20, 20, 20}}, box)));
  CHECK_FALSE(held.serves(4, held.choice));
  CHECK_FALSE(held.serves(3, box_choice({{1, 1, 1}, {20, 20, 20}}, {{0, 0, 0}, {30, 30, 30}}),
                          BoxReuse::same));
  CHECK(held.serves(3, held.choice, BoxReuse::same));
  CHECK_FALSE(held.can_become(3, held.choice));  // a box is read anew
  DetailChoice finer = held.choice;
  finer.level = 1;
  CHECK_FALSE(held.serves(3, finer));
}

TEST_CASE("tiles that are being read serve a view that needs no others", "[view]") {
  using timestep_cache_test::tiles_choice;
  const WantedDetail held{3, tiles_choice({1, 1, 0})};
  CHECK(held.serves(3, tiles_choice({1, 0, 0})));
  CHECK_FALSE(held.serves(3, tiles_choice({0, 0, 1})));
  CHECK(held.can_become(3, tiles_choice({0, 0, 1})));
  CHECK_FALSE(held.can_become(4, tiles_choice({0, 0, 1})));
  DetailChoice other_box = tiles_choice({1, 0, 0});
  other_box.box.end[0] = 32;
  CHECK_FALSE(held.can_become(3, other_box));
}

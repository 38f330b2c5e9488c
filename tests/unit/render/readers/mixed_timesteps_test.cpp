// Places between the timesteps of a series have values of both.

#include "render/readers/mixed_timesteps.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

#include "sync/base/error.hpp"

using namespace tilewall::render;

namespace {

template <typename Number>
std::vector<std::byte> bytes_of_numbers(const std::vector<Number>& numbers) {
  std::vector<std::byte> bytes(numbers.size() * sizeof(Number));
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

template <typename Number>
std::vector<Number> mixed(const std::vector<Number>& from, const std::vector<Number>& to,
                          VoxelType type, int share, int parts) {
  std::vector<std::byte> bytes = bytes_of_numbers(from);
  mix_voxels(bytes, bytes_of_numbers(to), type, share, parts);
  std::vector<Number> numbers(from.size());
  std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers;
}

constexpr VolumeSize box_size{5, 4, 3};

/// A series whose voxel is 10 times the timestep plus its place, and which counts what was read.
class PlainSeries final : public VoxelReader {
 public:
  PlainSeries() {
    info_.size = box_size;
    info_.type = VoxelType::u8;
    info_.times = {0, 1, 2};
  }
  [[nodiscard]] const std::string& path() const noexcept override { return path_; }
  [[nodiscard]] const VolumeInfo& info() const noexcept override { return info_; }
  [[nodiscard]] bool is_lost() const noexcept override { return false; }
  void read_box(int, int timestep, const GridBox& box, const VoxelTarget& into,
                const std::stop_token&) override {
    REQUIRE(timestep < info_.timesteps());
    for (int z = box.begin[2]; z < box.end[2]; ++z)
      for (int y = box.begin[1]; y < box.end[1]; ++y)
        for (int x = box.begin[0]; x < box.end[0]; ++x) {
          const std::size_t at = static_cast<std::size_t>(z - box.begin[2]) * into.slice_bytes +
                                 static_cast<std::size_t>(y - box.begin[1]) * into.row_bytes +
                                 static_cast<std::size_t>(x - box.begin[0]);
          into.first[at] = static_cast<std::byte>(40 * timestep + x + y + z);
        }
  }
  [[nodiscard]] std::optional<CellPairs> read_cells(int, int timestep,
                                                    const std::stop_token&) override {
    if (timestep == 2) return std::nullopt;
    CellPairs cells;
    cells.count = {2, 1, 1};
    cells.least = {static_cast<std::uint8_t>(10 - timestep), 3};
    cells.greatest = {static_cast<std::uint8_t>(20 + timestep), 4};
    cells.stored = {0, static_cast<float>(100 + timestep)};
    return cells;
  }
  [[nodiscard]] std::size_t window_bytes() const noexcept override { return 7; }
  [[nodiscard]] std::uint64_t read_bytes() const noexcept override { return 0; }
  [[nodiscard]] Work work() const noexcept override { return {}; }

 private:
  const std::string path_ = "plain";
  VolumeInfo info_;
};

}  // namespace

TEST_CASE("voxels are mixed as values, rounded in whole types", "[readers]") {
  using Bytes = std::vector<std::uint8_t>;
  CHECK(mixed(Bytes{0, 10, 255, 7}, Bytes{255, 20, 0, 7}, VoxelType::u8, 1, 4) ==
        Bytes{64, 13, 191, 7});
  CHECK(mixed(Bytes{0, 10}, Bytes{255, 20}, VoxelType::u8, 0, 4) == Bytes{0, 10});
  CHECK(mixed(Bytes{0, 10}, Bytes{255, 20}, VoxelType::u8, 4, 4) == Bytes{255, 20});
  CHECK_THROWS_AS(mixed(Bytes{0, 10}, Bytes{255}, VoxelType::u8, 1, 4), tilewall::InternalError);
  CHECK_THROWS_AS(mixed(Bytes{0}, Bytes{255}, VoxelType::u8, 5, 4), tilewall::InternalError);
  CHECK_THROWS_AS(mixed(Bytes{0}, Bytes{255}, VoxelType::u8, -1, 4), tilewall::InternalError);
  using Words = std::vector<std::uint16_t>;
  CHECK(mixed(Words{0, 65535}, Words{65535, 65535}, VoxelType::u16, 1023, 1024) ==
        Words{65471, 65535});
  using Floats = std::vector<float>;
  CHECK(mixed(Floats{0, -4}, Floats{1, 4}, VoxelType::f32, 256, 1024) == Floats{0.25F, -2});
  const float empty = std::numeric_limits<float>::quiet_NaN();
  const Floats early = mixed(Floats{empty, 5}, Floats{3, empty}, VoxelType::f32, 1, 4);
  CHECK(std::isnan(early[0]));
  CHECK(early[1] == 5);
  const Floats half = mixed(Floats{empty, 5}, Floats{3, empty}, VoxelType::f32, 2, 4);
  CHECK(std::isnan(half[0]));
  CHECK(half[1] == 5);
  const Floats late = mixed(Floats{empty, 5}, Floats{3, empty}, VoxelType::f32, 3, 4);
  CHECK(late[0] == 3);
  CHECK(std::isnan(late[1]));
}

TEST_CASE("a place between two timesteps has both, at any box and window", "[readers]") {
  constexpr int parts = 8;
  MixedTimesteps series(std::make_unique<PlainSeries>(), parts);
  for (const GridBox& box : {whole_box(box_size), GridBox{{1, 2, 0}, {4, 4, 3}}})
    for (const int place : {0, 3, 8, 13, 16}) {
      CAPTURE(place);
      const VolumeSize size = box.size();
      // Rows and slices have gaps, which stay as they are.
      const std::size_t row = static_cast<std::size_t>(size.x) + 2;
      const std::size_t slice = row * static_cast<std::size_t>(size.y) + 3;
      std::vector<std::byte> voxels(slice * static_cast<std::size_t>(size.z), std::byte{255});
      series.read_box(0, place, box, {voxels.data(), row, slice}, {});
      for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y) {
          const std::size_t at =
              static_cast<std::size_t>(z) * slice + static_cast<std::size_t>(y) * row;
          for (int x = 0; x < size.x; ++x)
            CHECK(std::to_integer<int>(voxels[at + static_cast<std::size_t>(x)]) ==
                  5 * place + box.begin[0] + box.begin[1] + box.begin[2] + x + y + z);
          CHECK(voxels[at + row - 1] == std::byte{255});
        }
    }
}

TEST_CASE("the ranges of cells between two timesteps hold those of both", "[readers]") {
  MixedTimesteps series(std::make_unique<PlainSeries>(), 4);
  const auto cells = series.read_cells(0, 1, {});
  REQUIRE(cells);
  CHECK(cells->least == std::vector<std::uint8_t>{9, 3});
  CHECK(cells->greatest == std::vector<std::uint8_t>{21, 4});
  CHECK(cells->stored.max == 101);
  CHECK(series.read_cells(0, 4, {})->least[0] == 9);
  CHECK(series.read_cells(0, 0, {})->least[0] == 10);
  CHECK_FALSE(series.read_cells(0, 5, {}));
}

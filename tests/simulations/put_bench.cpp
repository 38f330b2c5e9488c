// What tilewall_put() costs: of a timestep that no wall wants, in microseconds, and of one that is
// wanted, as a ratio to copying the same rows by memcpy in the same run.
//
//   build/release/put_bench [--side 256] [--runs 15] [--json]
//
// Prints medians of the runs, which alternate between put and copy:
//
//   unwanted         0.2 us
//   f32              1.02 of a copy
//   f32 with ghosts  1.04 of a copy
//   f32 to u8        1.24 of a copy
//   u16              1.05 of a copy
//   u8               1.02 of a copy

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "net/live/live_messages.hpp"
#include "net/source/live_source.hpp"
#include "net/source/tilewall_source.h"

using namespace tilewall::net;

namespace {

using Clock = std::chrono::steady_clock;

struct BenchOptions {
  std::int64_t side = 256;
  int runs = 15;
  bool json = false;
};

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

double seconds_of(const auto& work) {
  const Clock::time_point begin = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// An unwanted put with its end of the timestep, as a simulation calls them; microseconds.
double unwanted_us(std::int64_t side, const std::vector<float>& values) {
  tilewall_source* source = nullptr;
  const std::int64_t grid[3] = {side, side, side};
  if (tilewall_open("listen:127.0.0.1:0", "bench", 0, 1, grid, nullptr, &source) != TILEWALL_OK) {
    std::fprintf(stderr, "put_bench: %s\n", tilewall_error(nullptr));
    std::exit(1);
  }
  const tilewall_box box = {{0, 0, 0}, {side, side, side}};
  std::vector<double> all;
  for (int i = 0; i < 2000; ++i) {
    all.push_back(seconds_of(
        [&] { tilewall_put(source, "u", &box, nullptr, nullptr, TILEWALL_F32, values.data()); }));
    tilewall_end_step(source, i);
  }
  tilewall_close(source);
  return median(all) * 1e6;
}

struct Case {
  const char* name;
  PutType type;
  std::size_t value_bytes;
  std::int64_t ghosts;  // layers on each side
  std::optional<std::array<double, 2>> quantise;
};

/// A wanted put as a ratio to copying the rows of the box behind each other.
/// The bytes of `values` are taken as values of the case's type.
double wanted_ratio(const Case& one, const BenchOptions& options, const std::vector<float>& values,
                    double& copy_gb_s) {
  const auto side = static_cast<std::size_t>(options.side);
  const std::size_t before = static_cast<std::size_t>(one.ghosts);
  const auto own = static_cast<std::uint32_t>(side - 2 * before);
  LiveSourceOptions live;
  live.description.name = "bench";
  live.description.run = "0123456789abcdef";
  live.description.grid = {own, own, own};
  LiveSource source(live);
  const std::int64_t g = one.ghosts;
  const ArrayShape shape{{}, {own, own, own}, {g, g, g}, {g, g, g}, {}};
  const std::size_t row = own;
  const auto* const from = reinterpret_cast<const std::byte*>(values.data());
  std::vector<std::byte> copy(row * row * row * one.value_bytes);
  const auto copy_rows = [&] {
    if (g == 0) {
      std::memcpy(copy.data(), from, copy.size());
      return;
    }
    for (std::size_t z = 0; z < row; ++z)
      for (std::size_t y = 0; y < row; ++y)
        std::memcpy(copy.data() + (z * row + y) * row * one.value_bytes,
                    from + (((z + before) * side + y + before) * side + before) * one.value_bytes,
                    row * one.value_bytes);
  };
  std::vector<double> puts;
  std::vector<double> copies;
  for (int i = 0; i < options.runs + 4; ++i) {  // the first ones touch fresh memory
    LiveWant want{"u", static_cast<std::uint64_t>(i), LivePolicy::newest, 0, 1, one.quantise};
    static_cast<void>(source.call_from(1, to_json(want)));
    const double put_s = seconds_of([&] { source.put("u", shape, one.type, values.data()); });
    const double copy_s = seconds_of(copy_rows);
    if (!source.end_step(i).is_kept) std::exit(1);
    if (i < 4) continue;
    puts.push_back(put_s);
    copies.push_back(copy_s);
  }
  copy_gb_s = static_cast<double>(copy.size()) * 1e-9 / median(copies);
  return median(puts) / median(copies);
}

}  // namespace

int main(int argc, char** argv) {
  BenchOptions options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--json")
      options.json = true;
    else if (word == "--side" && i + 1 < argc)
      options.side = std::clamp(std::atoi(argv[++i]), 8, 1024);
    else if (word == "--runs" && i + 1 < argc)
      options.runs = std::clamp(std::atoi(argv[++i]), 1, 1000);
    else {
      std::fprintf(stderr, "put_bench: expected --side N, --runs N or --json, found %s\n", argv[i]);
      return 2;
    }
  }
  std::vector<float> values(static_cast<std::size_t>(options.side * options.side * options.side));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 1000);
  nlohmann::json result = {{"side", options.side}, {"runs", options.runs}};
  result["unwanted_us"] = unwanted_us(options.side, values);
  if (!options.json)
    fmt::print("{:<18} {:.2f} us\n", "unwanted", result["unwanted_us"].get<double>());
  for (const Case& one :
       {Case{"f32", PutType::f32, 4, 0, {}}, Case{"f32 with ghosts", PutType::f32, 4, 1, {}},
        Case{"f32 to u8", PutType::f32, 4, 0, {{0, 1000}}}, Case{"u16", PutType::u16, 2, 0, {}},
        Case{"u8", PutType::u8, 1, 0, {}}}) {
    double copy_gb_s = 0;
    const double ratio = wanted_ratio(one, options, values, copy_gb_s);
    result[one.name] = {{"ratio_to_copy", ratio}, {"copy_gb_s", copy_gb_s}};
    if (!options.json)
      fmt::print("{:<18} {:.2f} of a copy ({:.1f} GB/s)\n", one.name, ratio, copy_gb_s);
  }
  if (options.json) fmt::print("{}\n", result.dump());
  return 0;
}

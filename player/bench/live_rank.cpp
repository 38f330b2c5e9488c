// tilewall-bench-source: one rank of the source of `tilewall bench live`.
// tilewall-bench-source --where ADDRESSES --name NAME --rank I --ranks N --side VOXELS
//                       --type f32|u8 --output FILE
//
// It puts its layers of a cube of waves, which move from timestep to timestep, until SIGTERM. Then
// it writes the medians of three times to FILE: of puts that no wall wanted, of puts that a wall
// wanted, and of copies of the same values.

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "net/source/tilewall_source.hpp"
#include "sync/base/arguments.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "sync/global_time.hpp"

namespace tilewall::bench {
namespace {

constexpr std::size_t phases = 4;    // different timesteps; they are repeated
constexpr int unwanted_puts = 1000;  // before the wall comes
constexpr int copies = 9;
constexpr std::size_t most_times = 100'000;

std::atomic<bool> is_over{false};  // set by the signal, read by the loop

struct RankArguments {
  std::string where;
  std::string name;
  int rank = 0;
  int ranks = 1;
  int side = 256;
  std::string output;
};

/// This rank's layers of the cube, at a phase.
template <typename Value>
std::vector<Value> waves(const RankArguments& arguments, int begin, int end, std::size_t phase) {
  const auto side = static_cast<std::size_t>(arguments.side);
  const double turn = 2 * M_PI / arguments.side;
  const double shift = 2 * M_PI * static_cast<double>(phase) / phases;
  std::vector<double> along(side);
  for (std::size_t i = 0; i < side; ++i) along[i] = std::sin(3 * turn * static_cast<double>(i));
  std::vector<Value> values;
  values.reserve(side * side * static_cast<std::size_t>(end - begin));
  for (int z = begin; z < end; ++z) {
    const double layer = std::sin(2 * turn * z + shift);
    for (std::size_t y = 0; y < side; ++y)
      for (std::size_t x = 0; x < side; ++x)
        values.push_back(static_cast<Value>(100 + 50 * along[x] * along[y] + 50 * layer));
  }
  return values;
}

/// @pre not empty
double median(std::vector<double> times) {
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::ranges::nth_element(times, middle);
  return *middle;
}

template <typename Work>
double seconds_of(Work&& work) {
  const LocalInstant begin = local_now();
  work();
  return std::chrono::duration<double>(local_now() - begin).count();
}

template <typename Value>
void run_rank(const RankArguments& arguments) {
  const int begin = arguments.side * arguments.rank / arguments.ranks;
  const int end = arguments.side * (arguments.rank + 1) / arguments.ranks;
  std::vector<std::vector<Value>> steps;
  for (std::size_t phase = 0; phase < phases; ++phase)
    steps.push_back(waves<Value>(arguments, begin, end, phase));
  std::vector<Value> copy(steps[0].size());
  std::vector<double> copy_s;
  copy_s.reserve(copies);
  for (int i = 0; i < copies; ++i)
    copy_s.push_back(seconds_of([&] { std::ranges::copy(steps[0], copy.begin()); }));
  copy = {};

  const std::int64_t side = arguments.side;
  tilewall::Source source(arguments.where, arguments.name, arguments.rank, arguments.ranks,
                          {side, side, side});
  const tilewall_box box = {{0, 0, begin}, {side, side, end}};
  std::vector<double> unwanted_s;
  std::vector<double> wanted_s;
  for (std::size_t step = 0; !is_over; ++step) {
    const bool is_wanted = source.wanted("u");
    const double took_s = seconds_of([&] { source.put("u", box, steps[step % phases].data()); });
    std::vector<double>& times = is_wanted ? wanted_s : unwanted_s;
    if (times.size() < most_times) times.push_back(took_s);
    source.end_step(static_cast<double>(step));
    // Without a wall the loop would take a core that the wall's start needs.
    if (!is_wanted && step >= unwanted_puts) ::usleep(1000);
  }
  const auto median_or_null = [](const std::vector<double>& times) {
    return times.empty() ? nlohmann::json() : nlohmann::json(median(times));
  };
  write_file_atomically(arguments.output, nlohmann::json{{"unwanted_s", median_or_null(unwanted_s)},
                                                         {"wanted_s", median_or_null(wanted_s)},
                                                         {"copy_s", median(copy_s)},
                                                         {"wanted", wanted_s.size()},
                                                         {"unwanted", unwanted_s.size()}}
                                              .dump());
}

void run(const Arguments& given) {
  RankArguments arguments{given.text("--where"),   given.text("--name"),   given.number("--rank"),
                          given.number("--ranks"), given.number("--side"), given.text("--output")};
  // The loop ends the source in order, so that the wall has the last timestep.
  struct sigaction ending = {};
  ending.sa_handler = [](int) { is_over = true; };
  ::sigaction(SIGTERM, &ending, nullptr);
  given.text("--type") == "u8" ? run_rank<std::uint8_t>(arguments) : run_rank<float>(arguments);
}

}  // namespace
}  // namespace tilewall::bench

int main(int argc, char** argv) {
  try {
    tilewall::bench::run(tilewall::Arguments(argc, argv));
    return tilewall::exit_done;
  } catch (const std::exception& error) {
    fmt::print(stderr, "tilewall-bench-source: {}\n", error.what());
    return tilewall::exit_failed;
  }
}

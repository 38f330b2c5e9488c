// A simulation for tests, whose timesteps cannot be mistaken for each other: what a wall of two
// panels shows of each is known, drawn without processes.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <thread>
#include <vector>

namespace tilewall::test {

/// Ranks with layers of the grid, a thread each, of unequal speed. The source is called "sim".
///
/// Threads: one owner; steps() and failed() are for any.
class LiveSimulation {
 public:
  /// `where`: as of tilewall_open(). `key_file`: "" = none. `network`: path of the network
  /// namespace in which the ranks are; "" = this one.
  LiveSimulation(const std::string& where, int ranks, const std::string& key_file = "",
                 const std::string& network = "");

  /// The timestep that rank 0 ended last.
  [[nodiscard]] std::int64_t steps() const noexcept { return steps_; }
  /// Whether a call of the library failed.
  [[nodiscard]] bool failed() const noexcept { return failed_; }

 private:
  struct Place {
    std::string where;
    std::string key_file;
    std::string network;
    int ranks = 1;
  };

  void run(const Place& place, int rank, const std::stop_token& stop);

  std::atomic<std::int64_t> steps_{0};
  std::atomic<bool> failed_{false};
  std::vector<std::jthread> threads_;  // last: they use what stands above
};

/// Writes the camera that live_hash() draws with, for --camera.
void write_live_camera(const std::filesystem::path& file);

/// The hash of a panel's picture of a timestep, on a wall of pair_canvas_px.
[[nodiscard]] std::string live_hash(std::int64_t timestep, const std::string& panel);

/// Checks that every picture of a panel in a show's report is that of one whole timestep, and
/// returns the timesteps in order.
[[nodiscard]] std::vector<std::int64_t> checked_timesteps(const nlohmann::json& report,
                                                          const std::string& panel);

}  // namespace tilewall::test

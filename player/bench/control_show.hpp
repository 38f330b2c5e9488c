// A running wall for benchmarks: `tilewall play` or `view` as users start it, and the control port.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "net/clock/clock_page.hpp"
#include "player/command/control_client.hpp"

namespace tilewall::bench {

class ControlledShow {
 public:
  /// Starts `tilewall` with these arguments on a headless wall of this machine, and waits until it
  /// answers. Its files go to `folder`. Throws JobError.
  ControlledShow(const std::vector<std::string>& arguments, const std::filesystem::path& folder);
  ~ControlledShow();
  ControlledShow(const ControlledShow&) = delete;
  ControlledShow& operator=(const ControlledShow&) = delete;

  /// Waits until all panels have shown a frame. Throws JobError.
  void wait_until_it_plays();
  /// Requests a change. The answer has the instant at which it takes effect.
  nlohmann::json ask(const nlohmann::json& request) { return connection_->ask(request); }
  [[nodiscard]] GlobalInstant now() const { return clock_->mapping().to_global(local_now()); }

  /// Ends the show, and returns its report. To be called once.
  [[nodiscard]] nlohmann::json finish();

 private:
  const std::filesystem::path report_;
  const std::filesystem::path run_dir_;
  pid_t play_ = 0;
  std::unique_ptr<net::ClockPageReader> clock_;
  std::unique_ptr<command::WallConnection> connection_;
};

// The scrub of `bench control`: how many pictures a second a person sees who drags through a paused
// movie, whether all panels show the same ones, and how soon the last one is there in full detail.

/// The requests and answers of a scrub. Instants are global.
struct Scrub {
  struct Stop {
    std::int64_t at_ns = 0;  ///< Instant at which all panels show it first
    std::int64_t frame = 0;
  };
  std::vector<Stop> stops;
  std::int64_t released_ns = 0;  ///< Instant when the last seek was answered
  std::int64_t end_ns = 0;       ///< Instant when the wall had come to rest
};

/// Pauses, then seeks `times` times, each as soon as the one before is answered, through a movie of
/// so many frames.
[[nodiscard]] Scrub scrub(ControlledShow& show, int times, std::int64_t movie_frames);

/// {`seeks`, `pictures_per_s`, `wrong_frames`, `full_after_ms`}: the slowest panel's; pictures of
/// another frame than the one due. `report`: the show's.
[[nodiscard]] nlohmann::json scrub_figures(const nlohmann::json& report, const Scrub& scrub);

}  // namespace tilewall::bench

// A panel's decode thread that draws a live source, for tests that take its pictures.
#pragma once

#include <catch2/catch.hpp>
#include <condition_variable>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include "player/panel/decode_ahead.hpp"
#include "player/panel/picture_ring.hpp"
#include "player/panel/scene_slot.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/places.hpp"
#include "tests/support/scene_maker.hpp"
#include "wallconfigs/wall.hpp"

namespace tilewall::test {

inline constexpr GlobalInstant live_start{std::chrono::seconds(100)};

/// Global time stands still, at live_start.
struct LiveClock final : GlobalClock {
  [[nodiscard]] ClockMapping mapping() const noexcept override {
    ClockMapping standing;
    standing.anchor_local = local_now();
    standing.anchor_global = live_start;
    standing.rate_ppb = -1e9;
    return standing;
  }
};

/// A test pattern whose frames are the timesteps of a live source.
inline scene::SourcePtr live_pattern() {
  scene::SourceSpec pattern = *movie_source(1, "count");
  pattern.kind = scene::SourceKind::pattern;
  pattern.live = true;
  return std::make_shared<const scene::SourceSpec>(std::move(pattern));
}

/// A scene of one region that stands still from live_start on.
inline scene::Scene live_scene(std::uint64_t version, std::uint64_t epoch,
                               scene::SourcePtr source = live_pattern()) {
  scene::Scene scene = first_scene({movie_region("main", std::move(source))});
  scene.version = version;
  scene.epoch = epoch;
  scene.since = live_start;
  scene.regions[0].timeline.start = live_start;
  scene.regions[0].timeline.rate_fps = {0, 1};
  scene.tick_grid = scene::plan_tick_grid(scene.regions, live_start);
  return scene;
}

struct LivePanel {
  struct Options {
    std::size_t buffers = 4;
    std::filesystem::path service{};  ///< the host service's socket
  };

  LivePanel() : LivePanel(live_scene(1, 1), Options{}) {}
  LivePanel(scene::Scene scene, const Options& options) : ring({160, 96}, options.buffers) {
    config.frame_buffer_px = {160, 96};
    config.places =
        scene::PanelPlaces(wall::load_wall(source_path("tests/data/walls/two-by-one.toml")), 0);
    set(std::move(scene));
    panel::DecodeAhead::Callbacks callbacks;
    callbacks.ready = [](std::uint64_t, std::int64_t, panel::DrawnWhen) {};
    callbacks.failed = [](const std::exception&) {};
    callbacks.problem = [](const std::string&) {};
    callbacks.late = [](scene::LateCause, std::int64_t, std::uint64_t) {};
    callbacks.detail_news = [] {};
    callbacks.live_drawn = [this](const scene::LiveDrawn& drawn) {
      const std::scoped_lock lock(mutex);
      drawn_numbers.push_back(drawn.number);
      changed.notify_all();
    };
    callbacks.armed = [](const scene::ArmedReport&) {};
    decoder.emplace(config, options.service, clock, scenes, ring, nullptr,
                    panel::DecodeAhead::Places{}, std::move(callbacks));
    decoder->start();
  }

  void set(scene::Scene scene) {
    scenes.set(std::make_shared<const scene::Scene>(std::move(scene)));
  }

  /// Whether the panel tells that it has drawn the timestep of the step with this number, `limit`
  /// from now at the latest.
  bool draws(std::uint64_t number, std::chrono::milliseconds limit = std::chrono::seconds(20)) {
    std::unique_lock lock(mutex);
    return changed.wait_for(
        lock, limit, [&] { return !drawn_numbers.empty() && drawn_numbers.back() == number; });
  }
  /// The numbers of the steps that the panel told as drawn since the last call.
  std::vector<std::uint64_t> take_drawn() {
    const std::scoped_lock lock(mutex);
    return std::exchange(drawn_numbers, {});
  }

  /// The next picture; its frame is -2 where none comes.
  panel::DecodedPicture next_picture() {
    const auto picture = ring.front(std::chrono::seconds(20));
    panel::DecodedPicture none;
    none.frame = -2;
    if (!picture) return none;
    ring.pop_front();
    return *picture;
  }

  /// Whether a buffer is free, or becomes so.
  bool has_free_buffer() {
    std::stop_source stopped;  // so that acquire() does not wait
    stopped.request_stop();
    return eventually([&] {
      const auto buffer = ring.acquire(stopped.get_token());
      if (buffer) ring.give_back(*buffer);
      return buffer.has_value();
    });
  }

  scene::PanelConfig config;
  panel::SceneSlot scenes;
  LiveClock clock;
  panel::PictureRing ring;
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::uint64_t> drawn_numbers;   // guarded by mutex
  std::optional<panel::DecodeAhead> decoder;  // last: its thread uses what stands above
};

}  // namespace tilewall::test

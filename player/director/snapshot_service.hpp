// Snapshots that are asked for at the control port: once what the wall shows is what it comes to
// show, all panels are told to send what they show at one coming tick; once all have, the picture
// is written and the answer sent, while the show goes on. Where panels showed different ticks, or
// another frame than the one that was due, it is taken again, for some seconds at most.
//
// Threads: one owner; it owns a writer for each snapshot that is being written.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "player/director/control_server.hpp"
#include "player/director/show_control.hpp"
#include "player/director/wall_snapshot.hpp"

namespace tilewall::director {

/// What a snapshot waits for.
enum class SnapshotWait {
  nothing,
  start,   ///< of the show: as long as it takes
  rest,    ///< what is shown still moves, or is coarse as it has moved; for seconds
  details  ///< of volumes are to come; likewise
};

class SnapshotService {
 public:
  struct Callbacks {
    std::function<void(const nlohmann::json& message)> tell_panels;  ///< every one
    std::function<SnapshotWait()> waits_for;                         ///< now
    /// The tick from which on a scene's pictures are no better.
    std::function<std::int64_t(const scene::Scene& scene)> best_tick;
  };
  /// Everything referred to outlives this.
  SnapshotService(ControlServer& server, ShowControl& control, const wall::Wall& wall,
                  Callbacks callbacks);
  ~SnapshotService();

  /// {"type": "snapshot", "file"}: an absolute path that ends in ".png", in a folder that exists.
  /// Throws InputError.
  void take(ConnectionId from, const nlohmann::json& request);

  /// What a panel showed for the request of that number: rows of BGRX.
  struct ShownTick {
    std::uint64_t epoch = 0;
    std::int64_t tick = 0;
    std::int64_t frame = 0;
    bool operator==(const ShownTick&) const = default;
  };
  void add(std::uint64_t number, std::size_t panel, const ShownTick& shown, SizePx size_px,
           std::vector<std::uint8_t> pixels);

  /// Asks panels where nothing is waited for any more, begins to write what is whole or has waited
  /// for long, and answers for what is written.
  void step(std::chrono::steady_clock::time_point now);

 private:
  struct Pending {
    ConnectionId from = 0;
    nlohmann::json id;
    std::string file;
    bool waits = false;                           // panels are not asked yet
    std::chrono::steady_clock::time_point until;  // for that; then for their pictures
    std::string unsettled;                        // what was not waited for any longer; "" = none
    std::unique_ptr<WallSnapshot> snapshot;       // null: nobody has said yet when it is taken
    std::uint64_t epoch = 0;                      // of the scene that it is taken of
    sync::FrameTicks ticks;                       // likewise, of the first region
    std::vector<ShownTick> shown;                 // by the panels that have sent theirs
    std::chrono::steady_clock::time_point retake_until;
    std::jthread writer;
  };
  struct Written {
    std::uint64_t number = 0;
    std::string note;   // which panels showed something else
    std::string error;  // "" = it was written
  };
  void step_wait(std::uint64_t number, Pending& pending, std::chrono::steady_clock::time_point now);
  void ask_for_tick(std::uint64_t number);
  void ask_panels(std::uint64_t number, const CommandOutcome& outcome);
  /// Names what all panels showed at one tick. Whether it was not that, or not what was due, and
  /// another tick is asked for.
  [[nodiscard]] bool retakes(std::uint64_t number, Pending& pending,
                             std::chrono::steady_clock::time_point now);
  void write(std::uint64_t number, const WallSnapshot& snapshot);
  void answer(const Written& written);
  void refuse(std::uint64_t number, const std::string& error);

  ControlServer& server_;
  ShowControl& control_;
  const wall::Wall& wall_;
  const Callbacks callbacks_;
  std::uint64_t last_number_ = 0;
  std::mutex mutex_;
  std::vector<Written> written_;              // guarded by mutex_
  std::map<std::uint64_t, Pending> pending_;  // last: its writers use the others
};

}  // namespace tilewall::director

// Serves snapshot requests of clients. Once the picture on the wall has come to rest, all panels
// are ordered to copy their picture of one coming tick. When all pictures are there, a PNG file is
// written and the request answered, while the show goes on. Where panels showed different ticks, or
// another frame than the due one, the snapshot is taken again, for some seconds at most.
//
// Threads: one owner, the director's thread. It owns a writer for each snapshot that is being
// written.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "player/director/connections/control_server.hpp"
#include "player/director/snapshots/wall_snapshot.hpp"
#include "player/director/verbs/show_control.hpp"
#include "sync/base/handle.hpp"

namespace tilewall::director {

/// What a snapshot waits for.
enum class SnapshotWait {
  nothing,
  start,   ///< the show has not started; waits without a limit
  rest,    ///< the picture moves, or is still coarse after a move; waits for 8 s
  details  ///< details of volumes are still being read; waits for 8 s
};

class SnapshotService {
 public:
  struct Callbacks {
    std::function<void(const nlohmann::json& message)> tell_panels;  ///< sends to all panels
    std::function<SnapshotWait()> waits_for;  ///< returns what a snapshot waits for now
    /// Returns the first tick at which the scene's pictures are as fine as they can be.
    std::function<std::int64_t(const scene::Scene& scene)> best_tick;
    /// Panels need not keep pictures of the order with that number.
    std::function<void(std::uint64_t order)> drop;
  };
  /// `folders`: snapshots are written below these alone. Everything referred to outlives this
  /// object.
  SnapshotService(ControlServer& server, ShowControl& control, const wall::Wall& wall,
                  const std::vector<std::filesystem::path>& folders, Callbacks callbacks);
  ~SnapshotService();

  /// Takes a request {"type": "snapshot", "file"}. The file is an absolute path that ends in
  /// ".png", in a folder that exists and is one of the service's folders or below it. Throws
  /// InputError for a wrong request, or a fifth one at a time.
  void take(ConnectionId from, const nlohmann::json& request);

  /// The tick of a panel's picture.
  struct ShownTick {
    std::uint64_t epoch = 0;
    std::int64_t tick = 0;
    std::int64_t frame = 0;
    bool operator==(const ShownTick&) const = default;
  };
  /// Notes that a panel has copied the picture for the order, and returns whether it is still
  /// wanted.
  [[nodiscard]] bool note_taken(std::uint64_t order, const ShownTick& shown);
  /// Notes that pictures for the order are coming.
  void note_progress(std::uint64_t order);
  /// Adds a panel's picture for the order: rows of BGRX, viewed orientation.
  void add(std::uint64_t order, std::size_t panel, std::int64_t shown_frame, SizePx size_px,
           std::vector<std::uint8_t> pixels);

  /// Orders pictures once nothing is waited for, starts to write snapshots that are complete or
  /// have waited too long, and answers finished ones. To be called in every turn.
  void step(std::chrono::steady_clock::time_point now);

 private:
  struct Pending {
    ConnectionId from = 0;
    nlohmann::json id;
    std::string file;
    UniqueFd folder;     // of the file: what is there when it is written does not matter
    bool waits = false;  // the panels have no order yet
    std::chrono::steady_clock::time_point until;  // limit of that wait, then of the pictures'
    std::string unsettled;                        // a wait that was given up, for the note; or ""
    std::unique_ptr<WallSnapshot> snapshot;       // null until its tick is known
    std::uint64_t order = 0;                      // number of the newest order to the panels
    std::uint64_t epoch = 0;                      // Scene::epoch of the ordered tick
    sync::FrameTicks ticks;                       // frames of that scene's first region
    bool is_live = false;                         // frames are timesteps, which no tick has
    std::vector<ShownTick> shown;                 // ticks of the pictures that were taken
    std::chrono::steady_clock::time_point retake_until;
    std::jthread writer;
  };
  struct Written {
    std::uint64_t number = 0;
    std::string note;   // panels that showed another frame, or none
    std::string error;  // "" = it was written
  };
  /// The snapshot whose newest order has that number, where pictures are awaited; null: none.
  [[nodiscard]] Pending* find_order(std::uint64_t order);
  void step_wait(std::uint64_t number, Pending& pending, std::chrono::steady_clock::time_point now);
  void ask_for_tick(std::uint64_t number);
  void ask_panels(std::uint64_t number, const CommandOutcome& outcome);
  /// Orders another tick where panels showed different ticks or another frame than the due one, and
  /// returns whether it did. Otherwise names the snapshot's frame.
  [[nodiscard]] bool retakes(std::uint64_t number, Pending& pending,
                             std::chrono::steady_clock::time_point now);
  /// The file's folder, opened where it is one of `folders_` or below. Throws InputError.
  [[nodiscard]] UniqueFd folder_of(const std::string& file) const;
  void write(std::uint64_t number, const Pending& pending);
  void answer(const Written& written);
  void refuse(std::uint64_t number, const std::string& error);

  ControlServer& server_;
  ShowControl& control_;
  const wall::Wall& wall_;
  const std::vector<std::filesystem::path> folders_;  // real paths
  const Callbacks callbacks_;
  std::uint64_t last_number_ = 0;  // of requests and orders
  std::mutex mutex_;
  std::vector<Written> written_;              // guarded by mutex_
  std::map<std::uint64_t, Pending> pending_;  // last: its writers use the others
};

}  // namespace tilewall::director

// Snapshots that are asked for at the control port: all panels are told to send what they show at
// one coming tick; once all have, the picture is written and the answer sent, while the show goes
// on.
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

namespace tilewall {

class SnapshotDesk {
 public:
  /// Everything referred to outlives this. `tell_panels`: sends a message to every panel.
  SnapshotDesk(ControlServer& server, ShowControl& control, const Wall& wall,
               std::function<void(const nlohmann::json& message)> tell_panels);
  ~SnapshotDesk();

  /// {"type": "snapshot", "file"}: an absolute path that ends in ".png", in a folder that exists.
  /// Throws InputError.
  void take(ConnectionId from, const nlohmann::json& request);

  /// What a panel showed for the request of that number: rows of BGRX.
  void add(std::uint64_t number, std::size_t panel, std::int64_t shown_frame, SizePx size_px,
           std::vector<std::uint8_t> pixels);

  /// Begins to write what is whole or has waited for long, and answers for what is written.
  void step(std::chrono::steady_clock::time_point now);

 private:
  struct Pending {
    ConnectionId from = 0;
    nlohmann::json id;
    std::chrono::steady_clock::time_point until;
    std::unique_ptr<WallSnapshot> snapshot;  // null: nobody has said yet when it is taken
    std::jthread writer;
  };
  struct Written {
    std::uint64_t number = 0;
    std::string note;   // which panels showed something else
    std::string error;  // "" = it was written
  };
  void ask_panels(std::uint64_t number, const std::string& file, const WishOutcome& outcome);
  void write(std::uint64_t number, const WallSnapshot& snapshot);
  void answer(const Written& written);
  void refuse(std::uint64_t number, const std::string& error);

  ControlServer& server_;
  ShowControl& control_;
  const Wall& wall_;
  const std::function<void(const nlohmann::json& message)> tell_panels_;
  std::uint64_t last_number_ = 0;
  std::mutex mutex_;
  std::vector<Written> written_;              // guarded by mutex_
  std::map<std::uint64_t, Pending> pending_;  // last: its writers use the others
};

}  // namespace tilewall

// The panels' pictures for snapshots, from the message that one was taken until they are handed on
// whole: to the snapshots of clients or to those of the command line.
//
// Threads: one owner, the director's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "player/director/snapshots/snapshot_bands.hpp"
#include "player/director/snapshots/snapshot_service.hpp"
#include "player/director/snapshots/snapshot_writers.hpp"

namespace tilewall::director {

class PanelSnapshots {
 public:
  /// Sends a message to a panel, where it is connected.
  using TellPanel = std::function<void(std::size_t panel, const nlohmann::json& message)>;

  /// Everything referred to outlives this object. `requests` are the command line's.
  PanelSnapshots(const wall::Wall& wall, const std::vector<SnapshotRequest>& requests,
                 SnapshotService& of_clients, TellPanel tell_panel);

  // Messages of panels. Both throw InputError where a message is malformed.
  void take_snapshot(std::size_t panel, const nlohmann::json& json);
  void take_band(std::size_t panel, const nlohmann::json& json,
                 const std::vector<std::uint8_t>& rows);

  /// Asks for further bands. To be called in every turn.
  void step();
  /// Forgets a client's order; panels need not keep their pictures for it.
  void drop(std::uint64_t number);
  void leave(std::size_t panel) { bands_.leave(panel); }

  /// Whether pictures are on their way.
  [[nodiscard]] bool is_fetching() const noexcept { return !bands_.empty(); }
  /// The snapshots of the command line, for the checkpoint.
  [[nodiscard]] SnapshotWriters& of_command_line() noexcept { return of_command_line_; }
  /// Tells panels which of these are written, after the checkpoint that says so.
  void tell_saved();

 private:
  void tell_all(const nlohmann::json& message);
  void hand_on(std::size_t panel, SnapshotBands::Fetched fetched);

  const wall::Wall& wall_;
  SnapshotService& of_clients_;
  const TellPanel tell_panel_;
  SnapshotWriters of_command_line_;
  SnapshotBands bands_;
};

}  // namespace tilewall::director

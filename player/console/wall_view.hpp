// What the console knows of the wall, for all browsers: its state in revisions, the panels'
// pictures, and what happened. It asks the director once for all of them.
//
// Threads: the thread that runs the io_context.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "player/console/state/activity_log.hpp"
#include "player/console/state/history.hpp"
#include "player/console/state/wall_state.hpp"
#include "player/console/wall_link.hpp"

namespace tilewall::console {

/// Now by the system's clock, in ms.
[[nodiscard]] std::int64_t utc_ms();

class WallView {
 public:
  struct Callbacks {
    std::function<void()> changed;                           ///< the state has a new revision
    std::function<void(const nlohmann::json& event)> event;  ///< Takes an event of the director
    std::function<void(const std::string& panel, const SharedText& picture)> picture;
    std::function<bool()> is_watched;      ///< whether anybody looks at the state
    std::function<bool()> wants_pictures;  ///< whether anybody looks at pictures
    std::function<void()> look;            ///< called about once a second
  };

  /// A view of the wall whose show has that run directory. The io_context outlives this object.
  WallView(boost::asio::io_context& io, const std::filesystem::path& run_dir, Callbacks callbacks);

  [[nodiscard]] WallLink& link() noexcept { return *link_; }
  [[nodiscard]] WallState& state() noexcept { return state_; }
  /// The last picture of each panel while somebody looks at them, as browsers get it.
  [[nodiscard]] const std::map<std::string, SharedText>& pictures() const noexcept {
    return pictures_;
  }
  [[nodiscard]] nlohmann::json history() const { return history_.json(); }
  /// The show file of a presentation; "" where the wall shows something else, or is not known yet.
  [[nodiscard]] std::string show_file() const;
  /// "bezels" or "content" of the scene's status; "" while it is not known.
  [[nodiscard]] std::string scene_mode(const char* name) const;

  /// Sets a part of the state, and publishes it to the browsers.
  void set(const std::string& part, nlohmann::json value);
  /// Adds a line to the log that all see, and to this process's own.
  void note(const std::string& by, const std::string& what, const std::string& result);

  /// Asks for the status once the events that have just come are over.
  void ask_status_soon();
  /// Asks the director for pictures if somebody wants to see them, else for none.
  void watch_pictures();

 private:
  void take_connection();
  void lose_connection();
  void take_event(const nlohmann::json& event);
  void take_picture(const nlohmann::json& head, const std::vector<std::uint8_t>& jpeg);
  void take_status(nlohmann::json status);
  void ask_wall();
  void ask_status();
  void publish();
  void publish_time();

  const Callbacks callbacks_;
  const std::chrono::steady_clock::time_point began_;
  WallState state_;
  ActivityLog activity_;
  History history_;
  std::uint64_t cues_edition_ = 0;
  std::map<std::string, SharedText> pictures_;
  bool is_watching_ = false;          // the director was asked for pictures
  bool is_watching_refused_ = false;  // the last time
  bool asks_status_ = false;          // an answer is awaited
  boost::asio::steady_timer status_timer_;
  std::optional<WallLink> link_;  // set once everything that its callbacks use is there
};

}  // namespace tilewall::console

// Watches the flight path of a show for browsers: its keys, and what became of the operators'
// orders about it, which the supervisor carries out and tells in a file of the run directory.
//
// Threads: the thread that runs the io_context. A path on a file server that hangs holds up this
// process, and no other one of the show.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "player/scene/path_messages.hpp"

namespace tilewall::console {

/// A text that is another one where the file has changed; "" where there is no file.
[[nodiscard]] std::string stamp_of(const std::string& file);

class PathWatch {
 public:
  struct Callbacks {
    std::function<void()> changed;  ///< json() is another one
    /// There is a new answer to an order.
    std::function<void(const scene::KeptPath& path)> answered;
  };

  /// Looks a few times a second from now on where the show keeps a path. The io_context outlives
  /// this object.
  PathWatch(boost::asio::io_context& io, const std::filesystem::path& run_dir, Callbacks callbacks);

  /// {"file", "is_previewed", "answers", "answer", "has_failed", "count", "fault", "keys":
  /// [{"number", "name", "time_s"}]} with the last 200 keys. `fault` tells why the keys cannot be
  /// read; `time_s` is null where the camera's arrival is not known. Null where the show keeps no
  /// path.
  [[nodiscard]] const nlohmann::json& json() const noexcept { return json_; }

  /// The path's file; "" where the show keeps no path.
  [[nodiscard]] const std::string& file() const noexcept { return state_.file; }

  /// Reads what has changed; also called by this object itself.
  void look();

 private:
  void look_again_later();
  void read_keys();

  const std::filesystem::path state_file_;
  const Callbacks callbacks_;
  boost::asio::steady_timer timer_;
  std::string state_text_;  // The file had this text when it was read last.
  std::string path_stamp_;  // The path's file had this time, size and number then.
  scene::KeptPath state_;
  nlohmann::json json_;
};

}  // namespace tilewall::console

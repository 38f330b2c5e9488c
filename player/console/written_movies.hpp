// The movies that this user's processes write on this machine now, as a rendering of the show's
// flight path does: how far each is. A file system that does not answer holds the console up.
//
// Threads: the thread that runs the io_context.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <nlohmann/json.hpp>

namespace tilewall::console {

class WrittenMovies {
 public:
  /// Looks once a second from now on; `changed` is called where json() is another one. The
  /// io_context outlives this object.
  WrittenMovies(boost::asio::io_context& io, std::function<void()> changed);

  /// [{"movie": absolute path of its folder, "done", "total" (0 = unknown), "unit", "per_s",
  /// "left_s" (null = unknown)}], at most 20.
  [[nodiscard]] const nlohmann::json& json() const noexcept { return json_; }

  /// Looks now; also called by this object itself.
  void look();

 private:
  void look_again_later();

  const std::function<void()> changed_;
  boost::asio::steady_timer timer_;
  nlohmann::json json_ = nlohmann::json::array();
};

}  // namespace tilewall::console

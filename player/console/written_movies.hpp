// The movies that this user's processes write on this machine now, as a rendering of the show's
// flight path does: how far each is, and a picture of its newest frame. A file system that does not
// answer holds the console up.
//
// Threads: the thread that runs the io_context.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "sync/base/handle.hpp"

namespace tilewall::console {

class WrittenMovies {
 public:
  /// Looks once a second from now on; `changed` is called where json() is another one. The
  /// io_context outlives this object.
  WrittenMovies(boost::asio::io_context& io, std::function<void()> changed);

  /// [{"movie": absolute path of its folder, "done", "total" (0 = unknown), "unit", "per_s",
  /// "left_s" (null = unknown), "picture" (null = none)}], at most 20. "picture" is the name of
  /// open_picture(), and behind a question mark another text for each picture.
  [[nodiscard]] const nlohmann::json& json() const noexcept { return json_; }

  /// Opens the picture of that name, a PNG. Empty where no movie has it.
  [[nodiscard]] UniqueFd open_picture(std::string_view name) const;

  /// Looks now; also called by this object itself.
  void look();

 private:
  void look_again_later();

  const std::function<void()> changed_;
  boost::asio::steady_timer timer_;
  nlohmann::json json_ = nlohmann::json::array();
  std::map<std::string, std::filesystem::path, std::less<>> folders_;  // by their pictures' names
};

}  // namespace tilewall::console

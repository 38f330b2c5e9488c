// A running wall for the control benchmark: `tilewall play` as users start it, and the control
// port.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "net/clock/clock_page.hpp"
#include "player/command/control_client.hpp"

namespace tilewall {

class ControlledShow {
 public:
  /// Plays `movies` as one schedule, headless, in a loop, and waits until it runs. Throws JobError.
  ControlledShow(const std::string& wall, const std::vector<std::filesystem::path>& movies, int fps,
                 const std::string& launcher, const std::filesystem::path& folder);
  ~ControlledShow();
  ControlledShow(const ControlledShow&) = delete;
  ControlledShow& operator=(const ControlledShow&) = delete;

  /// Asks for a change; the answer says when it takes effect.
  nlohmann::json ask(const nlohmann::json& request) { return connection_->ask(request); }
  [[nodiscard]] GlobalInstant now() const { return clock_->mapping().to_global(local_now()); }

  /// Ends the show. Its report; once only.
  [[nodiscard]] nlohmann::json finish();

 private:
  void wait_until_it_plays();

  const std::filesystem::path report_;
  const std::filesystem::path run_dir_;
  pid_t play_ = 0;
  std::unique_ptr<ClockPageReader> clock_;
  std::unique_ptr<WallConnection> connection_;
};

}  // namespace tilewall

// One volume that panels of this host show: the process that draws it, started again when it dies,
// and kept for a moment when nobody shows it any more.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "player/host/kept_program.hpp"
#include "sync/base/handle.hpp"
#include "sync/global_time.hpp"

namespace tilewall::host {

struct CasterPlace {
  std::filesystem::path socket;    ///< where it listens; removed at the end
  std::filesystem::path log_file;  ///< what it has to say is appended
  std::filesystem::path pid_file;
  std::vector<std::string> more_arguments = {};
  RestartLimits limits = {std::chrono::seconds(60), 5, std::chrono::milliseconds(100),
                          std::chrono::seconds(60), std::chrono::seconds(2)};
  std::function<void(bool runs)> on_change{};  ///< it has died, or was started again
};

/// Where its process dies again and again (a GPU's driver, say), it is not started for a minute, or
/// until what is asked of it changes. Threads: one owner, who also reaps children.
class KeptCaster {
 public:
  /// `volume`: a VolumeJob as JSON. Throws JobError where it cannot listen.
  KeptCaster(std::string volume, CasterPlace place);
  /// Ends the process.
  ~KeptCaster();
  KeptCaster(const KeptCaster&) = delete;
  KeptCaster& operator=(const KeptCaster&) = delete;

  [[nodiscard]] const std::string& volume() const noexcept { return volume_; }
  [[nodiscard]] int users() const noexcept { return users_; }
  void join() noexcept { ++users_; }
  void leave() noexcept;
  /// When the last user left, or it was made for a first one. @pre users() == 0
  [[nodiscard]] LocalInstant unused_since() const noexcept { return unused_since_; }

  /// A connection to the caster: it is served once the process is there, also one that is started
  /// again. Empty where there is none to be had now.
  [[nodiscard]] UniqueFd connect() const;

  /// Why there is none for a while, as a line for people; "" where there is.
  [[nodiscard]] std::string trouble() const { return program_.rests() ? trouble_ : ""; }
  /// Another picture is wanted than those that it died of, perhaps.
  void rouse() { program_.rouse(); }

  void take_end(const ChildEnd& end);
  void look() { program_.look(); }

 private:
  const std::string volume_;
  const CasterPlace place_;
  const UniqueFd listening_;  // outlives the processes, and so do connections that wait at it
  int users_ = 0;
  std::string trouble_;
  LocalInstant unused_since_ = local_now();
  KeptProgram program_;
};

}  // namespace tilewall::host

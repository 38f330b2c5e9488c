// The caster of one volume: the process that draws the volume for the panels of this host. It is
// started again when it dies, is stopped or hangs.
//
// Threads: one owner, which also reaps children.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "player/host/kept_program.hpp"
#include "sync/base/handle.hpp"
#include "sync/base/shared_counter.hpp"
#include "sync/global_time.hpp"

namespace tilewall::host {

/// A caster that makes no turn for so long, and does not compute, hangs. Opening a volume's file
/// and setting up a GPU are part of a turn.
inline constexpr std::chrono::seconds caster_hang_limit{60};

struct CasterPlace {
  std::filesystem::path socket;    ///< socket for panels' connections; removed at the end
  std::filesystem::path log_file;  ///< the process's output is appended
  std::filesystem::path pid_file;
  std::vector<std::string> more_arguments = {};
  RestartLimits limits = {.window = std::chrono::seconds(60),
                          .most = 5,
                          .first_pause = std::chrono::milliseconds(100),
                          .rest = std::chrono::seconds(60),
                          .hang = caster_hang_limit,
                          .stopped = StopWatch::awaited_limit};
  std::function<void(bool runs)> on_change{};  ///< called when it has died, or was started again
};

/// After five deaths in a minute (by a GPU's driver, for example) the process rests for a minute,
/// or until another picture is wanted.
class KeptCaster {
 public:
  /// Starts the process. `volume` is a VolumeJob as JSON. Throws JobError where the socket cannot
  /// be made.
  KeptCaster(std::string volume, CasterPlace place);
  /// Ends the process.
  ~KeptCaster();
  KeptCaster(const KeptCaster&) = delete;
  KeptCaster& operator=(const KeptCaster&) = delete;

  [[nodiscard]] const std::string& volume() const noexcept { return volume_; }
  [[nodiscard]] int users() const noexcept { return users_; }
  void join() noexcept { ++users_; }
  void leave() noexcept;
  /// When the last user left; before the first user, when this object was made. @pre users() == 0
  [[nodiscard]] LocalInstant unused_since() const noexcept { return unused_since_; }

  /// A new connection to the caster. It is served once the process runs, also after a restart.
  /// Empty where no connection can be made now.
  [[nodiscard]] UniqueFd connect() const;

  /// The reason of a rest, as a line for people; "" where the caster does not rest.
  [[nodiscard]] std::string trouble() const { return program_.rests() ? trouble_ : ""; }
  /// Shortens a rest, because another picture is wanted than the ones that killed the caster.
  void rouse() { program_.rouse(); }

  /// Handles the end of a child, if it is the caster.
  void take_end(const ChildEnd& end);
  /// To be called every StopWatch::longest_gap or more often.
  void look() { program_.look(); }

 private:
  const std::string volume_;
  const CasterPlace place_;
  const UniqueFd listening_;  // inherited by each process, so that waiting connections survive
  const SharedCounter turns_;
  int users_ = 0;
  std::string trouble_;
  LocalInstant unused_since_ = local_now();
  KeptProgram program_;
};

}  // namespace tilewall::host

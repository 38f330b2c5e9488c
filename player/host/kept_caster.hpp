// One volume that panels of this host show: the process that draws it, started again when it dies.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "player/host/kept_program.hpp"
#include "sync/base/handle.hpp"

namespace tilewall {

struct CasterPlace {
  std::filesystem::path socket;    ///< where it listens; removed at the end
  std::filesystem::path log_file;  ///< what it has to say is appended
  std::filesystem::path pid_file;
  std::vector<std::string> more_arguments = {};
};

/// Threads: one owner, who also reaps children.
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
  void leave() noexcept { --users_; }

  /// A connection to the caster: it is served once the process is there, also one that is started
  /// again. Empty where there is none to be had now.
  [[nodiscard]] UniqueFd connect() const;

  void take_end(const ChildEnd& end) { program_.take_end(end); }
  void look() { program_.look(); }

 private:
  const std::string volume_;
  const CasterPlace place_;
  const UniqueFd listening_;  // outlives the processes, and so do connections that wait at it
  int users_ = 0;
  KeptProgram program_;
};

}  // namespace tilewall

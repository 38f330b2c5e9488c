// The run directory of a wall: how `tilewall ctl`, the tests and people find a running wall.
//
//   control.addr   HOST:PORT of the director's control port
//   control.secret the key of that port in hexadecimal, for the user alone; only where it has one
//   wall.name      the wall's name, as its file has it
//   clock.addr     HOST:PORT of the clock daemon, or of two with a comma
//   pids/ROLE      process numbers by role: supervisor, director, sound, mpirun, panel-0 ...
//   logs/ROLE.log  what they had to say
//   clock-page-HOST  a host's mapping to global time, shared by its panels
//   movies-HOST    the socket at which its panels ask for ordinary movies
//   sound.wanted   a scene has sound: the supervisor starts the process for it
//   volumes.offered  volumes of the show that other hosts may read: the server for them is started
//   show-failed    the show is over and has failed; only this file and logs/ are left
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace tilewall {

/// Made private to the user; removed with all it holds by the destructor, except for the logs of a
/// show that failed.
class RunDir {
 public:
  /// `wanted` empty: a new one under $XDG_RUNTIME_DIR, else under the temporary folder; those that
  /// killed walls left behind are removed first, and of those of failed shows all but the newest
  /// five. Throws InputError when it exists and is neither empty nor of a failed show, or cannot be
  /// made.
  explicit RunDir(const std::filesystem::path& wanted);
  ~RunDir();
  RunDir(const RunDir&) = delete;
  RunDir& operator=(const RunDir&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  [[nodiscard]] std::filesystem::path log(const std::string& role) const;
  void write_pid(const std::string& role, pid_t pid) const;
  void write(const std::string& name, const std::string& text) const;
  /// Readable by the user alone.
  void write_secret(const std::string& name, const std::string& text) const;

  /// The show has failed: the destructor leaves the logs that say something. Returns their folder;
  /// empty where none says anything. @pre no process of the show runs any more
  [[nodiscard]] std::filesystem::path keep_logs();

  /// Why nothing can be written there, such as "No space left on device"; "" where that is
  /// possible.
  [[nodiscard]] std::string write_trouble() const;

 private:
  std::filesystem::path path_;
  bool keeps_logs_ = false;
  std::filesystem::path pointer_;  // the file that names a wanted path to ctl; "" = none
};

/// In a run directory.
inline constexpr const char* control_secret_file = "control.secret";
inline constexpr const char* wall_name_file = "wall.name";
inline constexpr const char* volume_exports_file = "volumes.offered";

/// The run directories of this user's walls that run on this machine, the newest first.
struct RunningWalls {
  std::vector<std::filesystem::path> own;    ///< made by the walls themselves
  std::vector<std::filesystem::path> given;  ///< by --run-dir
};
[[nodiscard]] RunningWalls running_walls();

}  // namespace tilewall

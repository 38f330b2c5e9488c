// The run directory of a wall, by which `tilewall ctl`, tests and operators find a running wall.
//
//   control.addr   HOST:PORT of the director's control port
//   control.secret the bytes of the show's secret (net/show_keys.hpp), mode 0600
//   wall.name      the wall's name in the wall file
//   clock.addr     HOST:PORT of the clock daemon, or of two with a comma
//   pids/ROLE      process numbers by role: supervisor, director, sound, panel-0 ...
//                  mpirun: this machine's launcher; mpirun-HOST: that of another host
//   logs/ROLE.log  standard output and error of each role; keepers write to launcher.log
//   logs/ROLE.crash  signal, stack and last trace events of a role that crashed
//   clock-page-HOST  a host's mapping to global time, shared by its panels
//   clock-page.director  the director's, which the next director continues
//   keeper-HOST.lock held by the keeper of a host and those of its panels
//   movies-HOST    the socket at which a host's panels request ordinary movies
//   sound.wanted   written by the director when a scene has sound; starts the sound process
//   volumes.offered  volumes that other hosts may read; the first one starts the volume server
//   flight-path.json  the flight path of the show, and what became of operators' orders about it
//   journal.jsonl  the show's state, by which it can be resumed (player/director/log/journal.hpp)
//   lock           locked as long as the supervisor lives
//   show-failed    marks a show that failed or had a crash, and is over; only this file and logs/
//                  are left
//
// Threads: no locking; one owner.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "sync/base/handle.hpp"

namespace tilewall::supervisor {

/// Whether a show makes its run directory, or takes over that of a show that died.
enum class RunDirUse { fresh, resumed };

/// Owns the run directory of one show. It has mode 0700. The destructor removes it and its
/// contents, except for logs that are kept.
class RunDir {
 public:
  /// Makes the folder `wanted`. If that is empty, makes a new one under $XDG_RUNTIME_DIR where that
  /// is this user's alone, else one under the temporary folder whose name nobody can guess. Also
  /// removes run directories that killed walls left behind, and
  /// those of failed shows except the newest five. Throws InputError if the folder cannot be made,
  /// or holds anything but the remains of a failed show, or is another user's or a link.
  ///
  /// `resumed`: takes over the run directory of a supervisor that has died. Its journal and logs
  /// stay; the destructor keeps the journal unless the show has begun. Throws InputError if there
  /// is no journal, or a supervisor lives that has the folder.
  explicit RunDir(const std::filesystem::path& wanted, RunDirUse use = RunDirUse::fresh);
  ~RunDir();
  RunDir(const RunDir&) = delete;
  RunDir& operator=(const RunDir&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  [[nodiscard]] std::filesystem::path log(const std::string& role) const;
  /// Notes a process in `pids`, as host::note_pid() does: a full disk ends no show.
  void write_pid(const std::string& role, pid_t pid) const noexcept;
  void write(const std::string& name, const std::string& text) const;
  /// Writes a file that only the user can read.
  void write_secret(const std::string& name, const std::string& text) const;

  /// Makes the destructor keep the logs that are not empty. Returns their folder; empty if there
  /// are none. @pre All processes of the show have ended.
  [[nodiscard]] std::filesystem::path keep_logs();

  /// Tells that the show has begun, so that the journal is its own and ends with it.
  void show_has_begun() noexcept { keeps_journal_ = false; }

  /// The reason why no file can be written there, such as "No space left on device"; "" if one can.
  [[nodiscard]] std::string write_trouble() const;

 private:
  void make_fresh(const std::filesystem::path& path);
  void take_over(const std::filesystem::path& path);
  void lock(const std::filesystem::path& path, const char* option,
            std::chrono::milliseconds patience);

  std::filesystem::path path_;
  UniqueFd lock_;  // of the file "lock"
  bool keeps_logs_ = false;
  bool keeps_journal_ = false;     // whether the journal is that of a show to be resumed
  std::filesystem::path pointer_;  // the file by which `ctl` finds a --run-dir; "" = none
};

// Names of files in a run directory.
inline constexpr const char* wall_name_file = "wall.name";
inline constexpr const char* volume_exports_file = "volumes.offered";

/// The folder in which run directories are made: $XDG_RUNTIME_DIR where it is this user's alone,
/// else the temporary folder.
[[nodiscard]] std::filesystem::path run_dir_base();

/// The run directories of this user's walls that run on this machine, newest first. Those that
/// others may write to are left out.
struct RunningWalls {
  std::vector<std::filesystem::path> own;    ///< under $XDG_RUNTIME_DIR or the temporary folder
  std::vector<std::filesystem::path> given;  ///< named by --run-dir
};
[[nodiscard]] RunningWalls running_walls();

}  // namespace tilewall::supervisor

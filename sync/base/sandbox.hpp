// Confines a process that is about to read a foreign file, so that a file which takes over its
// reader gains nothing: it sees the folder of that file alone, writes nothing, opens no socket,
// starts no program and touches no other process.
//
// Two mechanisms of the kernel do it. Landlock (Linux 5.13 and later) bounds the files that may be
// opened. A seccomp filter refuses system calls with EPERM. Where the kernel lacks one of them, or
// a container forbids it, the other still holds, and missing_confinement() says what is missing.
// The parent's part, an empty environment and closed descriptors, is ChildOptions::isolated.
//
// Threads: enter_sandbox() is called before others start. Threads that start later are confined.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tilewall {

struct Sandbox {
  /// Folders and files that may be read, with all that lies below. Paths that do not exist are left
  /// out. Symbolic links are followed now, and what they lead to may be read.
  std::vector<std::filesystem::path> readable;
  /// Folders and files that may be written also, and in which files may be made.
  std::vector<std::filesystem::path> writable = {};
  /// Folders that may be written, and in which files may also be replaced and removed.
  std::vector<std::filesystem::path> replaceable = {};
  bool writes_files =
      false;             ///< false: no file grows by this process, where Landlock is missing too
  bool sockets = false;  ///< Whether IP sockets may be made and connected
  bool devices = false;  ///< Whether GPUs' devices and the files of their drivers may be used
};

/// Which mechanisms hold.
struct Confinement {
  bool files = false;         ///< Landlock bounds the files
  bool system_calls = false;  ///< seccomp refuses system calls
};

/// Confines this process for good. It also leaves no core file, gains no privileges, and opens at
/// most 1024 files at a time. Throws JobError where the kernel has a mechanism but it fails.
/// @pre the process has one thread, but for those of a GPU's driver
Confinement enter_sandbox(const Sandbox& sandbox);

/// "Landlock", "seccomp" or both, where they are missing; else "".
[[nodiscard]] std::string missing_confinement(const Confinement& confinement);

/// Returns the folder in which a foreign file or pattern of files lies, and behind it the folder of
/// the file that it links to, if it is a link. The folder of a pattern is the part before the first
/// component with one of *?[%, and a folder is itself that folder.
[[nodiscard]] std::vector<std::filesystem::path> folders_to_read(const std::filesystem::path& path);

/// Returns the files elsewhere to which links in the folders of folders_to_read() lead, and links
/// below `path` if that is a folder: data are often kept in another place. Links to folders are
/// left out, because one that came with foreign files may lead to all of the disk. Looks at the
/// first 2000 entries.
[[nodiscard]] std::vector<std::filesystem::path> linked_files(const std::filesystem::path& path);

}  // namespace tilewall

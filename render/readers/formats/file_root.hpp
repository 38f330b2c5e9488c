// The files that the formats of this process may open. Headers name files: data elsewhere, parts of
// a series, links. A program that reads a volume for its own user follows them. One that reads it
// for others confines its reader to a folder, beneath which all of them must lie.
//
// Libraries that open files by themselves get for_library() in place of a path, and what their
// files refer to is looked for before (hdf5_references).
//
// Threads: one, that of the reader process, which has a single FileRoot.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sync/base/handle.hpp"

namespace tilewall::render {

class FileRoot {
 public:
  /// The one of this process; not confined at first.
  [[nodiscard]] static FileRoot& of_process();

  /// From now on nothing is opened outside of the folder that `fd` is open at. `folder` is its
  /// path without links, under which files are named.
  void confine(UniqueFd fd, std::filesystem::path folder);
  [[nodiscard]] bool is_confined() const noexcept { return !folder_.empty(); }

  /// Throws InputError where the path, by its words, leads out of the folder. open() looks at links
  /// too.
  void check(const std::filesystem::path& file) const;

  /// Opens a file for reading, as tilewall::open_for_reading(). Throws InputError as that, and
  /// where the file lies outside of the folder.
  [[nodiscard]] UniqueFd open(const std::filesystem::path& file);
  /// The file's bytes, as tilewall::read_text_file().
  [[nodiscard]] std::string read_text(const std::filesystem::path& file, std::size_t max_bytes);

  /// A name by which a library opens the file that was checked here.
  struct ForLibrary {
    UniqueFd fd;
    std::string path;  ///< valid while `fd` is open
  };
  [[nodiscard]] ForLibrary for_library(const std::filesystem::path& file);

  /// Notes a file that a library reads because another one refers to it. Throws InputError, with
  /// the file that refers to it, where this process is confined.
  void note_reference(const std::string& from, const std::string& field, const std::string& to);

  /// Starts to note which files are opened besides `main`, or below it if it is a folder.
  void watch(const std::filesystem::path& main);
  /// Files that were opened since, or are referred to: the first ones, each once.
  [[nodiscard]] const std::vector<std::string>& others() const noexcept { return others_; }

 private:
  void note(const std::filesystem::path& file);

  UniqueFd fd_;
  std::filesystem::path folder_;  // "": not confined
  std::filesystem::path main_;
  std::vector<std::string> others_;
};

}  // namespace tilewall::render

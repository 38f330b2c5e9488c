// The folder that an import writes to. It is locked, its contents are checked, and an interrupted
// import in it is resumed.
//
// Threads: one owner; any thread may call the const functions.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "player/movie/convert/import_job.hpp"
#include "player/movie/frames/manifest.hpp"
#include "sync/base/handle.hpp"

namespace tilewall::movie {

/// The file in the folder that tells how its frames are stored.
[[nodiscard]] std::filesystem::path manifest_file_of(const std::filesystem::path& folder,
                                                     FrameFiles files);

/// Locks a folder until the descriptor is closed. Throws InputError if another job writes to it;
/// JobError if it cannot be written.
[[nodiscard]] UniqueFd lock_output_folder(const std::filesystem::path& folder);

/// The number of a frame's file, "frame-NNNNNN" and the suffix; empty for another name.
[[nodiscard]] std::optional<std::int64_t> frame_number_in(std::string_view name,
                                                          std::string_view suffix);

class ImportFolder {
 public:
  /// Makes the folder if it is missing, and locks it. A movie of the same source and options in it
  /// is resumed; with `overwrite`, any wall movie in it is removed instead. Throws InputError if
  /// the folder holds another movie or other files, or if another import runs in it; JobError if it
  /// cannot be written.
  ImportFolder(std::filesystem::path folder, FrameFiles files, const MovieManifest& wanted,
               bool overwrite);

  /// Removes the folder if this object made it and it is empty.
  ~ImportFolder();
  ImportFolder(const ImportFolder&) = delete;
  ImportFolder& operator=(const ImportFolder&) = delete;

  /// Whether the same movie is in the folder already, with all its frames.
  [[nodiscard]] bool complete() const noexcept { return complete_; }

  /// The manifest of the movie that is resumed or complete; a default one if there is none.
  [[nodiscard]] const MovieManifest& existing() const noexcept { return existing_; }

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return folder_; }
  /// The file of a frame, whether it is there or not.
  [[nodiscard]] std::filesystem::path frame_file(std::int64_t frame) const;
  /// Writes the manifest. Throws JobError naming the file.
  void save(const MovieManifest& manifest) const;
  void remove_manifest() const;
  [[nodiscard]] bool has_frame(std::int64_t frame) const noexcept;
  [[nodiscard]] std::int64_t frames_there() const noexcept { return frames_there_; }

  /// Removes what killed writers have left. @pre no writer runs
  void remove_leftovers() const;

 private:
  void look_at_files(bool movie_there);
  void mark_present(std::int64_t frame);
  void compare(const MovieManifest& wanted) const;
  void remove_movie();

  [[nodiscard]] std::filesystem::path manifest_file() const {
    return manifest_file_of(folder_, files_);
  }
  [[nodiscard]] bool is_ours(std::string_view name) const;
  [[nodiscard]] std::optional<std::int64_t> frame_number(std::string_view name) const;

  std::filesystem::path folder_;
  FrameFiles files_;
  bool made_ = false;
  UniqueFd lock_;  // locks the folder itself, so that no lock file can be left behind
  bool complete_ = false;
  MovieManifest existing_;
  std::vector<bool> present_;  // by frame number
  std::int64_t frames_there_ = 0;
};

/// "frame-000042.tif", "frame-000042.png" or "frame-000042.exr".
[[nodiscard]] std::string frame_file_name(std::int64_t frame, FrameFiles files);

/// Throws JobError with the needed and the free space if `frames` frames of `frame_bytes` each do
/// not fit on the disk of `folder`.
void require_space(const std::filesystem::path& folder, double frame_bytes, std::int64_t frames);

/// A text such as "1.5 GB", in powers of ten.
[[nodiscard]] std::string bytes_text(double bytes);

}  // namespace tilewall::movie

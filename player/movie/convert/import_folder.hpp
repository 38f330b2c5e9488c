// The folder that an import writes to: locked, checked for what it may hold, and resumed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "player/movie/frames/manifest.hpp"
#include "sync/base/handle.hpp"

namespace tilewall::movie {

class ImportFolder {
 public:
  /// Makes the folder where it is missing and locks it. Goes on with an import of the very same
  /// thing; throws InputError where it holds anything else, or an import runs in it, unless
  /// `overwrite` and it is a wall movie: then that is removed. Throws JobError where the folder
  /// cannot be written.
  ImportFolder(std::filesystem::path folder, const MovieManifest& wanted, bool overwrite);

  /// Removes a folder that this object made, if nothing was stored in it.
  ~ImportFolder();
  ImportFolder(const ImportFolder&) = delete;
  ImportFolder& operator=(const ImportFolder&) = delete;

  /// The same movie lies here already, whole; existing() says what.
  [[nodiscard]] bool complete() const noexcept { return complete_; }
  [[nodiscard]] const MovieManifest& existing() const noexcept { return existing_; }

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return folder_; }
  [[nodiscard]] bool has_frame(std::int64_t frame) const noexcept;
  [[nodiscard]] std::int64_t frames_there() const noexcept { return frames_there_; }

 private:
  void lock();
  void look_at_files(bool movie_there);
  void mark_present(std::int64_t frame);
  void compare(const MovieManifest& wanted) const;
  void remove_movie();

  std::filesystem::path folder_;
  bool made_ = false;
  UniqueFd lock_;  // of the folder itself, so no file is left behind
  bool complete_ = false;
  MovieManifest existing_;
  std::vector<bool> present_;
  std::int64_t frames_there_ = 0;
};

// Whether a disk holds what a job is about to write.

/// Throws JobError with both numbers when `frames` of `frame_bytes` do not fit on the disk of
/// `folder`.
void require_space(const std::filesystem::path& folder, double frame_bytes, std::int64_t frames);

/// "1.5 GB", powers of ten.
[[nodiscard]] std::string bytes_text(double bytes);

}  // namespace tilewall::movie

// Pictures of the whole wall: collects every panel's picture of one frame, and writes PNG files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "wallconfigs/wall.hpp"

namespace tilewall::director {

/// A wanted snapshot of a frame of the first region.
struct SnapshotRequest {
  std::int64_t frame = 0;
  std::filesystem::path file;  ///< ends in ".png"
  bool per_panel = false;      ///< one file for each panel: "FILE-<panel name>.png"
  bool operator==(const SnapshotRequest&) const = default;
};

/// The panels' pictures for one request, held in memory. In the assembled picture panels abut,
/// without bezels.
class WallSnapshot {
 public:
  /// `wall` outlives this object.
  WallSnapshot(const wall::Wall& wall, SnapshotRequest request);

  /// Adds a panel's picture: rows of BGRX, viewed orientation. Ignored where its size is wrong, or
  /// the panel has one already.
  void add(std::size_t panel, std::int64_t shown_frame, SizePx size_px,
           std::vector<std::uint8_t> pixels);

  [[nodiscard]] bool complete() const noexcept { return missing_ == 0; }
  [[nodiscard]] bool empty() const noexcept { return missing_ == pictures_.size(); }
  [[nodiscard]] const SnapshotRequest& request() const noexcept { return request_; }
  /// Changes the request's frame, to the one of the tick that the panels showed.
  void name_frame(std::int64_t frame) noexcept { request_.frame = frame; }

  /// Writes the file or files; with `folder`, an open folder, the file's name there. Files that are
  /// replaced keep their modes. Returns a line with the panels that showed another frame or none;
  /// "" where all showed the wanted one. Throws JobError where a file cannot be written, or no
  /// panel has sent a picture.
  std::string write(int folder = -1) const;

 private:
  struct PanelPicture {
    std::int64_t shown_frame = -1;
    std::vector<std::uint8_t> pixels;
  };
  /// "c0r0 showed 3, c1r0 showed nothing", "all 15 panels showed 3"; "" where all are right.
  [[nodiscard]] std::string strays() const;
  void write_panels() const;
  void write_assembled(int folder) const;

  const wall::Wall& wall_;
  SnapshotRequest request_;
  std::vector<PanelPicture> pictures_;
  std::size_t missing_;
};

}  // namespace tilewall::director

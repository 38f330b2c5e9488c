// Pictures of the wall as it was shown: collects every panel's picture of one frame and writes PNG
// files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "wallconfigs/wall.hpp"

namespace tilewall::director {

/// What the user asked for: `frame` of the movie, into `file`; per panel: "FILE-<panel name>.png".
struct SnapshotRequest {
  std::int64_t frame = 0;
  std::filesystem::path file;
  bool per_panel = false;
  bool operator==(const SnapshotRequest&) const = default;
};

/// One request on its way. Panels abut, bezels left out. Holds the assembled picture in memory.
class WallSnapshot {
 public:
  /// `wall` outlives this.
  WallSnapshot(const wall::Wall& wall, SnapshotRequest request);

  /// The panel's picture as rows of BGRX, viewed orientation. Ignored when its size is wrong or it
  /// is there already.
  void add(std::size_t panel, std::int64_t shown_frame, SizePx size_px,
           std::vector<std::uint8_t> pixels);

  [[nodiscard]] bool complete() const noexcept { return missing_ == 0; }
  [[nodiscard]] bool empty() const noexcept { return missing_ == pictures_.size(); }
  [[nodiscard]] const SnapshotRequest& request() const noexcept { return request_; }
  /// It is one of this frame: not of the one asked for, which no panel was to show.
  void name_frame(std::int64_t frame) noexcept { request_.frame = frame; }

  /// Writes the file(s). Returns a line that names the panels that showed another frame or none; ""
  /// when all showed the right one. Throws JobError: not writable, or no panel gave a picture.
  std::string write() const;

 private:
  struct PanelPicture {
    std::int64_t shown_frame = -1;
    std::vector<std::uint8_t> pixels;
  };
  /// "c0r0 showed 3, c1r0 showed nothing", "all 15 panels showed 3"; "" where none strays.
  [[nodiscard]] std::string strays() const;
  void write_panels() const;
  void write_assembled() const;

  const wall::Wall& wall_;
  SnapshotRequest request_;
  std::vector<PanelPicture> pictures_;
  std::size_t missing_;
};

}  // namespace tilewall::director

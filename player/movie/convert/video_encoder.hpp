// Encodes pictures to a video file, and copies the sound of another file into it.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "player/movie/codecs/planar_picture.hpp"
#include "sync/base/rational.hpp"

namespace tilewall::movie {

struct VideoSettings {
  SizePx size_px;
  Chroma chroma = Chroma::yuv420;
  Rational fps{24, 1};
  int crf = 18;                 ///< x264's constant quality, 0 (lossless) .. 51
  std::filesystem::path audio;  ///< file with the sound; "" = no sound
  double audio_from_s = 0;      ///< time in the sound that belongs to the first picture
  std::string preset = {};      ///< x264's preset, "ultrafast" to "placebo"; "" = "medium"
};

/// Encodes to H.264 if FFmpeg has x264 and the container can hold it, else to the container's own
/// codec. The video has 4:2:0, limited range, and BT.709 from 720 lines up, BT.601 below.
///
/// Threads: one owner; the codec has threads of its own inside add().
class VideoEncoder {
 public:
  /// The container follows from the file's suffix. Throws InputError if the suffix names none or
  /// there is no encoder for it, JobError if the file cannot be written.
  VideoEncoder(const std::filesystem::path& file, const VideoSettings& settings);
  ~VideoEncoder();  ///< removes a file that was not finished
  VideoEncoder(const VideoEncoder&) = delete;
  VideoEncoder& operator=(const VideoEncoder&) = delete;

  /// Encodes the next picture, of the settings' size and chroma. Throws JobError on failure.
  void add(const PlanarPicture& picture);

  /// Writes the rest, and gives the file its name. Throws JobError on failure.
  void finish();

  /// Size of the video: the pictures' size with odd sides rounded up.
  [[nodiscard]] SizePx video_px() const noexcept;

  /// Whether the video gets sound; false also if the container cannot hold the sound's codec.
  [[nodiscard]] bool with_sound() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tilewall::movie

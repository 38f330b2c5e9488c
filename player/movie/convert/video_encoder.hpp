// Encodes pictures into a video file, with the sound of another file beside them.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "player/movie/frames/planar_picture.hpp"
#include "sync/base/rational.hpp"

namespace tilewall::movie {

struct VideoSettings {
  SizePx size_px;
  Chroma chroma = Chroma::yuv420;
  Rational fps{24, 1};
  int crf = 18;
  std::filesystem::path audio;  ///< "" = no sound
  double audio_from_s = 0;      ///< the sound's place at the first picture
  std::string preset = {};  ///< of x264, "ultrafast" to "placebo"; "" = its own default, "medium"
};

/// H.264 where x264 is there and the container takes it, else the container's own codec; 4:2:0,
/// limited range, BT.709 from 720 lines up. One thread; encodes on threads of its own inside add().
class VideoEncoder {
 public:
  /// The container follows from the file's suffix. Throws InputError when that says nothing or no
  /// encoder is there for it, JobError when the file cannot be written.
  VideoEncoder(const std::filesystem::path& file, const VideoSettings& settings);
  ~VideoEncoder();  ///< an unfinished file is removed
  VideoEncoder(const VideoEncoder&) = delete;
  VideoEncoder& operator=(const VideoEncoder&) = delete;

  void add(const PlanarPicture& picture);
  void finish();

  [[nodiscard]] SizePx video_px() const noexcept;  ///< sides made even
  [[nodiscard]] bool with_sound()
      const noexcept;  ///< false also where the container cannot hold it

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tilewall::movie

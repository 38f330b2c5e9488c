// A media file that FFmpeg writes: under a temporary name, renamed when whole.
#pragma once

#include <filesystem>
#include <string>

#include "player/movie/source/ffmpeg.hpp"

namespace tilewall::movie {

struct AvOutputTraits {
  using Raw = AVFormatContext*;
  static constexpr Raw null() noexcept { return nullptr; }
  static void close(Raw raw) noexcept;
};

/// One thread. Every call throws JobError naming the file when FFmpeg or the disk refuses.
class MediaOutput {
 public:
  /// `format`: FFmpeg's name of the container, or "" to tell by the file's name. Throws InputError
  /// when the name tells nothing.
  MediaOutput(std::filesystem::path file, const std::string& format);
  ~MediaOutput();  ///< removes the temporary file unless finish() was called
  MediaOutput(const MediaOutput&) = delete;
  MediaOutput& operator=(const MediaOutput&) = delete;

  [[nodiscard]] AVFormatContext* get() const noexcept { return output_.get(); }
  AVStream& add_stream();  ///< owned by this
  void begin();            ///< writes the header; streams' time bases may change
  void write(AVPacket& packet);
  void finish();

 private:
  void check(int error, const char* action) const;

  std::filesystem::path file_;
  std::filesystem::path temporary_;  // "" once renamed
  UniqueHandle<AvOutputTraits> output_;
};

/// The sound of a movie, kept as a file of its own beside the frames.
inline constexpr const char* audio_file_name = "audio.mka";

/// Seconds on the movie's own axis, frame 0 of the source being 0.
struct AudioSpan {
  double from_s = 0;
  double until_s = 0;  ///< 0 = to the end
};

/// Copies the best audio stream of `movie`, undecoded, to folder/audio.mka (Matroska), so that its
/// time 0 is `span.from_s`. Returns the file's name, or "" when there is no sound or Matroska
/// cannot hold it. The file appears whole or not at all. Throws JobError when it cannot be written.
[[nodiscard]] std::string extract_audio(const std::filesystem::path& movie,
                                        const std::filesystem::path& folder, const AudioSpan& span);

}  // namespace tilewall::movie

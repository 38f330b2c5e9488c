// Writes media files through FFmpeg, under a temporary name until they are complete.
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

/// One media file. Every function throws JobError naming the file if FFmpeg or the disk fails.
///
/// Threads: one owner.
class MediaOutput {
 public:
  /// `format` is FFmpeg's name of the container; "" = it follows from the file's suffix. Throws
  /// InputError if the suffix names no container.
  MediaOutput(std::filesystem::path file, const std::string& format);
  ~MediaOutput();  ///< removes the temporary file unless finish() was called
  MediaOutput(const MediaOutput&) = delete;
  MediaOutput& operator=(const MediaOutput&) = delete;

  [[nodiscard]] AVFormatContext* get() const noexcept { return output_.get(); }
  AVStream& add_stream();        ///< a new stream, owned by this object
  void begin();                  ///< writes the header, which may change the streams' time bases
  void write(AVPacket& packet);  ///< moves the packet's data; the packet is empty afterwards
  void finish();                 ///< writes the trailer and gives the file its name

 private:
  void check(int error, const char* action) const;

  std::filesystem::path file_;
  std::filesystem::path temporary_;  // "" after the file was renamed
  UniqueHandle<AvOutputTraits> output_;
};

/// Name of the file with a wall movie's sound, beside the frames.
inline constexpr const char* audio_file_name = "audio.mka";

/// Why the sound of such a file cannot be read, as a line that names the file; "" if it can be.
[[nodiscard]] std::string sound_problem(const std::filesystem::path& file);

/// A span of the source's sound, in seconds from its frame 0.
struct AudioSpan {
  double from_s = 0;
  double until_s = 0;  ///< 0 = to the end
};

/// Copies the best audio stream of `movie`, without decoding it, to folder/audio.mka (Matroska), so
/// that its time 0 is `span.from_s`. Returns the file's name; "" if there is no sound, or Matroska
/// cannot hold it. The file gets its name only when it is complete. Throws InputError if the movie
/// cannot be opened, JobError if the file cannot be written.
[[nodiscard]] std::string extract_audio(const std::filesystem::path& movie,
                                        const std::filesystem::path& folder, const AudioSpan& span);

}  // namespace tilewall::movie

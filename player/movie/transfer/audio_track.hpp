// The sound of a movie, kept as a file of its own beside the frames.
#pragma once

#include <filesystem>
#include <string>

namespace tilewall {

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

}  // namespace tilewall

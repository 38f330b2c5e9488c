// What a survey is to check on one host. The requester knows wall and show; the host knows neither.
//
// Threads: values and free functions without state.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "player/picture/draw_parameters.hpp"
#include "player/survey/survey_answer.hpp"
#include "sync/base/rational.hpp"

namespace tilewall::survey {

inline constexpr int survey_format = 1;  ///< version of the JSON forms of request and answer

/// Limits of a request that is read.
inline constexpr std::size_t most_subjects = 100'000;  ///< Subjects of each kind, and names in one
inline constexpr std::size_t longest_request_bytes = std::size_t{64} << 20;
inline constexpr std::chrono::milliseconds longest_survey{86'400'000};
inline constexpr std::chrono::milliseconds longest_measuring{600'000};

/// Files that belong together, as they are on the requester's machine.
struct FileFacts {
  std::int64_t files = 1;
  std::uint64_t size_bytes = 0;     ///< Size of all files together
  std::int64_t modified_ns = 0;     ///< newest modification, since 1970
  std::optional<std::string> hash;  ///< XXH3-64 in 16 hexadecimal digits; empty: not compared
  bool operator==(const FileFacts&) const = default;
};

/// A file, a folder with all that is below it, or some files of a folder.
struct FileSubject {
  std::string path;                ///< absolute
  std::string label;               ///< see SurveyCheck::label
  std::vector<std::string> names;  ///< the files below `path` that count; empty: all
  FileFacts facts;
  bool required = true;  ///< false: a show can do without, so that its absence is amber
  bool operator==(const FileSubject&) const = default;
};

struct DisplaySubject {
  std::string display;  ///< X display such as ":0.1"; "" = that of the environment
  std::string label;
  bool operator==(const DisplaySubject&) const = default;
};

struct ServerSubject {
  std::string url;  ///< tilewall://HOST[:PORT]...; its key: net/show_keys.hpp
  std::string label;
  bool operator==(const ServerSubject&) const = default;
};

struct ClockSubject {
  std::string daemons;       ///< "HOST:PORT", or two with a comma
  double most_bound_us = 0;  ///< a larger error bound is amber
  bool operator==(const ClockSubject&) const = default;
};

struct LogsSubject {
  std::string folder;  ///< absolute; made at need, so that its nearest parent counts
  std::uint64_t needed_bytes = 0;
  bool operator==(const LogsSubject&) const = default;
};

/// wall_movie: the blocks that the views need are read and decoded. images: whole files. movie: the
/// file is read, and decoded by the decoder's program. file: read only.
enum class MediaKind { wall_movie, images, movie, file };
inline constexpr std::string_view media_kind_names[] = {"wall_movie", "images", "movie", "file"};

/// The part of a medium that one panel shows.
struct PanelView {
  picture::Placement placement;
  SizePx picture_px;
  bool operator==(const PanelView&) const = default;
};

/// A medium whose reading and decoding is measured.
struct MediaSubject {
  MediaKind kind = MediaKind::wall_movie;
  std::string path;  ///< absolute
  std::string label;
  std::vector<std::string> names;  ///< images: the files below `path`, frame by frame; "" = a gap
  std::int64_t first_frame = 0;
  std::int64_t end_frame = 1;
  Rational fps{24, 1};            ///< frames needed per second; 0 = a still, no rate is needed
  std::uint64_t frame_bytes = 0;  ///< movie, file: mean bytes per frame
  std::vector<PanelView> views;   ///< Views of this host's panels; none: nothing is shown here
  std::chrono::milliseconds time{1000};  ///< for reading, and as much again for decoding
  bool operator==(const MediaSubject&) const = default;
};

struct SurveyRequest {
  std::string version;  ///< program_version() of the requester
  std::vector<FileSubject> files;
  std::vector<DisplaySubject> displays;
  std::vector<ServerSubject> servers;
  std::optional<std::uint64_t> memory_bytes;  ///< memory that has to be available
  std::optional<ClockSubject> clock;
  std::optional<LogsSubject> logs;
  std::vector<MediaSubject> media;
  /// Checks that are known to be impossible or useless, with their reasons: the answer has them
  /// too.
  std::vector<SurveyCheck> omitted;
  std::chrono::milliseconds limit{30'000};       ///< the whole survey of the host
  std::chrono::milliseconds check_limit{5'000};  ///< each check, without the time for measuring
  bool operator==(const SurveyRequest&) const = default;
};

[[nodiscard]] nlohmann::json to_json(const SurveyRequest& request);

/// Throws InputError naming the field that is missing, wrong or beyond a limit.
[[nodiscard]] SurveyRequest request_from_json(const nlohmann::json& json);

}  // namespace tilewall::survey

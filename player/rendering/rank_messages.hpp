// The messages between `tilewall render` and its ranks, the processes that draw frames
// (tilewall-renderer): lines of JSON, orders on a rank's standard input, answers on its standard
// output. Lines of libraries and launchers may stand between the answers.
//
//   open    -> opened            the volume is open
//   sample  -> sampled           pictures were drawn by which the movie is planned
//   store   -> ready             frames can be written
//   frame   -> stored            the frame's file has its name
//              note, fault       a line for people; the rank cannot go on
//
// Threads: values and free functions without state.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "player/movie/codecs/planar_picture.hpp"
#include "player/movie/convert/import_job.hpp"
#include "player/movie/frames/manifest.hpp"
#include "player/rendering/flight_frame.hpp"
#include "player/rendering/frame_painter.hpp"

namespace tilewall::rendering {

inline constexpr std::size_t longest_rank_line = std::size_t{16} << 20;  ///< bytes

struct OpenOrder {
  std::string version;  ///< program_version() of the command
  PictureJob pictures;  ///< but for the threads, which the rank chooses
  int share = 1;        ///< how many ranks share the host's cores, 1 to most_ranks_a_host
};

struct SampleOrder {
  std::vector<FlightFrame> frames;  ///< 1 to 16
  int quality = 85;                 ///< Quality of the JPEGs, 1 to 100
  std::string name;                 ///< Name of the flight, for messages
};

struct StoreOrder {
  std::string folder;             ///< Folder of the movie, the same on every host
  movie::MovieManifest manifest;  ///< how frames are stored
  movie::FrameFiles files = movie::FrameFiles::movie;
  SizePx panel_share_px;  ///< as FrameWriter takes it
  std::string drawn_by;   ///< what has to draw the frames
  std::string token;      ///< a file of the folder, by which the rank knows it
  bool measures = false;  ///< whether the samples are stored and measured
};

using RankOrder = std::variant<OpenOrder, SampleOrder, StoreOrder, FlightFrame>;

inline constexpr int most_ranks_a_host = 64;

struct Opened {
  std::int64_t timesteps = 0;
  int threads = 1;  ///< Each of so many threads stores a frame of its own.
};

struct Sampled {
  movie::Chroma chroma = movie::Chroma::yuv420;
  std::string drawn_by;
};

struct StoreReady {
  double frame_bytes = 0;  ///< mean of the samples; 0 = not measured
};

struct FrameStored {
  std::int64_t number = 0;
  std::uint64_t bytes = 0;
};

struct RankNote {
  std::string line;
};

struct RankFault {
  std::string line;
  bool is_input = false;  ///< whether it is an InputError
  bool is_own = false;    ///< whether only this rank has it, so that others may go on
};

using RankAnswer = std::variant<Opened, Sampled, StoreReady, FrameStored, RankNote, RankFault>;

/// One line, with its end.
[[nodiscard]] std::string line_of(const RankOrder& order);
[[nodiscard]] std::string line_of(const RankAnswer& answer);

/// Throws InputError naming the field that is missing or wrong. Of an OpenOrder of another version
/// only that is read.
[[nodiscard]] RankOrder rank_order_of(std::string_view line);
[[nodiscard]] RankAnswer rank_answer_of(std::string_view line);

/// Whether a line of a rank's output is an answer at all.
[[nodiscard]] bool is_rank_answer(std::string_view line);

}  // namespace tilewall::rendering

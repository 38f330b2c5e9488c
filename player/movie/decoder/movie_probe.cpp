#include "player/movie/decoder/movie_probe.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "player/movie/decoder/frame_store.hpp"
#include "player/movie/source/movie_file.hpp"
#include "sync/base/error.hpp"
#include "sync/base/process.hpp"

namespace tilewall::movie {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t memory_limit_bytes = std::uint64_t{6} << 30;
constexpr std::uint64_t cpu_limit_s = 9;
constexpr std::chrono::milliseconds count_limit{500};

/// The first picture of a file whose packets have been read; null if none decodes. A file that
/// cannot seek back is opened once more.
SharedFrame first_frame(MovieFile& read_through, const std::string& file) {
  std::optional<MoviePicture> picture;
  if (read_through.seek(0)) picture = read_through.next();
  if (!picture) picture = MovieFile(file, 1).next();
  return picture ? picture->frame : nullptr;
}

Json probe(const std::string& file) {
  MovieFile movie(file, 1);
  const std::int64_t frames = movie.count_frames(count_limit).frames;
  const SharedFrame first = first_frame(movie, file);
  if (!first)
    throw InputError({file}, "", "a video with at least one picture that decodes",
                     "none (" + last_ffmpeg_message() + ")");
  const MovieInfo info = movie.info();
  return {{"width_px", info.size_px.width},
          {"height_px", info.size_px.height},
          {"fps", {info.fps.num, info.fps.den}},
          {"picture_bytes", picture_bytes(shared_layout(*first, info.orientation, file))},
          {"frames", std::max<std::int64_t>(1, frames)},
          {"sound", !info.audio_codec.empty()}};
}

}  // namespace

int print_probe(const std::string& file) {
  limit_memory(memory_limit_bytes);
  limit_cpu_time(cpu_limit_s);
  Json answer;
  int exit_code = exit_done;
  try {
    answer = probe(file);
  } catch (const InputError& error) {
    answer = {{"error", error.what()}};
    exit_code = exit_bad_input;
  } catch (const std::exception& error) {
    answer = {{"error", error.what()}};
    exit_code = exit_failed;
  }
  fmt::print("{}\n", answer.dump(-1, ' ', false, Json::error_handler_t::replace));
  return exit_code;
}

}  // namespace tilewall::movie

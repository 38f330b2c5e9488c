#include "player/movie/decoder/movie_probe.hpp"

#include <fmt/format.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>

#include "player/movie/decoder/frame_store.hpp"
#include "player/movie/source/frame_cursor.hpp"
#include "player/movie/source/movie_file.hpp"
#include "sync/base/error.hpp"
#include "sync/base/json_text.hpp"
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

Json decode_rate(const std::string& file, std::int64_t first_frame,
                 std::chrono::milliseconds time) {
  using Clock = std::chrono::steady_clock;
  FrameCursor cursor(file);
  if (first_frame > 0) cursor.go_to(first_frame);
  std::optional<TimedPicture> picture = cursor.next();  // opens what decodes
  if (!picture) throw InputError({file}, "", "pictures that decode", "none");
  double frames = 0;
  double pixels = 0;
  const auto begin = Clock::now();
  while (Clock::now() - begin < time) {
    picture = cursor.next();
    if (!picture) {
      cursor.go_to(0, FrameCursor::Way::jump);
      if (!(picture = cursor.next())) break;
    }
    frames += static_cast<double>(picture->span.count);
    pixels += static_cast<double>(picture->frame->width) * picture->frame->height;
  }
  return {{"frames", frames},
          {"pixels", pixels},
          {"seconds", std::chrono::duration<double>(Clock::now() - begin).count()}};
}

/// Prints what `find_answer` returns, or the line of its error. Returns the exit code.
int print_answer(const std::function<Json()>& find_answer) {
  limit_memory(memory_limit_bytes);
  Json answer;
  int exit_code = exit_done;
  try {
    answer = find_answer();
  } catch (const InputError& error) {
    answer = {{"error", error.what()}};
    exit_code = exit_bad_input;
  } catch (const std::exception& error) {
    answer = {{"error", error.what()}};
    exit_code = exit_failed;
  }
  fmt::print("{}\n", json_text(answer));
  return exit_code;
}

}  // namespace

int print_probe(const std::string& file) {
  limit_cpu_time(cpu_limit_s);
  return print_answer([&] { return probe(file); });
}

int print_decode_rate(const std::string& file, std::int64_t first_frame,
                      std::chrono::milliseconds time) {
  return print_answer([&] { return decode_rate(file, first_frame, time); });
}

}  // namespace tilewall::movie

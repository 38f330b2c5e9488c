#include "player/survey/media_rates.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "player/movie/frames/block_codec.hpp"
#include "player/movie/frames/block_reader.hpp"
#include "player/movie/frames/image_reader.hpp"
#include "player/movie/frames/manifest.hpp"
#include "player/movie/frames/view_plan.hpp"
#include "player/survey/file_facts.hpp"
#include "sync/base/check.hpp"
#include "sync/base/child_process.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "sync/base/json_fields.hpp"

namespace tilewall::survey {
namespace {

namespace fs = std::filesystem;
using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t most_kept_bytes = std::size_t{256}
                                        << 20;  // of blocks, until they are decoded
constexpr std::size_t read_chunk_bytes = std::size_t{4} << 20;
constexpr int most_decode_threads = 64;
constexpr int coarsest_jpeg_level = 3;
constexpr std::chrono::seconds decoder_margin{8};  // for opening the movie
constexpr std::size_t longest_rate_answer = 4096;

double seconds_since(SteadyClock::time_point begin) {
  return std::chrono::duration<double>(SteadyClock::now() - begin).count();
}

std::string bytes_rate(double per_second) { return bytes_text(per_second) + "/s"; }
std::string pixel_rate(double per_second) { return fmt::format("{:.1f} Mpx/s", per_second / 1e6); }

/// Drops an open file from the page cache. Returns whether none of it is left there.
bool drop_from_cache(int fd) {
  struct stat found = {};
  if (::fstat(fd, &found) != 0 || found.st_size == 0) return false;
  // Pages that are not written yet would stay.
  ::fdatasync(fd);
  if (::posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) != 0) return false;
  const auto size = static_cast<std::size_t>(found.st_size);
  void* const mapped = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, fd, 0);
  if (mapped == MAP_FAILED) return false;
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> resident((size + page - 1) / page);
  const bool known = ::mincore(mapped, size, resident.data()) == 0;
  ::munmap(mapped, size);
  return known && std::ranges::none_of(resident, [](unsigned char one) { return (one & 1) != 0; });
}

/// The results of reading, with the check's text about the page cache.
struct Reading {
  MeasuredRate rate;
  bool cold = true;  ///< nothing of it was in the page cache
};

void judge_reading(SurveyCheck& check, const Reading& reading, Rational fps) {
  judge_rate(check, reading.rate, fps, bytes_rate);
  if (reading.cold) {
    check.text += ", page cache dropped";
    return;
  }
  if (check.light != Light::red) check.light = Light::not_measured;
  check.text = "not measured cold, as the page cache could not be dropped: " + check.text;
}

void judge_decoding(SurveyCheck& check, const std::function<MeasuredRate()>& decode, Rational fps) {
  try {
    judge_rate(check, decode(), fps, pixel_rate);
  } catch (const std::exception& error) {
    check.light = Light::red;
    check.text = error.what();
  }
}

/// The blocks of a wall movie that this host's panels show.
class WallMovieRates {
 public:
  explicit WallMovieRates(const MediaSubject& media)
      : media_(media), movie_(movie::load_manifest(media.path)) {
    for (const PanelView& view : media.views) {
      movie::ViewPlan plan = movie::plan_view(movie_, view.placement, view.picture_px);
      if (!plan.blocks.empty()) plans_.push_back(std::move(plan));
    }
  }

  [[nodiscard]] bool shows_nothing() const { return plans_.empty(); }

  Reading read() {
    Reading reading;
    const std::int64_t end = std::min(media_.end_frame, movie_.frames);
    for (std::int64_t frame = media_.first_frame;
         frame < end && reading.rate.seconds < seconds_of(media_.time); ++frame) {
      const fs::path file = fs::path(media_.path) / movie::frame_file_name(frame);
      const UniqueFd fd = open_for_reading(file);
      reading.cold &= drop_from_cache(fd.get());
      const auto begin = SteadyClock::now();
      const double bytes = read_frame(fd.get(), file);
      reading.rate.seconds += seconds_since(begin);
      reading.rate.units += bytes;
      reading.rate.frames += 1;
    }
    if (reading.rate.frames < 1)
      throw InputError({media_.path}, "frames", fmt::format("a frame {}", media_.first_frame),
                       fmt::format("{} frames", movie_.frames));
    return reading;
  }

  /// Decodes the frames that were read, again and again. @pre read()
  MeasuredRate decode() {
    const auto begin = SteadyClock::now();
    std::atomic<std::size_t> next{0};
    std::atomic<std::size_t> done{0};
    std::atomic<bool> damaged{false};
    const auto work = [&] {
      movie::BlockDecoder decoder(movie_);
      movie::PlanarPicture planes(movie_.block_px, movie_.chroma);
      while (seconds_since(begin) < seconds_of(media_.time) && !damaged) {
        if (!decoder.to_planes(kept_[next++ % kept_.size()], planes, {0, 0})) damaged = true;
        ++done;
      }
    };
    {
      std::vector<std::jthread> threads;
      const int count =
          std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, most_decode_threads);
      threads.reserve(static_cast<std::size_t>(count));
      for (int i = 0; i < count; ++i) threads.emplace_back(work);
    }
    if (damaged)
      throw InputError({media_.path}, "", "whole blocks", "a damaged one in the measured frames");
    const auto blocks = static_cast<double>(done.load());
    return {blocks / blocks_per_frame_, seconds_since(begin),
            blocks * movie_.block_px.width * movie_.block_px.height};
  }

 private:
  static double seconds_of(std::chrono::milliseconds time) {
    return static_cast<double>(time.count()) / 1000;
  }

  /// Reads what each panel reads of a frame. Returns the bytes.
  double read_frame(int fd, const fs::path& file) {
    double bytes = 0;
    double blocks = 0;
    for (const movie::ViewPlan& plan : plans_) {
      if (!index_.load(fd, movie_, plan.level))
        throw InputError({file.string()}, "", "a frame of the movie", index_.problem());
      bytes += static_cast<double>(index_.read_bytes());
      reader_.read(fd, index_.blocks(), plan.blocks);
      bytes += static_cast<double>(reader_.read_bytes());
      blocks += static_cast<double>(plan.blocks.size());
      for (std::size_t i = 0; i < plan.blocks.size(); ++i) keep(reader_.bytes(i), file);
    }
    blocks_per_frame_ = blocks;
    return bytes;
  }

  void keep(std::span<const std::uint8_t> bytes, const fs::path& file) {
    if (bytes.empty()) throw InputError({file.string()}, "", "all blocks", "one that is lost");
    // The first block is kept in any case, so that there is one to decode.
    if (!kept_.empty() && kept_bytes_ + bytes.size() > most_kept_bytes) return;
    kept_bytes_ += bytes.size();
    kept_.emplace_back(bytes.begin(), bytes.end());
  }

  const MediaSubject& media_;
  const movie::MovieManifest movie_;
  std::vector<movie::ViewPlan> plans_;  // of the panels that show something
  movie::FrameIndex index_;
  movie::BlockReader reader_;
  std::vector<std::vector<std::uint8_t>> kept_;  // compressed blocks
  std::size_t kept_bytes_ = 0;
  double blocks_per_frame_ = 1;
};

/// Reads a part of a file. Returns the bytes.
double read_part(int fd, std::uint64_t begin, std::uint64_t size,
                 std::vector<std::uint8_t>& chunk) {
  std::uint64_t done = 0;
  chunk.resize(read_chunk_bytes);
  while (done < size) {
    const auto wanted =
        static_cast<std::size_t>(std::min<std::uint64_t>(size - done, chunk.size()));
    const ssize_t got =
        check_sys(retry_eintr([&] {
                    return ::pread(fd, chunk.data(), wanted, static_cast<off_t>(begin + done));
                  }),
                  "pread");
    if (got == 0) break;
    done += static_cast<std::uint64_t>(got);
  }
  return static_cast<double>(done);
}

/// Reads a file of many frames from the place of the first frame on.
Reading read_file(const MediaSubject& media) {
  Reading reading;
  const UniqueFd fd = open_for_reading(media.path);
  reading.cold = drop_from_cache(fd.get());
  std::vector<std::uint8_t> chunk;
  const double limit_s = static_cast<double>(media.time.count()) / 1000;
  std::uint64_t at = static_cast<std::uint64_t>(media.first_frame) * media.frame_bytes;
  const auto begin = SteadyClock::now();
  while (reading.rate.seconds < limit_s) {
    const double got = read_part(fd.get(), at, read_chunk_bytes, chunk);
    reading.rate.seconds = seconds_since(begin);
    if (got == 0) break;
    reading.rate.units += got;
    at += static_cast<std::uint64_t>(got);
  }
  if (reading.rate.units == 0) throw InputError({media.path}, "", "bytes to read", "none");
  reading.rate.frames =
      reading.rate.units / static_cast<double>(std::max<std::uint64_t>(1, media.frame_bytes));
  return reading;
}

/// The frames of an image sequence, each in a file.
class ImageRates {
 public:
  explicit ImageRates(const MediaSubject& media) : media_(media) {
    for (std::int64_t frame = media.first_frame; frame < media.end_frame; ++frame)
      if (const std::string& name = media.names[static_cast<std::size_t>(frame)]; !name.empty())
        files_.push_back(fs::path(media.path) / name);
    if (files_.empty()) throw InputError({media.path}, "names", "an image", "gaps only");
  }

  Reading read() const {
    Reading reading;
    std::vector<std::uint8_t> chunk;
    for (const fs::path& file : files_) {
      const UniqueFd fd = open_for_reading(file);
      reading.cold &= drop_from_cache(fd.get());
      const auto begin = SteadyClock::now();
      // The file is in the page cache for the other panels of this host.
      reading.rate.units += read_part(fd.get(), 0, ~std::uint64_t{0} >> 1, chunk);
      reading.rate.seconds += seconds_since(begin);
      reading.rate.frames += 1;
      if (reading.rate.seconds * 1000 >= static_cast<double>(media_.time.count())) break;
    }
    return reading;
  }

  /// Every panel decodes every image.
  MeasuredRate decode() const {
    const movie::ImageInfo info = movie::ImageReader().read_info(files_.front());
    const int level =
        info.kind == movie::ImageKind::jpeg
            ? movie::choose_level(media_.views.front().placement, coarsest_jpeg_level + 1)
            : 0;
    const auto begin = SteadyClock::now();
    std::atomic<std::size_t> next{0};
    std::atomic<std::size_t> done{0};
    std::atomic<bool> damaged{false};
    const double limit_s = static_cast<double>(media_.time.count()) / 1000;
    const auto work = [&] {
      movie::ImageReader reader;
      while (seconds_since(begin) < limit_s && !damaged) {
        if (!reader.decode(files_[next++ % files_.size()], info, level)) damaged = true;
        ++done;
      }
    };
    {
      std::vector<std::jthread> threads;
      const int count = std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1,
                                   static_cast<int>(media_.views.size()));
      threads.reserve(static_cast<std::size_t>(count));
      for (int i = 0; i < count; ++i) threads.emplace_back(work);
    }
    if (damaged)
      throw InputError({media_.path}, "", "images of one size", "a damaged or other one");
    const auto images = static_cast<double>(done.load());
    return {images / static_cast<double>(media_.views.size()), seconds_since(begin),
            images * info.size_px.width * info.size_px.height};
  }

 private:
  const MediaSubject& media_;
  std::vector<fs::path> files_;
};

/// Lets the decoder's program decode an ordinary movie, which is decoded once for all panels.
MeasuredRate decode_movie(const MediaSubject& media) {
  const UniqueFd answer(check_sys(::memfd_create("tilewall-rate", MFD_CLOEXEC), "memfd_create"));
  ChildOptions options;
  options.output = fmt::format("/proc/{}/fd/{}", ::getpid(), answer.get());
  options.isolated = true;
  const pid_t child =
      start_program({own_program("tilewall-decoder").string(), "--measure", media.path, "--first",
                     std::to_string(std::min<std::int64_t>(media.first_frame, 1'000'000'000)),
                     "--time-ms", std::to_string(media.time.count())},
                    options);
  const ChildEnd end = wait_for(child, media.time + decoder_margin);
  std::string text(longest_rate_answer, '\0');
  text.resize(static_cast<std::size_t>(
      std::max<ssize_t>(0, ::pread(answer.get(), text.data(), text.size(), 0))));
  if (end.signal != 0)
    throw JobError(fmt::format("{}: its decoder {}", media.path,
                               end.signal == SIGKILL ? "gave no answer in time" : "crashed"));
  const nlohmann::json json = parse_json(text);
  if (json.contains("error")) throw InputError(json_field<std::string>(json, "error"));
  return {json_field<double>(json, "frames"), json_field<double>(json, "seconds"),
          json_field<double>(json, "pixels")};
}

}  // namespace

void judge_rate(SurveyCheck& check, const MeasuredRate& rate, Rational fps,
                std::string (*unit)(double per_second)) {
  const double seconds = std::max(rate.seconds, 1e-9);
  const double per_s = rate.frames / seconds;
  const double units_per_s = rate.units / seconds;
  check.found = fmt::format("{}, {:.1f} frames/s", unit(units_per_s), per_s);
  if (fps.num == 0) {
    check.light = Light::green;
    check.expected = "no rate, as it is a still";
    check.text = check.found;
    return;
  }
  const double share = per_s / fps.value();
  check.rate_ratio = share;
  const double needed = rate.units / std::max(rate.frames, 1e-9) * fps.value();
  check.expected = fmt::format("{}, {:g} frames/s", unit(needed), fps.value());
  check.light = share >= comfortable_share ? Light::green : share >= 1 ? Light::amber : Light::red;
  check.text = fmt::format("{}, {:.1f} times what {:g} frames/s need", unit(units_per_s), share,
                           fps.value());
}

std::vector<SurveyCheck> media_checks(const MediaSubject& media) {
  SurveyCheck check;
  check.kind = CheckKind::read;
  check.subject = subject_name(media.path, media.names);
  check.label = media.label;
  std::vector<SurveyCheck> checks(2, check);
  checks[1].kind = CheckKind::decode;
  return checks;
}

std::vector<SurveyCheck> measure_media(const MediaSubject& media) {
  std::vector<SurveyCheck> checks = media_checks(media);
  const auto judge = [&](const Reading& reading, const std::function<MeasuredRate()>& decode) {
    judge_reading(checks[0], reading, media.fps);
    judge_decoding(checks[1], decode, media.fps);
    return checks;
  };
  const auto nothing_shown = [&] {
    for (SurveyCheck& check : checks) check.text = "the panels of this host show nothing of it";
    return checks;
  };
  if (media.views.empty()) return nothing_shown();
  switch (media.kind) {
    case MediaKind::wall_movie: {
      WallMovieRates rates(media);
      if (rates.shows_nothing()) return nothing_shown();
      return judge(rates.read(), [&] { return rates.decode(); });
    }
    case MediaKind::images: {
      const ImageRates rates(media);
      return judge(rates.read(), [&] { return rates.decode(); });
    }
    case MediaKind::movie:
      return judge(read_file(media), [&] { return decode_movie(media); });
    case MediaKind::file:
      judge_reading(checks[0], read_file(media), media.fps);
      checks[1].text = "volumes are drawn, not decoded";
      break;
  }
  return checks;
}

}  // namespace tilewall::survey

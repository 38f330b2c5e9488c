#include "player/movie/convert/picture_list.hpp"

#include <fmt/format.h>

#include "player/movie/frames/image_file.hpp"
#include "player/movie/source/image_file.hpp"
#include "player/movie/source/sm_movie.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"

namespace tilewall::movie {
namespace {

MovieInfo at_rate(MovieInfo info, Rational fps) {
  info.fps = fps;
  info.duration_s = static_cast<double>(info.frames) / fps.value();
  return info;
}

bool panel_takes_all_of(const std::filesystem::path& file, DamageSearch search) {
  try {
    const UniqueFd fd = open_for_reading(file);
    ImageDecoder decoder;
    const ImageInfo info = checked_info(decoder.read_header(fd.get()), file);
    if (search == DamageSearch::quick && info.kind != ImageKind::jpeg) return true;
    return decodes_whole(decoder, fd.get(), info, search == DamageSearch::quick ? 3 : 0);
  } catch (const InputError&) {
    return true;  // panels cannot read this format, so decode() alone decides
  }
}

class ImageList final : public PictureList {
 public:
  ImageList(ImageSequence sequence, Rational fps) : sequence_(std::move(sequence)), fps_(fps) {}

  [[nodiscard]] std::size_t size() const noexcept override { return sequence_.files.size(); }
  [[nodiscard]] bool has(std::size_t at) const noexcept override {
    return !sequence_.files[at].empty();
  }
  [[nodiscard]] SharedFrame decode(std::size_t at) const override {
    return decode_image_file(sequence_.files[at]);
  }
  [[nodiscard]] bool is_whole(std::size_t at, DamageSearch search) const override {
    return panel_takes_all_of(sequence_.files[at], search);
  }
  [[nodiscard]] std::string name_of(std::size_t at) const override {
    return sequence_.files[at].string();
  }
  [[nodiscard]] MovieInfo info(const AVFrame& first, std::size_t at) const override {
    MovieInfo info = image_info(first, sequence_.files[at]);
    info.frames = static_cast<std::int64_t>(size());
    return at_rate(std::move(info), fps_);
  }
  [[nodiscard]] std::string note() const override {
    if (sequence_.missing.empty()) return "";
    return fmt::format("{}: {} missing; {}", sequence_.name, sequence_.missing,
                       sequence_.gap_frames > 0 ? "the picture before each gap stays on show"
                                                : "the images that are there follow each other");
  }

 private:
  const ImageSequence sequence_;
  const Rational fps_;
};

class SmList final : public PictureList {
 public:
  SmList(const std::filesystem::path& file, std::optional<Rational> fps)
      : name_(file.string()), movie_(file), info_(movie_.info()) {
    if (fps) info_ = at_rate(std::move(info_), *fps);
  }

  [[nodiscard]] std::size_t size() const noexcept override {
    return static_cast<std::size_t>(info_.frames);
  }
  [[nodiscard]] bool has(std::size_t) const noexcept override { return true; }
  [[nodiscard]] SharedFrame decode(std::size_t at) const override {
    return movie_.decode(static_cast<std::int64_t>(at));
  }
  [[nodiscard]] bool is_whole(std::size_t, DamageSearch) const override { return true; }
  [[nodiscard]] std::string name_of(std::size_t at) const override {
    return fmt::format("{}: frame {}", name_, at);
  }
  [[nodiscard]] MovieInfo info(const AVFrame&, std::size_t) const override { return info_; }
  [[nodiscard]] std::string note() const override {
    return movie_.header().stereo ? name_ + ": a stereo movie: the left eye's pictures are taken"
                                  : "";
  }

 private:
  const std::string name_;
  const SmMovie movie_;
  MovieInfo info_;
};

}  // namespace

std::unique_ptr<PictureList> list_images(ImageSequence sequence, Rational fps) {
  return std::make_unique<ImageList>(std::move(sequence), fps);
}

std::unique_ptr<PictureList> list_sm_movie(const std::filesystem::path& file,
                                           std::optional<Rational> fps) {
  return std::make_unique<SmList>(file, fps);
}

}  // namespace tilewall::movie

#include "player/movie/frames/frame_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "player/movie/frames/tiff_tags.hpp"
#include "sync/base/check.hpp"
#include "sync/base/error.hpp"

namespace tilewall {
namespace {

std::uint16_t photometric_tag(Chroma chroma) {
  if (chroma == Chroma::gray) return PHOTOMETRIC_MINISBLACK;
  return chroma == Chroma::rgb ? PHOTOMETRIC_RGB : PHOTOMETRIC_YCBCR;
}

}  // namespace

FrameFile::FrameFile(const MovieManifest& manifest, const std::filesystem::path& file)
    : manifest_(manifest),
      name_(file.string()),
      temporary_(fmt::format("{}.{}.tmp", name_, ::getpid())) {
  fd_ = UniqueFd(retry_eintr(
      [&] { return ::open(temporary_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644); }));
  if (fd_.empty()) throw JobError(name_ + ": open: " + std::strerror(errno));
  tiff_.emplace(fd_.get(), "w8", 0);
  if (tiff_->get() != nullptr) return;
  ::unlink(temporary_.c_str());
  fail("write");
}

FrameFile::~FrameFile() {
  tiff_.reset();
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void FrameFile::fail(const char* action) const {
  const int number = tiff_->error_number();
  const std::string reason = number != 0 ? std::strerror(number) : tiff_->error_text();
  throw JobError(fmt::format("{}: {}: {}", name_, action, reason));
}

void FrameFile::begin_level(int level) { set_tags(level); }

void FrameFile::set_tags(int level) {
  TIFF* tiff = tiff_->get();
  const SizePx size = level_size_px(manifest_.size_px, level);
  TIFFSetField(tiff, TIFFTAG_SUBFILETYPE, level == 0 ? 0 : FILETYPE_REDUCEDIMAGE);
  TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, size.width);
  TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, size.height);
  TIFFSetField(tiff, TIFFTAG_TILEWIDTH, manifest_.block_px.width);
  TIFFSetField(tiff, TIFFTAG_TILELENGTH, manifest_.block_px.height);
  TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 8);
  TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, plane_count(manifest_.chroma));
  TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
  TIFFSetField(tiff, TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT);
  TIFFSetField(tiff, TIFFTAG_COMPRESSION, compression_tag(manifest_.compression));
  set_colour_tags();
}

void FrameFile::set_colour_tags() {
  TIFF* tiff = tiff_->get();
  TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, photometric_tag(manifest_.chroma));
  if (manifest_.compression != BlockCompression::jpeg) {
    TIFFSetField(tiff, TIFFTAG_PREDICTOR, PREDICTOR_HORIZONTAL);
    return;
  }
  TIFFSetField(tiff, TIFFTAG_JPEGTABLESMODE, 0);  // every block brings its own tables
  if (manifest_.chroma == Chroma::gray) return;
  const int step = manifest_.chroma == Chroma::yuv420 ? 2 : 1;
  float full_range[] = {0, 255, 128, 255, 128, 255};
  TIFFSetField(tiff, TIFFTAG_YCBCRSUBSAMPLING, step, step);
  TIFFSetField(tiff, TIFFTAG_YCBCRPOSITIONING, YCBCRPOSITION_CENTERED);
  TIFFSetField(tiff, TIFFTAG_REFERENCEBLACKWHITE, full_range);
}

void FrameFile::write_block(int block, std::span<const std::uint8_t> bytes) {
  const auto size = static_cast<tmsize_t>(bytes.size());
  // libtiff's interface lacks the const; it does not write to the bytes.
  void* data = const_cast<std::uint8_t*>(bytes.data());
  if (TIFFWriteRawTile(tiff_->get(), static_cast<std::uint32_t>(block), data, size) != size)
    fail("write");
}

void FrameFile::end_level() {
  if (TIFFWriteDirectory(tiff_->get()) == 0) fail("write");
}

std::uint64_t FrameFile::finish() {
  tiff_->close();
  if (tiff_->error_number() != 0) fail("write");
  struct stat status = {};
  check_sys(::fstat(fd_.get(), &status), "fstat");
  if (::close(fd_.release()) != 0) throw JobError(name_ + ": close: " + std::strerror(errno));
  if (::rename(temporary_.c_str(), name_.c_str()) != 0)
    throw JobError(name_ + ": rename: " + std::strerror(errno));
  temporary_.clear();
  return static_cast<std::uint64_t>(status.st_size);
}

}  // namespace tilewall

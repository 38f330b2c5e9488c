#include "tests/support/exr_picture.hpp"

#include <libdeflate.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <utility>

#include "sync/base/file.hpp"

namespace tilewall {
namespace {

/// Takes numbers and names from the front of bytes.
class Bytes {
 public:
  explicit Bytes(std::string bytes) : bytes_(std::move(bytes)) {}

  template <typename Number>
  Number number() {
    Number number{};
    const std::string part = take(sizeof number);
    std::memcpy(&number, part.data(), sizeof number);
    return number;
  }
  std::string name() {
    const std::size_t end = bytes_.find('\0', at_);
    if (end == std::string::npos) throw std::runtime_error("an EXR image: a name without end");
    std::string name = bytes_.substr(at_, end - at_);
    at_ = end + 1;
    return name;
  }
  std::string take(std::size_t count) {
    if (count > bytes_.size() - at_) throw std::runtime_error("an EXR image that is cut off");
    at_ += count;
    return bytes_.substr(at_ - count, count);
  }
  void go_to(std::uint64_t place) { at_ = std::min<std::size_t>(place, bytes_.size()); }

 private:
  std::string bytes_;
  std::size_t at_ = 0;
};

float float_of_half(std::uint16_t half) {
  const int exponent = half >> 10 & 31;
  const int fraction = half & 1023;
  float size = std::ldexp(static_cast<float>(fraction), -24);
  if (exponent == 31)
    size = fraction == 0 ? std::numeric_limits<float>::infinity()
                         : std::numeric_limits<float>::quiet_NaN();
  else if (exponent > 0)
    size = std::ldexp(static_cast<float>(1024 + fraction), exponent - 25);
  return (half & 0x8000) != 0 ? -size : size;
}

std::string unpacked(const std::string& packed, std::size_t bytes) {
  if (packed.size() == bytes) return packed;
  std::string parted(bytes, '\0');
  libdeflate_decompressor* const inflater = libdeflate_alloc_decompressor();
  const libdeflate_result result = libdeflate_zlib_decompress(
      inflater, packed.data(), packed.size(), parted.data(), bytes, nullptr);
  libdeflate_free_decompressor(inflater);
  if (result != LIBDEFLATE_SUCCESS) throw std::runtime_error("an EXR image with a damaged block");
  for (std::size_t i = 1; i < bytes; ++i)
    parted[i] = static_cast<char>(parted[i] + parted[i - 1] - 128);
  std::string raw(bytes, '\0');
  for (std::size_t i = 0; i < bytes; ++i) raw[i] = parted[i / 2 + (i % 2) * ((bytes + 1) / 2)];
  return raw;
}

void read_header(Bytes& file, ExrPicture& picture) {
  if (file.number<std::int32_t>() != 20000630 || file.number<std::int32_t>() != 2)
    throw std::runtime_error("not an EXR image of scan lines");
  for (std::string name = file.name(); !name.empty(); name = file.name()) {
    static_cast<void>(file.name());
    picture.attributes[name] = file.take(file.number<std::uint32_t>());
  }
  Bytes window(picture.attributes.at("dataWindow"));
  const auto left = window.number<std::int32_t>();
  const auto top = window.number<std::int32_t>();
  picture.size_px.width = window.number<std::int32_t>() - left + 1;
  picture.size_px.height = window.number<std::int32_t>() - top + 1;
  Bytes channels(picture.attributes.at("channels"));
  for (std::string name = channels.name(); !name.empty(); name = channels.name()) {
    picture.types[name] = channels.number<std::int32_t>();
    static_cast<void>(channels.take(12));
  }
}

}  // namespace

ExrPicture exr_of(const std::string& bytes) {
  Bytes file(bytes);
  ExrPicture picture;
  read_header(file, picture);
  std::size_t row_bytes = 0;
  for (const auto& [name, type] : picture.types)
    row_bytes += (type == 1 ? 2U : 4U) * static_cast<std::size_t>(picture.size_px.width);
  std::vector<std::uint64_t> places((static_cast<std::size_t>(picture.size_px.height) + 15) / 16);
  for (std::uint64_t& place : places) place = file.number<std::uint64_t>();
  for (std::size_t block = 0; block < places.size(); ++block) {
    file.go_to(places[block]);
    const auto first = file.number<std::int32_t>();
    if (first != static_cast<std::int32_t>(block) * 16)
      throw std::runtime_error("an EXR image whose blocks are not in order");
    const int rows = std::min(16, picture.size_px.height - first);
    const std::string packed = file.take(file.number<std::uint32_t>());
    Bytes raw(unpacked(packed, row_bytes * static_cast<std::size_t>(rows)));
    for (int y = 0; y < rows; ++y)
      for (const auto& [name, type] : picture.types)
        for (int x = 0; x < picture.size_px.width; ++x)
          picture.channels[name].push_back(type == 1 ? float_of_half(raw.number<std::uint16_t>())
                                                     : raw.number<float>());
  }
  return picture;
}

ExrPicture read_exr(const std::filesystem::path& file) {
  return exr_of(read_text_file(file, std::size_t{1} << 30));
}

}  // namespace tilewall

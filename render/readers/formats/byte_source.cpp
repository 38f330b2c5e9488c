#include "render/readers/formats/byte_source.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "render/readers/formats/file_root.hpp"
#include "sync/base/check.hpp"

namespace tilewall::render {
namespace {

// Reads with pread until `into` is full or the file ends. Returns the number of bytes.
std::size_t read_at(int fd, std::uint64_t offset, std::span<std::byte> into) {
  std::size_t done = 0;
  while (done < into.size()) {
    const ssize_t got = check_sys(retry_eintr([&] {
                                    return ::pread(fd, into.data() + done, into.size() - done,
                                                   static_cast<off_t>(offset + done));
                                  }),
                                  "pread");
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

std::uint64_t size_of_file(int fd) {
  struct stat status = {};
  check_sys(::fstat(fd, &status), "fstat");
  return static_cast<std::uint64_t>(status.st_size);
}

// Value of a base64 letter, 0 to 63; 64 for '=', 255 for any other character.
std::uint8_t base64_value(char c) noexcept {
  if (c >= 'A' && c <= 'Z') return static_cast<std::uint8_t>(c - 'A');
  if (c >= 'a' && c <= 'z') return static_cast<std::uint8_t>(c - 'a' + 26);
  if (c >= '0' && c <= '9') return static_cast<std::uint8_t>(c - '0' + 52);
  return c == '+' ? 62 : c == '/' ? 63 : c == '=' ? 64 : 255;
}

class Base64Bytes final : public ByteSource {
 public:
  Base64Bytes(const std::filesystem::path& file, std::uint64_t offset, std::uint64_t length)
      : name_(file.string()), text_(file, offset, length) {}

  void read(std::uint64_t offset, std::span<std::byte> into) override {
    std::array<std::byte, 4096> text;
    std::uint64_t group = offset / 3;
    std::size_t skip = offset % 3;
    std::size_t done = 0;
    while (done < into.size()) {
      const std::size_t groups =
          std::min<std::size_t>((into.size() - done + skip + 2) / 3, text.size() / 4);
      text_.read(group * 4, std::span(text).first(groups * 4));
      for (std::size_t g = 0; g < groups; ++g) {
        std::uint32_t bits = 0;
        int letters = 0;
        for (std::size_t i = 0; i < 4; ++i) {
          const std::uint8_t value = base64_value(static_cast<char>(text[g * 4 + i]));
          if (value > 64)
            throw InputError({name_}, "data", "base64 text",
                             fmt::format("the byte {}", static_cast<int>(text[g * 4 + i])));
          bits = bits << 6 | (value & 63u);
          if (value < 64) ++letters;
        }
        for (std::size_t i = skip; i < 3 && done < into.size(); ++i) {
          if (static_cast<int>(i) + 1 >= letters)
            throw_bytes_missing(name_, offset + into.size(), offset + done);
          into[done++] = static_cast<std::byte>(bits >> (16 - 8 * i) & 255u);
        }
        skip = 0;
      }
      group += groups;
    }
  }

 private:
  std::string name_;
  FileBytes text_;
};

class SkippedBytes final : public ByteSource {
 public:
  SkippedBytes(ByteSourcePtr stream, std::uint64_t skip)
      : stream_(std::move(stream)), skip_(skip) {}
  void read(std::uint64_t offset, std::span<std::byte> into) override {
    stream_->read(skip_ + offset, into);
  }
  void finish(std::uint64_t total, bool more_is_borne) override {
    stream_->finish(skip_ + total, more_is_borne);
  }

 private:
  ByteSourcePtr stream_;
  std::uint64_t skip_;
};

}  // namespace

ByteSourcePtr skipped_bytes(ByteSourcePtr stream, std::int64_t skip, std::uint64_t length) {
  if (skip >= 0)
    return std::make_unique<SkippedBytes>(std::move(stream), static_cast<std::uint64_t>(skip));
  const std::uint64_t held = stream->measure();
  if (held < length)
    throw InputError("data: expected " + std::to_string(length) + " bytes, found " +
                     std::to_string(held));
  return std::make_unique<SkippedBytes>(std::move(stream), held - length);
}

void throw_bytes_missing(const std::string& name, std::uint64_t wanted, std::uint64_t found) {
  throw InputError({name}, "data", fmt::format("{} bytes", wanted), fmt::format("{} bytes", found));
}

FileBytes::FileBytes(const std::filesystem::path& file, std::uint64_t offset, std::uint64_t length)
    : name_(file.string()),
      fd_(FileRoot::of_process().open(file)),
      offset_(offset),
      length_(length) {
  const std::uint64_t size = size_of_file(fd_.get());
  length_ = std::min(length_, size > offset_ ? size - offset_ : 0);
}

void FileBytes::read(std::uint64_t offset, std::span<std::byte> into) {
  if (offset > length_ || into.size() > length_ - offset)
    throw_bytes_missing(name_, offset + into.size(), length_);
  const std::size_t got = read_at(fd_.get(), offset_ + offset, into);
  if (got < into.size()) throw_bytes_missing(name_, offset + into.size(), offset + got);
}

void MemoryBytes::read(std::uint64_t offset, std::span<std::byte> into) {
  if (offset > bytes_.size() || into.size() > bytes_.size() - offset)
    throw_bytes_missing(name_, offset + into.size(), bytes_.size());
  std::memcpy(into.data(), bytes_.data() + offset, into.size());
}

void ChainedBytes::read(std::uint64_t offset, std::span<std::byte> into) {
  while (!into.empty()) {
    const auto part = static_cast<std::size_t>(offset / part_bytes_);
    const std::uint64_t at = offset % part_bytes_;
    if (!open_ || open_number_ != part) {
      open_ = open_part_(part);
      open_number_ = part;
    }
    const auto count =
        static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), part_bytes_ - at));
    open_->read(at, into.first(count));
    if (at + count == part_bytes_) open_->finish(part_bytes_, false);
    into = into.subspan(count);
    offset += count;
  }
}

ByteSourcePtr base64_bytes(const std::filesystem::path& file, std::uint64_t offset,
                           std::uint64_t length) {
  return std::make_unique<Base64Bytes>(file, offset, length);
}

bool is_gzip(const std::filesystem::path& file) {
  const UniqueFd fd = FileRoot::of_process().open(file);
  std::array<std::byte, 2> magic = {};
  return read_at(fd.get(), 0, magic) == 2 && magic == std::array{std::byte{0x1f}, std::byte{0x8b}};
}

std::string first_bytes(const std::filesystem::path& file, std::size_t count) {
  std::string bytes(count, '\0');
  if (is_gzip(file)) {
    inflated_bytes(file, 0, Wrapper::gzip)->read(0, std::as_writable_bytes(std::span(bytes)));
    return bytes;
  }
  const UniqueFd fd = FileRoot::of_process().open(file);
  bytes.resize(read_at(fd.get(), 0, std::as_writable_bytes(std::span(bytes))));
  return bytes;
}

}  // namespace tilewall::render

// Sources of a volume's bytes: a file, part of it, several files, compressed or encoded streams.
//
// Offsets and lengths count bytes after decompression. Threads: one owner each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sync/base/handle.hpp"

namespace tilewall::render {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Number of bytes; empty if only reading to the end would tell.
  [[nodiscard]] virtual std::optional<std::uint64_t> size() const { return std::nullopt; }
  /// Fills `into` from `offset` on. Throws InputError with the file if it holds fewer bytes.
  virtual void read(std::uint64_t offset, std::span<std::byte> into) = 0;
  /// To be called after the last of `total` bytes was read. Throws InputError if a checksum behind
  /// them is wrong, or if more bytes follow and `more_is_borne` is false.
  virtual void finish(std::uint64_t /*total*/, bool /*more_is_borne*/) {}
  /// Number of bytes; reads to the end if size() is empty.
  [[nodiscard]] virtual std::uint64_t measure() { return size().value(); }
};
using ByteSourcePtr = std::unique_ptr<ByteSource>;

/// A part of a file: `length` bytes from `offset` on, or fewer if the file ends before.
class FileBytes final : public ByteSource {
 public:
  explicit FileBytes(const std::filesystem::path& file, std::uint64_t offset = 0,
                     std::uint64_t length = std::numeric_limits<std::uint64_t>::max());
  [[nodiscard]] std::optional<std::uint64_t> size() const override { return length_; }
  void read(std::uint64_t offset, std::span<std::byte> into) override;

 private:
  std::string name_;
  UniqueFd fd_;
  std::uint64_t offset_;
  std::uint64_t length_;
};

class MemoryBytes final : public ByteSource {
 public:
  MemoryBytes(std::string name, std::vector<std::byte> bytes)
      : name_(std::move(name)), bytes_(std::move(bytes)) {}
  [[nodiscard]] std::optional<std::uint64_t> size() const override { return bytes_.size(); }
  void read(std::uint64_t offset, std::span<std::byte> into) override;

 private:
  std::string name_;
  std::vector<std::byte> bytes_;
};

/// Concatenates parts of the same length, of which one is open at a time.
class ChainedBytes final : public ByteSource {
 public:
  using OpenPart = std::function<ByteSourcePtr(std::size_t part)>;
  /// Each part gives `part_bytes` bytes.
  ChainedBytes(std::uint64_t part_bytes, OpenPart open_part)
      : part_bytes_(part_bytes), open_part_(std::move(open_part)) {}
  void read(std::uint64_t offset, std::span<std::byte> into) override;

 private:
  std::uint64_t part_bytes_;
  OpenPart open_part_;
  std::size_t open_number_ = 0;
  ByteSourcePtr open_;  // part open_number_; null before the first
};

enum class Wrapper : std::uint8_t { gzip, zlib };

/// Decompresses a deflate stream (RFC 1950 to 1952) that begins at `offset` of the file. Reading
/// backwards starts again from the stream's beginning.
[[nodiscard]] ByteSourcePtr inflated_bytes(const std::filesystem::path& file, std::uint64_t offset,
                                           Wrapper wrapper);

/// Skips the first `skip` bytes of a stream. -1 means all but the last `length` bytes, which are
/// found by reading to the end.
[[nodiscard]] ByteSourcePtr skipped_bytes(ByteSourcePtr stream, std::int64_t skip,
                                          std::uint64_t length);

/// Decodes base64 text (RFC 4648) of `length` characters from `offset` of the file on. White space
/// inside is refused.
[[nodiscard]] ByteSourcePtr base64_bytes(const std::filesystem::path& file, std::uint64_t offset,
                                         std::uint64_t length);

/// Throws InputError: expected `wanted` bytes, found `found`.
[[noreturn]] void throw_bytes_missing(const std::string& name, std::uint64_t wanted,
                                      std::uint64_t found);

/// Whether the file begins with gzip's signature. Throws InputError if it cannot be read.
[[nodiscard]] bool is_gzip(const std::filesystem::path& file);

/// Returns the first `count` bytes of a file, unpacked if it is gzip; fewer if a plain file is
/// shorter. Throws InputError if it cannot be read, or a gzip stream is shorter.
[[nodiscard]] std::string first_bytes(const std::filesystem::path& file, std::size_t count);

}  // namespace tilewall::render

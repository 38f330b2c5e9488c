// Where a volume's bytes lie: in a file, in a compressed one, in several.
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
  /// How many there are; empty where only reading tells.
  [[nodiscard]] virtual std::optional<std::uint64_t> size() const { return std::nullopt; }
  /// All of `into`, from `offset` on. Throws InputError naming the file where it holds fewer.
  virtual void read(std::uint64_t offset, std::span<std::byte> into) = 0;
  /// After the last of `total` bytes: throws InputError where a checksum behind them is wrong, or
  /// more bytes follow and those are not borne.
  virtual void finish(std::uint64_t /*total*/, bool /*more_is_borne*/) {}
  /// Where size() is empty: reads to the end, and tells how far that was.
  [[nodiscard]] virtual std::uint64_t measure() { return size().value(); }
};
using ByteSourcePtr = std::unique_ptr<ByteSource>;

/// A part of a file; all from `offset` on without a length.
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

/// Parts of the same length, one after the other; one is open at a time.
class ChainedBytes final : public ByteSource {
 public:
  using OpenPart = std::function<ByteSourcePtr(std::size_t part)>;
  /// `part_bytes` are taken of each.
  ChainedBytes(std::uint64_t part_bytes, OpenPart open_part)
      : part_bytes_(part_bytes), open_part_(std::move(open_part)) {}
  void read(std::uint64_t offset, std::span<std::byte> into) override;

 private:
  std::uint64_t part_bytes_;
  OpenPart open_part_;
  std::size_t open_number_ = 0;
  ByteSourcePtr open_;  // part open_number_, once there is one
};

enum class Wrapper : std::uint8_t { gzip, zlib };

/// What a deflated stream holds. Reading backwards starts it again from its beginning.
[[nodiscard]] ByteSourcePtr inflated_bytes(const std::filesystem::path& file, std::uint64_t offset,
                                           Wrapper wrapper);

/// What follows the first `skip` bytes, or where that is -1, the last `length` of an unpacked
/// stream: where they begin, reading it through tells.
[[nodiscard]] ByteSourcePtr skipped_bytes(ByteSourcePtr stream, std::int64_t skip,
                                          std::uint64_t length);

/// What base64 text stands for, from `offset` on, without white space inside.
[[nodiscard]] ByteSourcePtr base64_bytes(const std::filesystem::path& file, std::uint64_t offset,
                                         std::uint64_t length);

[[noreturn]] void throw_bytes_missing(const std::string& name, std::uint64_t wanted,
                                      std::uint64_t found);

/// By its first bytes. Throws InputError for a file that cannot be read.
[[nodiscard]] bool is_gzip(const std::filesystem::path& file);

/// The first bytes of a file, at most `count`, unpacked where it is gzip. Throws InputError.
[[nodiscard]] std::string first_bytes(const std::filesystem::path& file, std::size_t count);

}  // namespace tilewall::render

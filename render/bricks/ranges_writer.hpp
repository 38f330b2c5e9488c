// Writes the ranges of a timestep's bricks while they are made (brick_ranges.hpp has the format).
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "render/bricks/brick_ranges.hpp"

namespace tilewall {

class RangesWriter {
 public:
  /// Opens the file of a level, or makes it at its full length. Throws JobError.
  RangesWriter(const std::filesystem::path& file, const RangesPlan& plan);

  [[nodiscard]] const RangesPlan& plan() const noexcept { return plan_; }
  /// Any number of threads; throw JobError.
  void write_cells(std::size_t brick, std::span<const std::byte> pairs) const;
  /// Of neighbouring bricks, from `first_brick` on.
  void write_bricks(std::size_t first_brick, std::span<const std::byte> pairs) const;

 private:
  void write(std::span<const std::byte> bytes, std::uint64_t offset) const;

  RangesPlan plan_;
  std::string file_;
  UniqueFd fd_;
};

}  // namespace tilewall

// Which run of a machine a CLOCK_MONOTONIC belongs to.
#pragma once

#include <cstdint>
#include <string_view>

namespace tilewall {

/// The kernel's boot id folded to 64 bits; never 0. Another value: another time axis. Throws
/// JobError where the kernel does not tell.
[[nodiscard]] std::uint64_t boot_id();

/// Folds a text such as "3f1c...-...": its bytes' hash. For boot_id() and its test.
[[nodiscard]] std::uint64_t fold_boot_id(std::string_view text) noexcept;

}  // namespace tilewall

// Transfer functions that need no file, all over shares of the range, with the default opacity.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "render/transfer/transfer_spec.hpp"

namespace tilewall::render {

/// Names of the built-in functions. "default" is viridis: even steps of the data look even, to
/// colour-blind eyes too.
[[nodiscard]] std::span<const std::string_view> transfer_names() noexcept;

/// A function of transfer_names(), in letters of either case; "NAME_r" is the same with its colours
/// in reverse. Empty for any other name.
[[nodiscard]] std::optional<TransferSpec> named_transfer(std::string_view name);

}  // namespace tilewall::render

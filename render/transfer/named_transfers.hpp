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

/// Empty for a name that is none of transfer_names().
[[nodiscard]] std::optional<TransferSpec> named_transfer(std::string_view name);

}  // namespace tilewall::render

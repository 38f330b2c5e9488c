// The log that `present` writes.
#pragma once

#include "player/cli/present/present_options.hpp"

namespace tilewall::cli {

/// The absolute path of a presentation's log; "" = none is written. Throws InputError where it
/// cannot be written.
[[nodiscard]] std::filesystem::path log_file(const PresentArguments& arguments);

/// The first line of a log: how the show was started. `wall` is the show's.
[[nodiscard]] std::string log_head(const PresentArguments& arguments, const wall::Wall& wall);

}  // namespace tilewall::cli

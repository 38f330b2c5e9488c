// The log that `present` writes, and the options that a replay takes from one.
#pragma once

#include "player/cli/present/present_options.hpp"

namespace tilewall::cli {

/// The absolute path of a presentation's log; "" = none is written. Throws InputError where it
/// cannot be written, and where it is the log that is replayed, or the report. Leaves no new file.
[[nodiscard]] std::filesystem::path log_file(const PresentArguments& arguments);

/// The first line of a log: how the show was started. `wall` is the show's.
[[nodiscard]] std::string log_head(const PresentArguments& arguments, const wall::Wall& wall);

/// The options of a replay: those of the recorded show, unless others are typed. Throws InputError
/// naming the log's field that is wrong.
[[nodiscard]] PresentArguments recorded_arguments(const PresentArguments& typed,
                                                  const director::Recording& recording);

}  // namespace tilewall::cli

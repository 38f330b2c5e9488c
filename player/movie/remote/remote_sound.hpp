// The sound of a movie on a server, brought to this host.
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>

#include "sync/base/handle.hpp"

namespace tilewall {

/// Fetches it by ranges into a file in `folder` that has no name, and goes with the descriptor.
/// Throws InputError where there is none or it is too large, JobError where it does not come or
/// cannot be written; empty when `stop` was requested.
[[nodiscard]] UniqueFd fetch_remote_sound(const std::string& url,
                                          const std::filesystem::path& folder,
                                          const std::stop_token& stop);

}  // namespace tilewall

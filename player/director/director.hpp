// The director: runs one show. It makes the panels ready, starts them at one instant, answers keys
// and control requests with new scenes, keeps the statistics and writes the report.
//
// Threads: one; its clock client owns another.
#pragma once

#include <string_view>

#include "player/director/show_options.hpp"
#include "sync/base/handle.hpp"

namespace tilewall::director {

/// What the director writes among the lines for the operator once the show has begun. The
/// supervisor takes it out again.
inline constexpr std::string_view begun_news = "(begun)";

/// Runs until the show ends or SIGTERM comes. `listening`: the control port. `news_fd`: lines for
/// the operator are written there, at once or not at all. Returns the exit code; the reason of a
/// failure is the report's "error".
int run_director(const ShowOptions& options, UniqueFd listening, int news_fd);

}  // namespace tilewall::director

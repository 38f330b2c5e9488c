// The director runs one show. It makes the panels ready, starts them at one instant, answers keys
// and control requests with new scenes, keeps the statistics and writes the report.
//
// Threads: the director's own. Parts own others, which the README names.
#pragma once

#include <string_view>

#include "player/director/show_options.hpp"
#include "sync/base/handle.hpp"

namespace tilewall::director {

/// The line among those for the operator that tells the supervisor that the show has begun. It does
/// not reach the operator.
inline constexpr std::string_view begun_news = "(begun)";
/// The same, for the end: panels that end from now on do so in order.
inline constexpr std::string_view ending_news = "(ending)";
/// The beginning of a line that orders another launcher for a host. The index of one of the host's
/// panels and ")" follow.
inline constexpr std::string_view restart_launcher_news = "(restart launcher of panel ";
/// Lines with an order about the flight path that the supervisor keeps, in the order of the values
/// of KeyframeOrder.
inline constexpr std::string_view keyframe_news[] = {"(add key frame)", "(remove key frame)",
                                                     "(preview path)", "(stop preview)"};

/// Runs until the show ends or SIGTERM arrives. `listening` is the control port. Lines for the
/// operator are written to `news_fd`, without blocking. Returns the exit code; the report's "error"
/// has the reason of a failure.
int run_director(const ShowOptions& options, UniqueFd listening, int news_fd);

}  // namespace tilewall::director

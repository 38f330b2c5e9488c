// The survey of one host: runs what a request asks for, within its deadline.
//
// Threads: the caller's only. The calling process has one thread, because checks are forked from
// it.
#pragma once

#include "player/survey/survey_answer.hpp"
#include "player/survey/survey_request.hpp"

namespace tilewall::survey {

/// Checks everything that the request names, and returns at request.limit at the latest, whatever
/// disks and displays do. Threads that hang are those of child processes, which are left behind.
[[nodiscard]] SurveyAnswer survey_host(const SurveyRequest& request);

// The single checks, which may block for as long as a disk or a display does.

[[nodiscard]] SurveyCheck check_version(const std::string& expected);
[[nodiscard]] SurveyCheck check_memory(std::uint64_t needed_bytes);
[[nodiscard]] SurveyCheck check_logs(const LogsSubject& logs);
/// Follows the clock daemon for about a second. Its key is that of the show (net/show_keys.hpp).
[[nodiscard]] SurveyCheck check_clock(const ClockSubject& clock);
[[nodiscard]] SurveyCheck check_server(const ServerSubject& server);
/// Connects to the display, and finds out what draws there. Sets DISPLAY of this process.
[[nodiscard]] SurveyCheck check_display(const DisplaySubject& display);

/// The memory that processes can get without swapping, from /proc/meminfo; 0 where it is unknown.
[[nodiscard]] std::uint64_t available_memory_bytes();

}  // namespace tilewall::survey

// The environment variables through which a show's secrets reach its processes, in hexadecimal.
// Unset or empty: no key, for walls on one machine.
#pragma once

namespace tilewall::net {

inline constexpr const char* control_secret_variable = "TILEWALL_CONTROL_SECRET";
inline constexpr const char* clock_secret_variable = "TILEWALL_CLOCK_SECRET";
/// Key of the servers of movies and volumes; empty without --key-file.
inline constexpr const char* stream_secret_variable = "TILEWALL_STREAM_SECRET";

}  // namespace tilewall::net

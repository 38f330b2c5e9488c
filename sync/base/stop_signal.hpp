// SIGTERM and SIGINT as a flag that a loop looks at.
#pragma once

namespace tilewall {

/// From now on these signals set the flag instead of ending the process.
void catch_stop_signals();

[[nodiscard]] bool stop_signal_received() noexcept;

}  // namespace tilewall

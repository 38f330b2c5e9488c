// The clock daemon as a program runs it: address, key, announcement, UTC anchor, end.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "net/clock/clock_server.hpp"
#include "net/socket.hpp"

namespace tilewall::net {

struct ClockDaemonOptions {
  std::string listen = "127.0.0.1:7641";
  std::filesystem::path key_file;  ///< empty: no key
  std::filesystem::path
      announce_file;                  ///< "HOST:PORT\n" is written there once bound; empty: nowhere
  std::filesystem::path anchor_file;  ///< keeps the UTC anchor over restarts; empty: not kept
  std::string follow = {};            ///< "HOST:PORT" of the wall's other daemon; empty: none
};

/// UTC since 1970 is global time plus this; kept for one boot of the daemon's machine.
struct UtcAnchor {
  std::uint64_t boot_id = 0;
  Nanos utc_minus_global{0};
};

/// The whole daemon, on the calling thread, until `stop_fd` is readable. `on_ready` is told where
/// it listens. With `follow` another thread keeps to the other daemon's axis; what it knows of that
/// lies beside the anchor file as well, in "FILE.axis", and outlives this process. Throws
/// InputError for a bad address, one beyond loopback without a key, a bad key file; JobError where
/// the port is in use or a file cannot be written.
void run_clock_daemon(const ClockDaemonOptions& options, int stop_fd,
                      const std::function<void(const SocketAddress&)>& on_ready);

/// The daemon on a bound UDP socket (without a key: on loopback), until SIGTERM or SIGINT, which it
/// blocks.
/// @pre the process has one thread. Returns the exit code.
int serve_clock(int socket, std::optional<AuthKey> key);

/// The anchor that `path` holds for this boot; otherwise (no file, another boot, not an anchor) a
/// new one by CLOCK_REALTIME, written there. An empty path keeps nothing.
[[nodiscard]] UtcAnchor keep_utc_anchor(const std::filesystem::path& path, std::uint64_t boot_id);

// Which run of a machine a CLOCK_MONOTONIC belongs to.

/// The kernel's boot id folded to 64 bits; never 0. Another value: another time axis. Throws
/// JobError where the kernel does not tell.
[[nodiscard]] std::uint64_t boot_id();

/// Folds a text such as "3f1c...-...": its bytes' hash. For boot_id() and its test.
[[nodiscard]] std::uint64_t fold_boot_id(std::string_view text) noexcept;

}  // namespace tilewall::net

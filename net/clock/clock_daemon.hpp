// The clock daemon as a program: address, key, announcement of its port, UTC anchor, end.
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

/// Runs the whole daemon on the calling thread until `stop_fd` is readable. Calls `on_ready` with
/// the address that it listens on. With `follow` a second thread follows the other daemon's axis,
/// and keeps its clock page in "FILE.axis" beside the anchor file, where the next process finds it.
/// Throws InputError for a bad address, for an address beyond loopback without a key, and for a bad
/// key file. Throws JobError where the port is in use or a file cannot be written.
void run_clock_daemon(const ClockDaemonOptions& options, int stop_fd,
                      const std::function<void(const SocketAddress&)>& on_ready);

/// Runs the daemon on a bound UDP socket until SIGTERM or SIGINT, which it blocks. Without a key
/// the socket must be bound to loopback. `on_turn` is called ten times a second or more. Returns
/// the exit code. @pre the process has one thread
int serve_clock(int socket, std::optional<AuthKey> key, const std::function<void()>& on_turn = {});

/// Reads the anchor that `path` holds for this boot. Where there is none (no file, another boot, no
/// anchor in it), makes a new one from CLOCK_REALTIME and writes it there. An empty path keeps
/// nothing.
[[nodiscard]] UtcAnchor keep_utc_anchor(const std::filesystem::path& path, std::uint64_t boot_id);

// Identifies the boot of a machine that a CLOCK_MONOTONIC belongs to.

/// The kernel's boot id folded to 64 bits; never 0. A machine that starts anew has another one, and
/// so another time axis. Throws JobError where the kernel gives none.
[[nodiscard]] std::uint64_t boot_id();

/// Hash of a text such as "3f1c...-...". A function of its own for the test of boot_id().
[[nodiscard]] std::uint64_t fold_boot_id(std::string_view text) noexcept;

}  // namespace tilewall::net

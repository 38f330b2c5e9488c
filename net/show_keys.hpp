// The keys of a show's protocols. All are derived from one secret, the bytes of a file that only
// its user may read: the wall's key file (--key-file), or one that the supervisor has made in the
// run directory. What reaches a show's processes is the file's path, in an environment variable:
// the secret itself is in no environment, on no command line, and is sent to no host.
//
// A key of one protocol reveals nothing of those of the others.
//
// Threads: the environment is set before a process has threads.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "net/auth_key.hpp"
#include "net/socket.hpp"

namespace tilewall::net {

/// The names of the protocols, with commas, whose servers outside the show have no key: they were
/// started by hand, on this machine, and a show without --key-file cannot share its secret with
/// them.
inline constexpr const char* keyless_variable = "TILEWALL_KEYLESS";

/// control: the director's port. clock: the clock daemon. stream: slabs of movies and volumes, and
/// timesteps of simulations.
enum class Protocol { control, clock, stream };

/// The key of a protocol whose secret was read already, or is none of a file.
[[nodiscard]] AuthKey protocol_key(const AuthKey& secret, Protocol protocol);

/// The same of a secret file. Throws InputError naming the file where it is too short, where
/// others than its user may read it, or where it is somebody else's.
[[nodiscard]] AuthKey key_from_file(const std::filesystem::path& path, Protocol protocol);

/// The key that the processes of this show share. Throws InputError where the environment names no
/// secret file, and as key_from_file() does.
[[nodiscard]] AuthKey key_of(Protocol protocol);

/// The key of servers that are none of this show's processes: the clock daemons that a wall file
/// names, servers of movies and volumes, and simulations. Empty where they have none. Throws as
/// key_from_file() does.
[[nodiscard]] std::optional<AuthKey> outer_key_of(Protocol protocol);

/// Keeps the secret of the file that the environment names in memory: this process and its forks
/// find the keys after the file is gone, too. A process that holds it must not read foreign files
/// in a fork (sync/base/confined_call.hpp). Throws as AuthKey::from_file() does.
void hold_secret();

/// Throws InputError naming the peer where it is on another machine and there is no key: without
/// one, not even a first byte leaves this machine.
void require_key_beyond_loopback(const SocketAddress& peer, bool has_key);

/// Whose secret a file holds: the wall's, which servers outside the show have too, or the show's
/// alone.
enum class SecretOwner { wall, show };
/// Whether the wall file names the clock daemons, or the show has its own.
enum class ClockOwner { wall, show };

/// Tells this process and those that it starts later which file has their secret. An empty path:
/// they have none. Throws as AuthKey::from_file() does.
void use_secret_file(const std::filesystem::path& path, SecretOwner owner = SecretOwner::wall,
                     ClockOwner clock = ClockOwner::wall);

}  // namespace tilewall::net

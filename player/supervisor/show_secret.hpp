// The secret from which the keys of a show or a survey are derived (net/show_keys.hpp), and who may
// do without a key file.
//
// Threads: called before the process has threads.
#pragma once

#include <filesystem>

#include "wallconfigs/wall.hpp"

namespace tilewall::supervisor {

/// Throws InputError that names a host or a clock daemon of the wall on another machine, where
/// there is no key file: its processes could not get a secret without sending it over the network.
void require_key_for_hosts(const wall::Wall& wall, bool local,
                           const std::filesystem::path& key_file);

/// Writes the secret to the new file `copy`, which only this user may read: that of the key file,
/// or 32 random bytes where `key_file` is empty. Then names the file with the secret to the
/// processes that this one starts: the key file, which all hosts have at this path, or the copy.
/// Roles that this process forks have the secret in memory, and outlive both files.
/// Throws InputError as net::AuthKey::from_file() does.
void share_secret(const wall::Wall& wall, const std::filesystem::path& key_file,
                  const std::filesystem::path& copy);

}  // namespace tilewall::supervisor

#include "player/supervisor/show_secret.hpp"

#include <fmt/format.h>

#include "net/auth_key.hpp"
#include "net/interfaces.hpp"
#include "net/show_keys.hpp"
#include "net/socket.hpp"
#include "player/supervisor/launch.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "sync/base/private_files.hpp"

namespace tilewall::supervisor {
namespace {

/// A name that does not resolve here is that of another machine, or means one to a remote shell.
bool is_this_machine(const std::string& address) {
  try {
    return net::interface_towards(net::resolve(address + ":0", "hosts")) == "lo";
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace

void require_key_for_hosts(const wall::Wall& wall, bool local,
                           const std::filesystem::path& key_file) {
  if (!key_file.empty()) return;
  for (const std::string& clock : {wall.clock_address, wall.standby_clock_address})
    if (!clock.empty())
      net::require_key_beyond_loopback(net::resolve(clock, "clock_address"), false);
  if (local) return;
  for (const LaunchHost& host : launch_hosts(wall, local))
    if (!host.is_this_machine() && !is_this_machine(host.address))
      throw InputError(
          {"--key-file"}, "",
          fmt::format("the wall's key, because {} ({}) is another machine: make one with 'tilewall "
                      "key new FILE', and copy it to the same path on every host",
                      host.label(), host.address),
          "nothing");
}

void share_secret(const wall::Wall& wall, const std::filesystem::path& key_file,
                  const std::filesystem::path& copy) {
  const auto clock = wall.clock_address.empty() ? net::ClockOwner::show : net::ClockOwner::wall;
  if (key_file.empty()) {
    write_private_file(copy, net::random_secret_hex() + "\n");
    net::use_secret_file(copy, net::SecretOwner::show, clock);
  } else {
    net::use_secret_file(key_file, net::SecretOwner::wall, clock);
    write_private_file(copy, read_private_file(key_file, net::AuthKey::longest_bytes));
  }
  net::hold_secret();
}

}  // namespace tilewall::supervisor

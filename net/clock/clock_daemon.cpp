#include "net/clock/clock_daemon.hpp"

#include <sodium.h>

#include <charconv>
#include <cstring>
#include <tuple>

#include "net/clock/clock_client.hpp"
#include "net/clock/clock_page.hpp"
#include "net/show_keys.hpp"
#include "sync/base/check.hpp"
#include "sync/base/file.hpp"
#include "sync/base/stop_signals.hpp"
#include "sync/clock/time_axis_role.hpp"
#include "sync/pacing/thread_priority.hpp"

namespace tilewall::net {

namespace {

void require_key_to_listen(const SocketAddress& address, bool has_key) {
  if (address.loopback() || has_key) return;
  throw InputError({"--listen"}, "",
                   fmt::format("a loopback address such as 127.0.0.1:{}, or the wall's key with "
                               "--key-file FILE (make one with 'tilewall key new FILE', the same "
                               "on all hosts)",
                               default_clock_port),
                   to_string(address) + " without a key");
}

/// Parses "BOOT_ID_HEX UTC_MINUS_GLOBAL_NS\n"; empty for any other text.
std::optional<UtcAnchor> parse_anchor(std::string_view text) noexcept {
  UtcAnchor anchor;
  std::int64_t offset_ns = 0;
  const char* const end = text.data() + text.size();
  const auto id = std::from_chars(text.data(), end, anchor.boot_id, 16);
  if (id.ec != std::errc{} || id.ptr == end || *id.ptr != ' ') return std::nullopt;
  const auto offset = std::from_chars(id.ptr + 1, end, offset_ns);
  if (offset.ec != std::errc{} || std::string_view(offset.ptr, end) != "\n") return std::nullopt;
  anchor.utc_minus_global = Nanos{offset_ns};
  return anchor;
}

std::optional<UtcAnchor> read_anchor(const std::filesystem::path& path) {
  if (path.empty() || !std::filesystem::exists(path)) return std::nullopt;
  return parse_anchor(read_text_file(path, 128));
}

/// Follows the wall's other daemon, whose axis this one serves too.
class OtherDaemon {
 public:
  /// `is_same_boot`: whether the state kept by an earlier process was measured by this boot's
  /// clock.
  OtherDaemon(const ClockDaemonOptions& options, const std::optional<AuthKey>& key,
              bool is_same_boot) {
    ClockClientOptions client;
    client.daemons = {resolve(options.follow, "--follow")};
    client.key = key;
    client.follower = sync::ClockFollower::for_carrier();
    if (!options.anchor_file.empty()) {
      std::filesystem::path kept = options.anchor_file;
      kept += ".axis";
      if (!is_same_boot) std::filesystem::remove(kept);
      page_.emplace(kept);
      client.previous = page_->previous();
      client.on_publish = [this](const sync::ClockStatus& status) { page_->publish(status); };
    }
    client_.emplace(client);
  }

  [[nodiscard]] sync::ClockStatus status() const noexcept { return client_->status(); }

 private:
  std::optional<ClockPageWriter> page_;
  std::optional<ClockClient> client_;  // after the page that its thread writes
};

}  // namespace

UtcAnchor keep_utc_anchor(const std::filesystem::path& path, std::uint64_t boot_id) {
  if (const auto kept = read_anchor(path); kept && kept->boot_id == boot_id) return *kept;
  const ClockPair now = read_clock_pair();
  const UtcAnchor anchor{boot_id, now.realtime - now.before.since_epoch};
  if (!path.empty())
    write_file_atomically(
        path, fmt::format("{:x} {}\n", anchor.boot_id, anchor.utc_minus_global.count()));
  return anchor;
}

int serve_clock(int socket, std::optional<AuthKey> key, const std::function<void()>& on_turn) {
  const UniqueFd stop = stop_signal_fd();
  // The daemon only answers and sleeps; a late answer only widens bounds.
  std::ignore = sync::try_realtime_priority();
  const UtcAnchor anchor = keep_utc_anchor({}, boot_id());
  sync::TimeAxisRole role(anchor.boot_id, anchor.utc_minus_global, false, local_now());
  ClockServer(socket, key, [&](LocalInstant now) {
    return role.word({}, now);
  }).run(stop.get(), on_turn);
  return exit_done;
}

void run_clock_daemon(const ClockDaemonOptions& options, int stop_fd,
                      const std::function<void(const SocketAddress&)>& on_ready) {
  std::optional<AuthKey> key;
  if (!options.key_file.empty()) key = key_from_file(options.key_file, Protocol::clock);
  const SocketAddress wanted = resolve(options.listen, "--listen");
  require_key_to_listen(wanted, key.has_value());
  const UniqueFd socket = bind_udp(wanted);
  const SocketAddress address = local_address(socket.get());
  const auto kept = read_anchor(options.anchor_file);
  const UtcAnchor anchor = keep_utc_anchor(options.anchor_file, boot_id());
  std::optional<OtherDaemon> other;
  if (!options.follow.empty()) other.emplace(options, key, kept && kept->boot_id == anchor.boot_id);
  sync::TimeAxisRole role(anchor.boot_id, anchor.utc_minus_global, other.has_value(), local_now());
  ClockServer server(socket.get(), key, [&](LocalInstant now) {
    return role.word(other ? other->status() : sync::ClockStatus{}, now);
  });
  if (!options.announce_file.empty())
    write_file_atomically(options.announce_file, to_string(address) + "\n");
  std::ignore = sync::try_realtime_priority();
  on_ready(address);
  server.run(stop_fd);
}

std::uint64_t fold_boot_id(std::string_view text) noexcept {
  std::ignore = ::sodium_init();  // cannot fail for hashes; idempotent
  unsigned char hash[crypto_generichash_BYTES_MIN];
  ::crypto_generichash(hash, sizeof hash, reinterpret_cast<const unsigned char*>(text.data()),
                       text.size(), nullptr, 0);
  std::uint64_t id = 0;
  std::memcpy(&id, hash, sizeof id);
  return id == 0 ? 1 : id;
}

std::uint64_t boot_id() {
  constexpr const char* path = "/proc/sys/kernel/random/boot_id";
  try {
    return fold_boot_id(read_text_file(path, 64));
  } catch (const InputError& error) {
    throw JobError(error.what());
  }
}

}  // namespace tilewall::net

// Transport of a client's session over TCP: one or more connections ("stripes", stripe.hpp), whose
// chunks are received straight into their slabs. The first stripe carries requests and cancels.
//
// Threads: one owner.
#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <vector>

#include "net/interfaces.hpp"
#include "net/slab/client_connection.hpp"
#include "net/slab/client_transport.hpp"
#include "net/slab/stripe.hpp"
#include "net/slab/tcp_window.hpp"

namespace tilewall::net {

/// TCP parameters of a session's stripes, for reports.
struct StripeTuning {
  std::uint64_t window_bytes = 0;         ///< most bytes in flight on all stripes; 0 without TCP
  std::uint64_t wanted_window_bytes = 0;  ///< larger if a kernel gave less than wanted
  std::string congestion_control;         ///< the server's on the first stripe: "bbr", "cubic"
  Nanos round_trip{0};                    ///< TCP's round trip when the session began
};

/// A listening socket for stripes that the server connects.
struct StripeListener {
  UniqueFd socket;   ///< empty: this side connects the stripes
  TcpWindow window;  ///< Window of each stripe
};
/// Listens at an address, with any port. Throws as listen_tcp().
[[nodiscard]] StripeListener listen_for_stripes(const SocketAddress& address, int stripes,
                                                Nanos round_trip);

class ClientTcpTransport final : public ClientTransport {
 public:
  /// Opens the stripes one after the other, each within `limit`: connects them, or accepts them
  /// from `listener` if it has a socket. `round_trip` is TCP's round trip on the control
  /// connection. `requests` and `counters` are the session's and outlive this. Throws as
  /// ClientSession.
  ClientTcpTransport(const SocketAddress& server, const SlabSessionOptions& options,
                     const SessionStart& session, Nanos round_trip, const StripeListener& listener,
                     SlabRequests& requests, ReceiveCounters& counters, SealKind seal,
                     std::chrono::milliseconds limit);

  void send_request(std::uint32_t request, const PendingSlab& pending, LocalInstant now) override;
  void cancel(std::span<const std::uint32_t> requests) override;
  void watch(std::vector<pollfd>& watched) const override;
  [[nodiscard]] LocalInstant due() const override { return SlabRequests::no_deadline; }
  [[nodiscard]] bool step(LocalInstant now, std::vector<FinishedSlab>& finished) override;
  void count(ReceiveCounters& /*counters*/) const override {}

  [[nodiscard]] const StripeTuning& tuning() const noexcept { return tuning_; }

 private:
  struct Stripe {
    UniqueFd socket;
    StripeReader reader;
    StripeWriter writer;
  };
  /// A request or a cancel that waits for the first stripe.
  struct Waiting {
    StripeHeader header = {};
    std::vector<std::byte> payload;
  };

  void connect_stripe(const SocketAddress& server, const SlabSessionOptions& options,
                      std::uint64_t session, int index, const InterfaceShare& share,
                      std::chrono::milliseconds limit);
  void begin_stripe(MessageStream stream, const SocketAddress& server,
                    const std::optional<AuthKey>& key, const SlabHandshake::Stripe& stripe,
                    const TcpWindow& window, LocalInstant until);
  [[nodiscard]] bool read_stripes(LocalInstant now, std::vector<FinishedSlab>& finished);
  [[nodiscard]] bool write_stripes();
  void forget(std::uint32_t request);

  SlabRequests& requests_;
  ReceiveCounters& counters_;
  PacketSeal to_client_;
  PacketSeal to_server_;
  StripeTuning tuning_;
  std::list<Stripe> stripes_;
  std::list<Waiting> waiting_;
};

}  // namespace tilewall::net

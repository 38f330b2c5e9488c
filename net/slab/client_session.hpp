// The client's side of a session with one slab server, whichever side connected: the control
// connection, the requests that are not answered yet, and the transport that the client chose.
//
// Threads: one owner, who waits on watched() until due() and then calls step(). Only the
// constructor blocks.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <vector>

#include "net/slab/client_connection.hpp"
#include "net/slab/client_tcp_transport.hpp"
#include "net/slab/client_transport.hpp"
#include "net/slab/slab_acceptor.hpp"
#include "net/slab/slab_buffer.hpp"
#include "net/slab/slab_requests.hpp"

namespace tilewall::net {

class ClientSession {
 public:
  /// Connects and completes the handshake, both within `limit`; stripes of TCP take up to `limit`
  /// each after that. Throws JobError if the server does not answer, and InputError if it refuses
  /// or does not have this side's key. `pool` outlives this.
  ClientSession(const SocketAddress& server, const SlabSessionOptions& options, SlabPool& pool,
                std::chrono::milliseconds limit);
  /// Begins a session with a provider that has connected (slab_acceptor.hpp), within `limit`, and
  /// proves both sides. Listens on a port of its own for the session, at the address to which the
  /// provider connected. Throws as above, and InputError if `options` name interfaces.
  ClientSession(Offered offered, const SlabSessionOptions& options, SlabPool& pool,
                std::chrono::milliseconds limit);
  ClientSession(const ClientSession&) = delete;
  ClientSession& operator=(const ClientSession&) = delete;

  struct Events {
    std::vector<FinishedSlab> slabs;
    std::vector<nlohmann::json> answers;  ///< answers to ask(), in the server's order
    std::vector<nlohmann::json> told;     ///< objects that the server's application sent unasked
  };

  /// Requests a slab and returns the request's number. After `until` the slab is of no
  /// use; if that leaves no time for repairs, the server sends parity with it. Where the server may
  /// take its time, `kind` says so: silent_since() ignores the request then. A slab of more than
  /// `most_bytes` is never received. @pre payload.size() <= largest_request_bytes; over TCP,
  /// has_room(payload.size())
  [[nodiscard]] std::uint32_t fetch(std::span<const std::byte> payload,
                                    LocalInstant until = no_deadline,
                                    RequestKind kind = RequestKind::prompt,
                                    std::uint64_t most_bytes = largest_slab_bytes);
  /// Whether the server heeds one more request now, of such a payload. Over UDP a request beyond
  /// that is repeated until there is room; over TCP it is never answered.
  [[nodiscard]] bool has_room(std::size_t payload_bytes) const noexcept {
    return requests_.has_room(payload_bytes);
  }
  /// Number of open requests of RequestKind::prompt.
  [[nodiscard]] std::size_t prompt_requests() const noexcept { return requests_.prompt(); }
  static constexpr LocalInstant no_deadline = SlabRequests::no_deadline;
  void cancel(const std::vector<std::uint32_t>& requests);
  void ask(const nlohmann::json& question) { control_.ask(question); }

  /// Descriptors and events to wait for.
  [[nodiscard]] std::vector<pollfd> watched() const;
  /// Instant at which step() has work even if no descriptor is ready.
  [[nodiscard]] LocalInstant due() const { return transport_->due(); }
  /// Receives, acks and repeats requests without blocking, and appends to `events`. Returns false
  /// once the server is gone, or the session has made all 2^32 requests that it can number. Throws
  /// InputError if the seal of a control message is wrong.
  [[nodiscard]] bool step(LocalInstant now, Events& events);

  /// While prompt requests are open: when the last piece arrived or the first of them was sent,
  /// whichever is later. Empty if none is open. A peer that vanishes while only standing requests
  /// are open ends the session by TCP's keep-alive, after about 20 s.
  [[nodiscard]] std::optional<LocalInstant> silent_since() const {
    return requests_.silent_since();
  }
  [[nodiscard]] ReceiveCounters counters() const;
  /// Smoothed time from a request to its first piece; 0 until the first is known.
  [[nodiscard]] Nanos round_trip() const noexcept { return requests_.round_trip(); }
  [[nodiscard]] const StripeTuning& tuning() const noexcept { return tuning_; }

 private:
  ClientSession(const SocketAddress& server, const SlabSessionOptions& options, SlabPool& pool,
                std::chrono::milliseconds limit, LocalInstant until);
  void begin_udp(const SocketAddress& server, const SlabSessionOptions& options, UniqueFd packets,
                 LocalInstant until);
  void begin_tcp(const SocketAddress& server, const SlabSessionOptions& options,
                 const StripeListener& listener, std::chrono::milliseconds limit,
                 LocalInstant until);

  ControlConnection control_;
  SlabHello hello_;
  ReceiveCounters counters_;
  SlabRequests requests_;
  StripeTuning tuning_;  // TCP only
  std::unique_ptr<ClientTransport> transport_;
};

}  // namespace tilewall::net

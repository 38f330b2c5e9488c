// A session with one slab server, seen from the client: asks, takes what comes to where it belongs,
// tells what came, asks again where nothing did. Threads: one owner, who waits on its descriptors.
#pragma once

#include <poll.h>

#include <chrono>
#include <cstdint>
#include <list>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "net/auth_key.hpp"
#include "net/control/message_stream.hpp"
#include "net/interfaces.hpp"
#include "net/slab/control_seal.hpp"
#include "net/slab/handshake.hpp"
#include "net/slab/incoming_parity.hpp"
#include "net/slab/incoming_slab.hpp"
#include "net/slab/packet_socket.hpp"
#include "net/slab/received_packets.hpp"
#include "net/slab/slab_buffer.hpp"
#include "net/slab/stripe.hpp"
#include "net/slab/tcp_window.hpp"

namespace tilewall {

struct SlabSessionOptions {
  std::optional<AuthKey> key;
  SlabTransport transport = SlabTransport::udp;
  int stripes = 1;  ///< tcp: connections
  /// tcp: that they are spread over, by their rates; none: as routes go. @pre no more than stripes
  std::vector<NetInterface> interfaces = {};
  bool encrypt = false;            ///< needs a key
  std::uint32_t packet_bytes = 0;  ///< udp: 0: what the path's MTU takes
};

/// What a client has received so far.
struct ReceiveCounters {
  std::uint64_t received_bytes = 0;  ///< of slabs
  std::uint64_t packets = 0;
  std::uint64_t lost_packets = 0;      ///< that never came under the number they were sent with
  std::uint64_t repaired_packets = 0;  ///< pieces that came after others behind them
  std::uint64_t recovered_pieces = 0;  ///< that never came, computed from parity
  std::uint64_t repeated_packets = 0;
  std::uint64_t malformed_packets = 0;
  std::uint64_t copied_pieces = 0;  ///< that did not come straight to their place
};

/// tcp: how the stripes travel, all of them together.
struct StripeTuning {
  std::uint64_t window_bytes = 0;         ///< that may be under way, as both ends allow
  std::uint64_t wanted_window_bytes = 0;  ///< more: a kernel gave no more
  std::string congestion_control;         ///< the server's, of the first
  Nanos round_trip{0};                    ///< of TCP, as the session began
};

class ClientSession {
 public:
  /// Connects and shows the key, both within `limit`. Throws JobError where nobody answers, the
  /// server's InputError where it refuses, InputError where it cannot show the key.
  ClientSession(const SocketAddress& server, const SlabSessionOptions& options, SlabPool& pool,
                std::chrono::milliseconds limit);

  struct Finished {
    std::uint32_t request = 0;
    SlabBuffer slab;
  };
  struct Events {
    std::vector<Finished> slabs;
    std::vector<nlohmann::json> answers;  ///< to ask()
  };

  /// Asks for a slab that is of use until then. @pre words.size() <= largest_request_bytes
  [[nodiscard]] std::uint32_t fetch(std::span<const std::byte> words,
                                    LocalInstant until = no_deadline);
  static constexpr LocalInstant no_deadline{Nanos::max()};
  void cancel(const std::vector<std::uint32_t>& requests);
  void ask(const nlohmann::json& question);

  /// What to wait for.
  [[nodiscard]] std::vector<pollfd> watched() const;
  /// When step() has something to do even if nothing comes.
  [[nodiscard]] LocalInstant due() const;
  /// Takes what has come and does what is due. False: the server is gone. Throws InputError where
  /// an answer is not what the server said.
  [[nodiscard]] bool step(LocalInstant now, Events& events);

  /// Since when nothing has come though something was asked for; empty: nothing is missing.
  [[nodiscard]] std::optional<LocalInstant> silent_since() const;
  [[nodiscard]] ReceiveCounters counters() const;
  /// From asking to the first answer, of the newest requests.
  [[nodiscard]] Nanos round_trip() const noexcept { return round_trip_; }
  [[nodiscard]] const StripeTuning& tuning() const noexcept { return tuning_; }

 private:
  struct Pending {
    std::vector<std::byte> payload;  // of the request
    LocalInstant until;
    LocalInstant asked;
    LocalInstant ask_again;
    int times = 1;
    std::optional<IncomingSlab> slab;  // once a piece of it has come
    std::optional<IncomingParity> parity;
  };
  struct Stripe {
    UniqueFd socket;
    std::optional<StripeReader> reader;
    std::optional<StripeWriter> writer;
  };
  using Requests = std::map<std::uint32_t, Pending>;

  [[nodiscard]] Requests::iterator piece_came(std::uint32_t request, std::uint64_t slab_bytes);
  void open_stripes(const SocketAddress& server, const SlabSessionOptions& options,
                    std::chrono::milliseconds limit);
  void open_stripe(const SocketAddress& server, const SlabSessionOptions& options, int index,
                   const InterfaceShare& share, std::chrono::milliseconds limit);
  [[nodiscard]] bool read_control(Events& events);
  [[nodiscard]] bool read_stripes(Events& events);
  [[nodiscard]] bool write_stripes();
  void read_packets(LocalInstant now, Events& events);
  [[nodiscard]] std::vector<std::byte*> expected() const;
  void take_batch(std::span<IncomingPacket> packets, LocalInstant now, Events& events);
  [[nodiscard]] bool lies_aside(const IncomingPacket& packet) const;
  [[nodiscard]] bool is_in_place(const IncomingPacket& packet) const;
  void take_piece(IncomingPacket& packet, std::span<const std::byte> payload, Events& events);
  void take_parity(const IncomingPacket& packet, Events& events);
  void recover(Pending& pending, std::uint32_t group);
  void send_request(std::uint32_t request, const Pending& pending, LocalInstant now);
  void finish(Requests::iterator request, Events& events);
  void send_packet(PacketKind kind, std::uint32_t request, std::span<const std::byte> payload,
                   std::uint64_t within_us = 0);
  void send_ack(LocalInstant now);
  void ask_again(LocalInstant now);
  [[nodiscard]] Nanos patience() const noexcept;

  SlabHello hello_;
  SlabPool& pool_;
  std::optional<MessageStream> control_;
  std::optional<ControlSeal> control_seal_;
  std::uint64_t session_ = 0;
  std::optional<PacketSeal> to_client_;
  std::optional<PacketSeal> to_server_;
  std::uint32_t next_request_ = 1;
  Requests requests_;
  LocalInstant now_;    // of this step
  LocalInstant heard_;  // when a piece came last
  Nanos round_trip_{0};

  // udp
  UniqueFd packets_;
  std::optional<PacketReceiver> receiver_;
  std::optional<PacketSender> sender_;
  std::uint64_t sequence_ = 0;
  ReceivedPackets received_;
  std::uint32_t last_request_ = 0;  // of the newest piece
  std::uint32_t next_piece_ = 0;    // expected after it
  std::size_t unacked_ = 0;         // packets
  LocalInstant ack_due_;
  bool gap_ = false;  // something is missing before the newest packet
  LocalInstant rate_since_;
  std::uint64_t rate_packets_ = 0;  // since then
  std::uint32_t ack_bits_ = 1024;
  std::vector<std::byte> misplaced_;

  // tcp
  std::vector<Stripe> stripes_;
  StripeTuning tuning_;
  std::list<std::vector<std::byte>> waiting_;  // requests and cancels for the first stripe
  std::list<StripeHeader> waiting_heads_;

  ReceiveCounters counters_;
};

}  // namespace tilewall

// A session with one slab server, seen from the client: asks, takes what comes to where it belongs,
// tells what came, asks again where nothing did. Threads: one owner, who waits on its descriptors.
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
#include "net/slab/slab_buffer.hpp"
#include "net/slab/slab_requests.hpp"

namespace tilewall {

class ClientSession {
 public:
  /// Connects and shows the key, both within `limit`. Throws JobError where nobody answers, the
  /// server's InputError where it refuses, InputError where it cannot show the key.
  ClientSession(const SocketAddress& server, const SlabSessionOptions& options, SlabPool& pool,
                std::chrono::milliseconds limit);
  ClientSession(const ClientSession&) = delete;
  ClientSession& operator=(const ClientSession&) = delete;

  struct Events {
    std::vector<FinishedSlab> slabs;
    std::vector<nlohmann::json> answers;  ///< to ask()
  };

  /// Asks for a slab that is of use until then. @pre payload.size() <= largest_request_bytes
  [[nodiscard]] std::uint32_t fetch(std::span<const std::byte> payload,
                                    LocalInstant until = no_deadline);
  static constexpr LocalInstant no_deadline = SlabRequests::no_deadline;
  void cancel(const std::vector<std::uint32_t>& requests);
  void ask(const nlohmann::json& question) { control_.ask(question); }

  /// What to wait for.
  [[nodiscard]] std::vector<pollfd> watched() const;
  /// When step() has something to do even if nothing comes.
  [[nodiscard]] LocalInstant due() const { return transport_->due(); }
  /// Takes what has come and does what is due. False: the server is gone. Throws InputError where
  /// an answer is not what the server said.
  [[nodiscard]] bool step(LocalInstant now, Events& events);

  /// Since when nothing has come though something was asked for; empty: nothing is missing.
  [[nodiscard]] std::optional<LocalInstant> silent_since() const {
    return requests_.silent_since();
  }
  [[nodiscard]] ReceiveCounters counters() const;
  /// From asking to the first answer, of the newest requests.
  [[nodiscard]] Nanos round_trip() const noexcept { return requests_.round_trip(); }
  [[nodiscard]] const StripeTuning& tuning() const noexcept { return tuning_; }

 private:
  ClientSession(const SocketAddress& server, const SlabSessionOptions& options, SlabPool& pool,
                std::chrono::milliseconds limit, LocalInstant until);

  ControlConnection control_;
  SlabHello hello_;
  ReceiveCounters counters_;
  SlabRequests requests_;
  StripeTuning tuning_;  // tcp
  std::unique_ptr<ClientTransport> transport_;
};

}  // namespace tilewall

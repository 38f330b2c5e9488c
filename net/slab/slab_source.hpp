// Interface of the application behind a slab server, and the answer that it gives to a request.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <vector>

#include "net/slab/slab_buffer.hpp"

namespace tilewall::net {

class SlabOutbox;

/// The answer to one request for a slab, to be given at any time. No thread waits for it.
///
/// Threads: any, one at a time. It may outlive the server and the session; then nothing is sent.
class SlabReply {
 public:
  /// A reply to nobody.
  SlabReply() noexcept = default;
  /// `wanted` expires when the request is cancelled or its session ends.
  SlabReply(std::shared_ptr<SlabOutbox> outbox, std::uint64_t session, std::uint32_t request,
            std::weak_ptr<const void> wanted) noexcept;
  SlabReply(SlabReply&& other) noexcept = default;
  SlabReply& operator=(SlabReply&& other) noexcept;
  /// Sends an empty slab unless give() was called.
  ~SlabReply();

  /// Sends the slab; an empty buffer or null means that the request is refused. Only the first call
  /// counts.
  void give(std::shared_ptr<const SlabBuffer> slab);

  /// The session that asked; see SlabSource::call_from().
  [[nodiscard]] std::uint64_t session() const noexcept { return session_; }

  /// False once the slab was given, the request was cancelled, or its session ended.
  [[nodiscard]] bool is_wanted() const noexcept { return outbox_ && !wanted_.expired(); }

 private:
  void refuse() noexcept;

  std::shared_ptr<SlabOutbox> outbox_;  // null once the slab was given
  std::uint64_t session_ = 0;
  std::uint32_t request_ = 0;
  std::weak_ptr<const void> wanted_;
};

/// Interface of the application that answers requests. Workers call it, several at once.
class SlabSource {
 public:
  virtual ~SlabSource() = default;

  /// Answers a client's question. The text of an exception is sent to the client as a refusal.
  [[nodiscard]] virtual nlohmann::json call(const nlohmann::json& question) = 0;

  /// The same, for applications that keep something for each session: its number tells sessions
  /// apart, and is not used again. The default ignores it.
  [[nodiscard]] virtual nlohmann::json call_from(std::uint64_t session,
                                                 const nlohmann::json& question);
  /// Tells that a session has ended. The network thread calls it. A question of that session may
  /// still be with a worker.
  virtual void session_ended(std::uint64_t session);

  /// Returns how many bytes the answer to a request will have at most, as read() gives it. The
  /// server calls read() for it once so many bytes fit into its memory. The default, 0, means that
  /// the application bounds its answers itself; the server then calls answer().
  [[nodiscard]] virtual std::uint64_t answer_bytes(std::span<const std::byte> request);

  /// Whether answering may take long. Such requests and questions have threads of their own, so
  /// that others do not wait behind them. The default is false.
  [[nodiscard]] virtual bool is_slow_request(std::span<const std::byte> request);
  [[nodiscard]] virtual bool is_slow_question(const nlohmann::json& question);

  /// Returns the slab for a request's payload. An exception reaches the client as an empty slab.
  /// The server releases the slab once it has arrived, and before the server is destroyed.
  [[nodiscard]] virtual std::shared_ptr<const SlabBuffer> read(
      std::span<const std::byte> request) = 0;

  /// Answers a request at once, or keeps `reply` and answers later. The default gives what read()
  /// returns. An exception destroys the reply, so the client gets an empty slab.
  virtual void answer(std::vector<std::byte> request, SlabReply reply);
};

}  // namespace tilewall::net

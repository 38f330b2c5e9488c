// How many bytes of answers a server may have in memory: those that are being read, and those that
// clients have not taken yet. There is one limit for the server and one for each session. A session
// that holds answers gets another one only while it then holds no more than what is free. So
// sessions that read nothing leave room for the others, however many they are.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>

#include "net/slab/slab_buffer.hpp"

namespace tilewall::net {

class AnswerBudget : public std::enable_shared_from_this<AnswerBudget> {
 public:
  struct Limits {
    std::uint64_t server_bytes = std::uint64_t{384} << 20;
    std::uint64_t session_bytes = std::uint64_t{128} << 20;
  };

  explicit AnswerBudget(const Limits& limits) : limits_(limits) {}

  /// Whether an answer of so many bytes can fit at all.
  [[nodiscard]] bool can_ever_fit(std::uint64_t bytes) const noexcept {
    return bytes <= limits_.server_bytes;
  }
  /// Takes bytes for an answer of a session, if they fit. A session that holds nothing may take all
  /// that is free, so that a large answer is possible.
  [[nodiscard]] bool try_take(std::uint64_t session, std::uint64_t bytes);
  void give_back(std::uint64_t session, std::uint64_t bytes);

  /// The slab, which gives back `bytes` once nobody holds it any more.
  /// @pre try_take() took them
  [[nodiscard]] std::shared_ptr<const SlabBuffer> lend(std::uint64_t session, std::uint64_t bytes,
                                                       std::shared_ptr<const SlabBuffer> slab);

  /// Whether something did not fit since the last bytes were given back.
  [[nodiscard]] bool is_short() const;
  /// Bytes of all answers in memory.
  [[nodiscard]] std::uint64_t held_bytes() const;

  /// Sets what is called, on any thread, when bytes were given back after some did not fit; null
  /// for nothing. Once this returns, the former one is not being called.
  void on_room(std::function<void()> call);

 private:
  const Limits limits_;
  mutable std::mutex mutex_;
  std::map<std::uint64_t, std::uint64_t> held_;  // guarded by mutex_: bytes by session
  std::uint64_t held_bytes_ = 0;                 // guarded by mutex_: their sum
  bool is_short_ = false;                        // guarded by mutex_
  std::mutex call_mutex_;
  std::function<void()> on_room_;  // guarded by call_mutex_
};

}  // namespace tilewall::net

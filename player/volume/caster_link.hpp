// A panel's way to its host's caster: asks for pictures, waits within limits, and comes back to a
// host service or caster that was started again.
#pragma once

#include <optional>

#include "net/local_socket.hpp"
#include "player/volume/cast_wire.hpp"
#include "player/volume/volume_source.hpp"
#include "sync/global_time.hpp"
#include "wallconfigs/image_view.hpp"

namespace tilewall::volume {

/// Threads: one owner.
class CasterLink {
 public:
  explicit CasterLink(VolumeSourceOptions options) : options_(std::move(options)) {}
  ~CasterLink();
  CasterLink(const CasterLink&) = delete;
  CasterLink& operator=(const CasterLink&) = delete;

  /// Pictures from now on are made in this style, a VolumeStyle as JSON.
  void set_style(std::string style);

  /// rests: the host's caster died too often and is not started for a while.
  enum class End { done, refused, rests, abandoned, lost };
  struct Outcome {
    End end = End::lost;
    CastAnswer answer;  ///< of done, refused and, its line, rests
  };

  /// Waits until the volume can be shown.
  [[nodiscard]] Outcome open();

  struct WaitPolicy {
    bool changed = false;           ///< another picture than the one before is wanted
    bool waits_for_caster = false;  ///< also while the host's caster is not started for a while
  };
  /// Asks for the picture and waits for it; then it is in picture(). `message` without its number.
  [[nodiscard]] Outcome cast(CastMessage message, WaitPolicy wait_policy);

  /// The newest picture: `width` x `height` pixels, in memory that the caster may change.
  [[nodiscard]] ImageView picture(int width, int height) const noexcept;

 private:
  [[nodiscard]] bool connect();
  [[nodiscard]] bool ask_service();
  void disconnect();
  [[nodiscard]] bool make_memory(std::size_t bytes);
  template <typename Tell>
  [[nodiscard]] Outcome ask(std::uint64_t number, Tell&& tell);
  [[nodiscard]] Outcome rests() const;
  [[nodiscard]] bool tell_style();
  [[nodiscard]] bool tell(const CastMessage& message);
  [[nodiscard]] std::optional<CastAnswer> take_answer(std::uint64_t number);

  const VolumeSourceOptions options_;
  std::string style_;
  UniqueFd service_;  // open for as long as the volume is shown
  UniqueFd caster_;
  WaitPolicy wait_policy_;
  std::optional<CasterGrant> rest_;  // what the service said last, where it gave no caster
  bool style_told_ = false;
  UniqueFd memory_fd_;
  std::uint8_t* memory_ = nullptr;
  std::size_t memory_bytes_ = 0;
  bool memory_told_ = false;
  std::uint64_t number_ = 0;
  LocalInstant next_connect_;
};

}  // namespace tilewall::volume

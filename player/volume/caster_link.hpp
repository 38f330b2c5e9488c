// A panel's connection to its host's caster. It requests pictures, waits for them, and reconnects
// when the host service or the caster was started again.
#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include "net/local_socket.hpp"
#include "player/volume/cast_wire.hpp"
#include "player/volume/volume_source.hpp"
#include "sync/global_time.hpp"
#include "wallconfigs/image_view.hpp"

namespace tilewall::volume {

/// Threads: one owner, whose calls block until `abandon` or `overdue` of the options ends them.
class CasterLink {
 public:
  /// Called with CastAnswer::progress while an answer is waited for.
  using Progress = std::function<void(int progress)>;

  explicit CasterLink(
      VolumeSourceOptions options, Progress progress = [](int) {})
      : options_(std::move(options)), progress_(std::move(progress)) {}
  ~CasterLink();
  CasterLink(const CasterLink&) = delete;
  CasterLink& operator=(const CasterLink&) = delete;

  /// Sets the style of the next pictures: a VolumeStyle as JSON.
  void set_style(std::string style);

  enum class End {
    done,
    refused,
    rests,      ///< the caster died too often and is not started for a while
    abandoned,  ///< VolumeSourceOptions::abandon
    overdue,    ///< VolumeSourceOptions::overdue; the request stays under way
    lost,       ///< no caster for 5 s, or no memory for the picture
  };
  struct Outcome {
    End end = End::lost;
    CastAnswer answer;  ///< set for done and refused; for rests, only its line
  };

  /// Waits until the volume can be shown. Only VolumeSourceOptions::abandon_open ends the wait.
  [[nodiscard]] Outcome open();

  struct WaitPolicy {
    bool changed = false;           ///< the picture differs from the last one
    bool waits_for_caster = false;  ///< wait for a caster that rests, instead of End::rests
  };
  /// Requests a picture and waits for it. After End::done, picture() has it. `message.number` is
  /// set here. Replaces a request that is under way.
  [[nodiscard]] Outcome cast(CastMessage message, WaitPolicy wait_policy);

  /// Connects again where the caster is gone, without waiting. To be called again and again.
  void keep_connected();

  /// Waits for the request that is under way. @pre is_under_way()
  [[nodiscard]] Outcome resume(WaitPolicy wait_policy);

  /// Whether the last request ended as overdue.
  [[nodiscard]] bool is_under_way() const noexcept { return under_way_.has_value(); }
  /// Whether the request under way has no answer that can be taken now. Does not wait.
  [[nodiscard]] bool is_late();

  /// The newest picture, `width` x `height` pixels of BGRX. This object owns the memory; the caster
  /// may change it at any time.
  [[nodiscard]] ImageView picture(int width, int height) const noexcept;

 private:
  /// Waits up to `limit` for the service's answer.
  [[nodiscard]] bool connect(std::chrono::milliseconds limit);
  [[nodiscard]] bool ask_service(std::chrono::milliseconds limit);
  [[nodiscard]] bool take_grant();
  void disconnect();
  [[nodiscard]] bool make_memory(std::size_t bytes);
  struct Limits {
    const std::function<bool()>& abandon;
    const std::function<bool()>& overdue;  // may be empty
  };
  template <typename Tell>
  [[nodiscard]] Outcome ask(std::uint64_t number, const Limits& limits, Tell&& tell);
  [[nodiscard]] Outcome wait(const CastMessage& message, WaitPolicy wait_policy);
  [[nodiscard]] Outcome rests() const;
  [[nodiscard]] bool tell_style();
  [[nodiscard]] bool tell(const CastMessage& message);
  [[nodiscard]] std::optional<CastAnswer> take_answer(std::uint64_t number);

  const VolumeSourceOptions options_;
  const Progress progress_;
  std::string style_;
  UniqueFd service_;                              // open for as long as the volume is shown
  std::optional<LocalInstant> service_asked_at_;  // its answer has not come
  UniqueFd caster_;
  WaitPolicy wait_policy_;
  std::optional<CasterGrant> rest_;  // the service's last answer, if it granted no caster
  bool style_told_ = false;
  UniqueFd memory_fd_;
  std::uint8_t* memory_ = nullptr;
  std::size_t memory_bytes_ = 0;
  bool memory_told_ = false;
  std::uint64_t number_ = 0;
  bool told_ = false;  // caster_ has the request `number_`
  std::optional<CastMessage> under_way_;
  LocalInstant next_connect_;
};

}  // namespace tilewall::volume

// A presenter puts finished pictures onto one panel: in a window (GL or CPU) or nowhere (headless).
//
// Threads: one owner, the panel's presenting thread; a window and its GL context live on it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sync/global_time.hpp"
#include "wallconfigs/image_view.hpp"
#include "wallconfigs/wall.hpp"

namespace tilewall {

enum class PresenterKind { automatic, gl, cpu, null };

/// Keys the wall understands, whichever panel has the focus.
enum class WallKey {
  toggle_pause, back, forward, back_far, forward_far, home, step_back, step_forward, toggle_loop, quit
};

struct PresenterOptions {
  PresenterKind kind = PresenterKind::automatic;
  bool headless = false;           ///< no display server, no GPU
  std::string title;               ///< of the window
  SizePx frame_buffer_px;          ///< Panel::size_px (before rotation)
  PointPx window_px;               ///< where on the display
  Rotation rotation = Rotation::deg0;
  ColorMatch color;
};

class Presenter {
 public:
  virtual ~Presenter() = default;

  /// What was chosen, for the report: "gl", "cpu", "null".
  [[nodiscard]] virtual std::string name() const = 0;

  /// Rotates, colour-matches and copies or uploads `picture` (viewed orientation) into the back buffer.
  /// Everything slow happens here, before the due instant.
  virtual void prepare(const ImageView& picture) = 0;

  /// Makes the prepared picture visible. Returns when the swap or blit returned.
  virtual LocalInstant swap() = 0;

  /// Keys pressed since the last call; also keeps the window alive (expose, close = quit). Never blocks.
  [[nodiscard]] virtual std::vector<WallKey> poll_keys() = 0;

  /// What is on the panel now, for whole-wall snapshots: BGRX in the frame buffer's own orientation and
  /// colours. Valid until the next prepare. Null presenter: the prepared picture before rotation.
  [[nodiscard]] virtual ImageView shown() = 0;
};

/// Throws JobError where no window or context can be made (no display), in one line that says what to do.
[[nodiscard]] std::unique_ptr<Presenter> make_presenter(const PresenterOptions& options);

}  // namespace tilewall

// A presenter puts finished pictures onto one panel: in a window (GL or CPU) or nowhere (headless).
//
// Threads: one owner, the panel's presenting thread; a window and its GL context live on it. A
// process has one window as a rule: keys go to whichever presenter asks, and GL to the one made
// last.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "player/present/correction/copy_picture.hpp"
#include "player/present/operator_input.hpp"
#include "sync/global_time.hpp"
#include "wallconfigs/edge_blend.hpp"
#include "wallconfigs/image_view.hpp"
#include "wallconfigs/wall.hpp"

namespace tilewall::present {

enum class PresenterKind { automatic, gl, cpu, null };
inline constexpr std::string_view presenter_kind_names[] = {"auto", "gl", "cpu", "null"};

/// Empty where `text` is none of presenter_kind_names.
[[nodiscard]] std::optional<PresenterKind> parse_presenter_kind(std::string_view text) noexcept;

/// What OpenGL can do on this host's display. The same for all panels of a display, and asking
/// costs 60 cpu-ms: ask once per host, in a process of its own.
struct GlProbe {
  bool usable = false;    ///< an OpenGL 4.5 core context can be made
  bool hardware = false;  ///< and a GPU draws, not the CPU
  std::string renderer;   ///< GL_RENDERER where usable, else why not
};

struct PresenterOptions {
  PresenterKind kind = PresenterKind::automatic;
  bool headless = false;      ///< no display server, no GPU
  std::optional<GlProbe> gl;  ///< of this host; empty = automatic asks by itself
  std::string title;          ///< of the window
  SizePx frame_buffer_px;     ///< Panel::size_px (before rotation)
  PointPx window_px;          ///< where on the display that the environment's DISPLAY names
  wall::Rotation rotation = wall::Rotation::deg0;
  wall::ColorMatch color;
  wall::PanelBlend blend;  ///< with the panels that overlap this one, after the colour match
  bool vsync = true;       ///< swaps go with the display's refresh, where GL says that it has one
};

class Presenter {
 public:
  virtual ~Presenter() = default;

  /// What was chosen, for the report: "gl", "cpu", "null".
  [[nodiscard]] virtual std::string name() const = 0;

  /// Rotates, colour-matches, blends and copies or uploads `picture` (viewed orientation) into the
  /// back buffer. Everything slow happens here, before the due instant. The picture is read during
  /// the call only; but the null presenter keeps the pointer for shown(). The inset is laid over it
  /// (the null presenter shows nothing, and no inset either).
  /// @pre picture.size_px is frame_buffer_px as the viewer sees it (swapped at 90 and 270 degrees)
  virtual void prepare(const ImageView& picture, const Inset& inset) = 0;
  void prepare(const ImageView& picture) { prepare(picture, {}); }

  /// Makes the prepared picture visible. Returns when the swap or blit returned: in a window the
  /// display server has taken the picture by then, and where there is vsync, the flip has happened.
  virtual LocalInstant swap() = 0;

  /// When swap() has to be called for a picture that is due at `due`: a display with a refresh
  /// takes pictures at its own instants only.
  [[nodiscard]] virtual LocalInstant swap_instant(LocalInstant due) { return due; }

  /// What operators did since the last call; also keeps the window alive (expose, close = quit).
  /// Never blocks.
  [[nodiscard]] virtual std::vector<OperatorInput> poll_input() = 0;

  /// What is on the panel now, for whole-wall snapshots: BGRX in the frame buffer's own orientation
  /// and colours; no pixels before the first swap. Valid until the next prepare. Null presenter:
  /// the picture as it was prepared, in the caller's own memory.
  [[nodiscard]] virtual ImageView shown() = 0;
};

/// Automatic: headless, memory; in a window, GL where a GPU draws, else CPU.
/// Throws JobError where no window or context can be made (no display), in one line that says what
/// to do.
[[nodiscard]] std::unique_ptr<Presenter> make_presenter(const PresenterOptions& options);

/// Tries OpenGL on the environment's DISPLAY. Throws JobError where there is no display.
[[nodiscard]] GlProbe probe_gl();

}  // namespace tilewall::present

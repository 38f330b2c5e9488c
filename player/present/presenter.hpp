// A presenter puts finished pictures onto one panel: in a window (GL or CPU) or into memory
// (headless).
//
// Threads: one owner, the panel's presenting thread; a window and its GL context live on it. A
// process normally has one window. With several, key events go to whichever presenter polls, and GL
// calls to the context made last.
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

/// What OpenGL can do on this host's display. The result is the same for all panels of a display,
/// and probing costs 60 ms of CPU time, so it is done once per host, in a process of its own.
struct GlProbe {
  bool usable = false;    ///< An OpenGL 4.5 core context can be made
  bool hardware = false;  ///< The context draws on a GPU
  std::string renderer;   ///< GL_RENDERER where usable, else why not
};

struct PresenterOptions {
  PresenterKind kind = PresenterKind::automatic;
  bool headless = false;      ///< Without display server and GPU
  std::optional<GlProbe> gl;  ///< Result of this host's probe; empty: `automatic` probes by itself
  std::string title;          ///< Title of the window
  SizePx frame_buffer_px;     ///< Panel::size_px (before rotation)
  PointPx window_px;          ///< Upper left corner of the window on the display that DISPLAY names
  wall::Rotation rotation = wall::Rotation::deg0;
  wall::ColorMatch color;
  wall::PanelBlend blend;  ///< Overlap with other panels, applied after the colour match
  bool vsync = true;       ///< Swaps wait for the display's refresh, where GL reports one
};

class Presenter {
 public:
  virtual ~Presenter() = default;

  /// Kind of the presenter, for the report: "gl", "cpu", "null".
  [[nodiscard]] virtual std::string name() const = 0;

  /// Rotates, colour-matches, blends and copies or uploads `picture` (as the viewer sees it) into
  /// the back buffer, and lays the inset over it. Everything slow happens here, before the due
  /// instant. The picture is read during the call only. The null presenter shows neither picture
  /// nor inset, but keeps the picture's pointer for shown(). @pre picture.size_px is
  /// frame_buffer_px as the viewer sees it (swapped at 90 and 270 degrees)
  virtual void prepare(const ImageView& picture, const Inset& inset) = 0;
  void prepare(const ImageView& picture) { prepare(picture, {}); }

  /// Makes the prepared picture visible. Returns when the swap or blit returned: a window's display
  /// server has the picture by then, and with vsync the flip has happened.
  virtual LocalInstant swap() = 0;

  /// The instant at which to call swap() for a picture that is due at `due`. A display with vsync
  /// flips at its own instants only.
  [[nodiscard]] virtual LocalInstant swap_instant(LocalInstant due) { return due; }

  /// The operators' input since the last call. Also handles the window's events (expose; close
  /// means quit). Never blocks.
  [[nodiscard]] virtual std::vector<OperatorInput> poll_input() = 0;

  /// The picture on the panel now, for snapshots of the whole wall: BGRX in the frame buffer's own
  /// orientation and colours; no pixels before the first swap. Valid until the next prepare(). The
  /// null presenter returns the picture given to prepare(), in the caller's memory.
  [[nodiscard]] virtual ImageView shown() = 0;
};

/// The kind of presenter that the options give: `automatic` is the CPU's when headless, else GL
/// where a GPU draws, else CPU. Throws JobError where there is no display to probe.
[[nodiscard]] PresenterKind presenter_kind(const PresenterOptions& options);

/// Makes a presenter of presenter_kind(). Throws JobError where no window or context can be made
/// (no display), with one line that tells the user what to do.
[[nodiscard]] std::unique_ptr<Presenter> make_presenter(const PresenterOptions& options);

/// Tries OpenGL on the environment's DISPLAY. Throws JobError where there is no display.
[[nodiscard]] GlProbe probe_gl();

}  // namespace tilewall::present

// Loads the presenters that open windows from tilewall-window.so, beside the program.
//
// They stand in a module of their own because of what SDL, X11 and GL cost every process that links
// them, also where no window is opened: 3 to 5 cpu-ms a start, where a lean program takes 1.3 and a
// headless presenter's 1.6. Opening a CPU window takes 16 cpu-ms, a GL one on llvmpipe 64.
// A loaded module stays loaded.
#pragma once

#include <filesystem>
#include <memory>

#include "player/present/presenter.hpp"

namespace tilewall::present {

/// The module's functions, by the names it exports. They throw JobError.
using MakeWindowPresenter = Presenter*(const PresenterOptions& options);  ///< the caller owns it
using ProbeGl = void(GlProbe& result);

inline constexpr const char* make_window_presenter_symbol = "tilewall_make_window_presenter";
inline constexpr const char* probe_gl_symbol = "tilewall_probe_gl";

/// @pre options.kind is gl or cpu; cpu is not headless. Throws JobError also where the module is
/// missing.
[[nodiscard]] std::unique_ptr<Presenter> make_window_presenter(const PresenterOptions& options);

// What OpenGL can do on this host's display, found out once by a process of its own: asking costs
// as much as a panel's whole start, and a driver that crashes hits nothing else.

/// Probes and writes the answer to `file`. Returns the exit code.
int write_gl_probe(const std::filesystem::path& file);

/// Runs `tilewall-panel --probe-gl` and reads its answer from `file`. Not usable where the process
/// fails or takes longer than a few seconds.
[[nodiscard]] GlProbe run_gl_probe(const std::filesystem::path& file);

}  // namespace tilewall::present

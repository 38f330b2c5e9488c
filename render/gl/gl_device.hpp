// An OpenGL context without a window, on a GPU if there is one. EGL finds it without an X server or
// a display.
//
// Threads: the device, and all objects made with it, belong to the thread that opened it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "sync/base/error.hpp"

namespace tilewall::render {

/// The GPU is lost or faulty: pictures that it makes from now on cannot be trusted.
class GlLost : public JobError {
 public:
  using JobError::JobError;
};

enum class GlPreference {
  gpu,  ///< Only a GPU
  any   ///< A GPU or, where there is none, a program on the processor (llvmpipe)
};

class GlDevice {
 public:
  /// Opens OpenGL 4.3, current on this thread. Null where there is none; `why_not` then has the
  /// reason.
  [[nodiscard]] static std::unique_ptr<GlDevice> open(GlPreference preference,
                                                      std::string& why_not);
  ~GlDevice();
  GlDevice(const GlDevice&) = delete;
  GlDevice& operator=(const GlDevice&) = delete;

  /// The name of the renderer, GL_RENDERER.
  [[nodiscard]] const std::string& renderer() const noexcept { return renderer_; }
  /// Bytes of GPU memory that were free when the device was opened; 0 where the driver does not
  /// tell.
  [[nodiscard]] std::size_t free_bytes() const noexcept { return free_bytes_; }
  /// Throws GlLost where an error occurred since the last call. `doing` describes the work, for the
  /// message.
  void check(const char* doing) const;

 private:
  struct Egl;
  struct Context;
  explicit GlDevice(std::unique_ptr<Context> context);

  std::unique_ptr<Context> context_;
  std::string renderer_;
  std::size_t free_bytes_ = 0;
};

}  // namespace tilewall::render

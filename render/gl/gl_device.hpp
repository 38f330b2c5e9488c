// An OpenGL context without a window, on a GPU if there is one, found by EGL: no X server, no
// display.
//
// Threads: belongs to the one that opened it, with all that is made of it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "sync/base/error.hpp"

namespace tilewall::render {

/// The GPU is lost, or does not do as it should: nothing that it made from now on can be trusted.
class GlLost : public JobError {
 public:
  using JobError::JobError;
};

enum class GlPreference {
  gpu,  ///< one that is none but a GPU
  any   ///< a program on the processor too (llvmpipe), where there is no GPU
};

class GlDevice {
 public:
  /// OpenGL 4.3, current on this thread. Null where there is none; `why_not` says what was found.
  [[nodiscard]] static std::unique_ptr<GlDevice> open(GlPreference preference,
                                                      std::string& why_not);
  ~GlDevice();
  GlDevice(const GlDevice&) = delete;
  GlDevice& operator=(const GlDevice&) = delete;

  /// As it calls itself.
  [[nodiscard]] const std::string& renderer() const noexcept { return renderer_; }
  /// Memory that nobody used when it was opened; 0: it does not say.
  [[nodiscard]] std::size_t free_bytes() const noexcept { return free_bytes_; }
  /// Throws GlLost where anything went wrong since the last call; `doing` says what was being done.
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

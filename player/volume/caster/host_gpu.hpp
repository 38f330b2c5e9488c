// The GPU that a caster draws with, where there is one and for as long as it works.
//
// Threads: belongs to the one that made it, but for is_used().
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "player/volume/volume_job.hpp"
#include "render/gl/gl_engine.hpp"

namespace tilewall {

class HostGpu {
 public:
  /// Throws InputError where the GPU is wished for and there is no OpenGL 4.3.
  explicit HostGpu(CasterChoice choice);

  /// Whether pictures are to be made by it. Any thread.
  [[nodiscard]] bool is_used() const noexcept { return is_used_; }
  /// @pre is_used()
  [[nodiscard]] GlEngine& engine() const noexcept { return *engine_; }

  /// From now on the processor draws; says so once.
  void give_up(const std::string& why);

  /// Of a volume that the processor draws, since the GPU has no room; says so once for all.
  void note_too_large(const std::string& why);

 private:
  std::unique_ptr<GlEngine> engine_;
  bool too_large_noted_ = false;
  std::atomic<bool> is_used_{false};  ///< a hint to other threads, publishes nothing
};

}  // namespace tilewall

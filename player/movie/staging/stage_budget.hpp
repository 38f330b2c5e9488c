// The memory in which all sources of one panel stage their coming frames.
//
// Sources that are drawn get equal shares. A source that is not drawn for a while, such as a past
// movie of a playlist, frees its share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace tilewall::movie {

/// Threads: any thread may make and destroy shares; the drawing thread uses them.
class StageBudget {
 public:
  /// Number of other sources' frames after which a source counts as not drawn.
  static constexpr std::uint64_t idle_after_uses = 240;

  explicit StageBudget(std::size_t bytes) noexcept : bytes_(bytes) {}
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

  class Share {
   public:
    /// `let_go` frees the memory of the share. The drawing thread calls it, in use() of any share.
    Share(std::shared_ptr<StageBudget> budget, std::function<void()> let_go);
    ~Share();
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

    /// To be called when the source goes on to another frame; frees the memory of idle shares.
    void use();
    /// Sets how many bytes the share holds now.
    void hold(std::size_t bytes);
    /// Bytes that the share may hold in all, those that it holds already included.
    [[nodiscard]] std::size_t room() const;
    [[nodiscard]] std::size_t budget_bytes() const noexcept { return budget_->bytes(); }

   private:
    friend StageBudget;
    const std::shared_ptr<StageBudget> budget_;
    const std::function<void()> let_go_;
    // Guarded by the budget's mutex_.
    std::uint64_t used_ = 0;  // the budget's uses_ at the last use(); 0: never
    std::size_t held_bytes_ = 0;
  };

 private:
  [[nodiscard]] bool is_idle(const Share& share) const noexcept;

  const std::size_t bytes_;
  std::mutex mutex_;
  // Guarded by mutex_.
  std::vector<Share*> shares_;
  std::uint64_t uses_ = 0;  // calls of use() on all shares
};

}  // namespace tilewall::movie

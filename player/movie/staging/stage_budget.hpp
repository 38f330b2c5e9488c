// The memory that all sources of one panel may stage coming frames in.
//
// Sources that are drawn get equal shares. One that is not drawn for a while (a movie of a playlist
// that has passed) lets go of what it holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace tilewall::movie {

/// Threads: shares may be made and destroyed on any; used by the one that draws.
class StageBudget {
 public:
  /// So many frames of others are drawn before a source counts as not drawn.
  static constexpr std::uint64_t idle_after_uses = 240;

  explicit StageBudget(std::size_t bytes) noexcept : bytes_(bytes) {}
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

  class Share {
   public:
    /// `let_go` frees what the share holds.
    Share(std::shared_ptr<StageBudget> budget, std::function<void()> let_go);
    ~Share();
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

    /// Its source goes on to another frame.
    void use();
    /// It holds so much now.
    void hold(std::size_t bytes);
    /// It may hold so much, what it holds included.
    [[nodiscard]] std::size_t room() const;
    [[nodiscard]] std::size_t budget_bytes() const noexcept { return budget_->bytes(); }

   private:
    friend StageBudget;
    const std::shared_ptr<StageBudget> budget_;
    const std::function<void()> let_go_;
    std::uint64_t used_ = 0;  // guarded by the budget's mutex_, as the next
    std::size_t held_bytes_ = 0;
  };

 private:
  [[nodiscard]] bool is_idle(const Share& share) const noexcept;

  const std::size_t bytes_;
  std::mutex mutex_;
  std::vector<Share*> shares_;  // guarded by mutex_, as the next
  std::uint64_t uses_ = 0;
};

}  // namespace tilewall::movie

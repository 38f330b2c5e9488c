// The sources of a scene's regions, and how long a panel's picture waits for each of them.
//
// A region never waits for another region's source for long. A source that is still being opened,
// or whose data do not come, is late after a limit, and the picture is drawn without it. A source
// that cannot be opened is tried again after pauses, because its disk may come back.
//
// Threads: one owner, the decode thread. totals() may be called by any thread.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "player/panel/draw_cancellation.hpp"
#include "player/panel/source_cache.hpp"
#include "player/scene/messages.hpp"
#include "player/scene/scene.hpp"

namespace tilewall::panel {

class RegionSources {
 public:
  /// `problem` is called with a readable line when a source cannot be opened. `cancellation`
  /// outlives this object; null: sources are waited for without a limit.
  RegionSources(scene::LatePolicy late, SourceCache::Open open,
                std::function<void(const std::string& line)> problem,
                DrawCancellation* cancellation);

  /// The following calls are about this scene, which lives until the next begin(). With `strict`, a
  /// source that cannot be opened throws its error, and every source is waited for without a limit.
  void begin(const scene::Scene& scene, bool strict);

  /// Closes all sources, because bezel mode or content mode of the wall has changed.
  void close_all() { cache_.clear(); }
  /// Closes the sources that the scene does not name.
  void close_unnamed();
  /// Takes the scene's sources that another object has open. `replaces`: also those that are open
  /// here. Returns whether any was taken.
  bool take_from(RegionSources& other, bool replaces);

  /// The source; null while it is being opened, and where it cannot be opened. Starts to open it,
  /// again where it was refused and its pause is over. Does not wait.
  [[nodiscard]] picture::PictureSource* find(const scene::SourcePtr& source);
  /// Starts to open the source. Does not wait.
  void want(const scene::SourcePtr& source) noexcept;
  /// Whether the source could not be opened so far. This is reported once per scene.
  [[nodiscard]] bool is_refused(const scene::SourcePtr& source) const;

  /// Whether the sources of all regions are open or refused at `due`. Does not allocate.
  [[nodiscard]] bool are_open(GlobalInstant due) const;
  /// Waits until the `shown` sources are open or late, and starts to open the `hidden` ones. False:
  /// a newer scene is needed.
  [[nodiscard]] bool open(std::span<const scene::SourcePtr> shown,
                          std::span<const scene::SourcePtr> hidden);

  /// A source's part in the picture that is drawn.
  struct Use {
    const scene::SourcePtr& source;
    bool is_alone = false;  ///< the picture has no other region
    bool refines = false;   ///< DrawParameters::refines
    LocalInstant begun;     ///< when the picture was begun
  };

  /// While it lives, the source is waited for until its limit.
  class Wait {
   public:
    Wait(RegionSources& sources, const Use& use);
    ~Wait();
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;

    /// The source once it is open. Null where it is refused, or its opening is out of time.
    [[nodiscard]] picture::PictureSource* open();
    /// Whether a draw that was abandoned goes on without the source, which is late from now on.
    [[nodiscard]] bool goes_on_without();
    /// Notes that the source gave its picture.
    void note_drawn() { std::erase(sources_.late_, use_.source); }

   private:
    RegionSources& sources_;
    const Use use_;
  };

  /// Whether the source was late, and its data have still not come, so that the picture need not
  /// ask it.
  [[nodiscard]] bool is_still_late(const scene::SourcePtr& source);

  /// Whether the picture waited in vain for a source.
  [[nodiscard]] bool has_late() const noexcept { return !late_.empty(); }
  /// Whether the picture lacks a source, which is late or refused.
  [[nodiscard]] bool lacks_any() const noexcept {
    return has_late() || std::ranges::any_of(refused_, &Refusal::is_shown);
  }
  /// Whether a source that was late has its data now, or one that was refused is open.
  [[nodiscard]] bool can_draw_late();
  /// Takes which sources the picture shows. Others are not late any more.
  template <typename Shows>
  void keep_late(Shows&& shows) {
    std::erase_if(late_, [&](const scene::SourcePtr& source) { return !shows(source); });
    for (Refusal& refusal : refused_) refusal.is_shown = shows(refusal.source);
  }

  /// Renews the connections of the open sources.
  void keep_connected() { cache_.keep_connected(); }

  [[nodiscard]] DecodeTotals totals() const { return cache_.totals(); }

 private:
  enum class Stage { opening, drawing };
  /// A source that could not be opened.
  struct Refusal {
    scene::SourcePtr source;
    std::chrono::milliseconds pause;
    LocalInstant again;  ///< when it is tried again
    bool is_shown = true;
  };

  [[nodiscard]] std::vector<scene::SourcePtr> named() const;
  void refuse(const scene::SourcePtr& source);
  [[nodiscard]] picture::PictureSource* find_again(const scene::SourcePtr& source);
  template <typename Get>
  [[nodiscard]] picture::PictureSource* try_source(Get&& get, const scene::SourcePtr& source);
  [[nodiscard]] picture::PictureSource* wait_for(const scene::SourcePtr& source);
  [[nodiscard]] bool is_late(const scene::SourcePtr& source) const;
  void note_late(const scene::SourcePtr& source);
  [[nodiscard]] std::optional<LocalInstant> limit_of(const Use& use, Stage stage) const;
  void begin_wait(const scene::SourcePtr& source, std::optional<LocalInstant> limit) noexcept;
  void end_wait() noexcept;

  const scene::LatePolicy late_policy_;
  const std::function<void(const std::string& line)> problem_;
  DrawCancellation* const cancellation_;  // null: nothing has a limit
  const scene::Scene* scene_ = nullptr;
  bool strict_ = false;
  std::vector<Refusal> refused_;
  std::vector<scene::SourcePtr> late_;  // left out of the last picture
  SourceCache cache_;
};

}  // namespace tilewall::panel

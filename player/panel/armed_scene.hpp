// Gets a panel ready for the scene that may be shown next, beside the running show: opens its
// sources, and draws the pictures of its first two ticks into buffers of its own. They are copied
// into the ring when a scene with the same pictures takes effect.
//
// The scene has a composer with sources of its own, so what it draws moves no source of the running
// show: a movie that both show is open twice. The running show's composer takes the sources over.
//
// What plays on from the running show (a region whose timeline has a start) shows a frame that is
// not known yet, and is left out. Its sources are open already.
//
// Threads: one owner, the decode thread.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "player/panel/composer.hpp"
#include "player/panel/draw_cancellation.hpp"
#include "player/panel/scene_slot.hpp"
#include "player/scene/arming_messages.hpp"

namespace tilewall::panel {

/// A picture that is drawn whole.
struct ArmedPicture {
  Composition composition;  ///< its regions are those of the armed scene
  TickDetail detail;
  picture::DrawStatus status = picture::DrawStatus::whole;
  bool better_comes = false;  ///< value of Composer::better_comes()
  std::uint64_t hash = 0;     ///< XXH3-64 of the pixels; 0 unless hashes are asked for
  ImageView pixels;           ///< rows of BGRX without padding
};

class ArmedScene {
 public:
  using Tell = std::function<void(const scene::ArmedReport& report)>;

  /// Pictures that are drawn ahead, those of the first ticks.
  static constexpr std::size_t most_pictures = 2;

  /// Value of again() where step() has nothing to do.
  static constexpr LocalInstant nothing_to_do{Nanos::max()};

  /// The references outlive this object. `cancellation` is that of the running show, between whose
  /// pictures step() is called. `tell` is called with each report.
  ArmedScene(const scene::PanelConfig& config, SourceCache::Open open,
             DrawCancellation& cancellation, const SceneSlot& scenes, Tell tell);

  /// Takes the newest order. One with the same pictures keeps what is drawn, and is answered at
  /// once.
  void update();
  /// The order of the last update(); null: none.
  [[nodiscard]] const PreparedPtr& order() const noexcept { return order_; }
  /// When step() has something to do.
  [[nodiscard]] LocalInstant again() const noexcept { return again_; }
  /// Starts to open sources, or draws one picture. Sources are waited for until `until`.
  void step(LocalInstant until);
  /// The time by which the longest step() took longer than it was allowed to. Such a step has to be
  /// begun earlier. Each second halves it, because the machine may have been busy.
  [[nodiscard]] Nanos overrun() const noexcept;

  /// The picture with this composition; null where it is not drawn, or is coarser than the running
  /// show's would be. Valid until the next update() or step().
  [[nodiscard]] const ArmedPicture* find(const scene::Scene& scene, const Composition& composition,
                                         TickDetail detail) const;

  /// Leaves its sources to the composer of the running show, whose scene has begun. `is_shown`: it
  /// shows the armed pictures, and nothing more is drawn for this order. Else only sources are
  /// taken that are not open there, and they are opened here anew.
  void hand_over(Composer& composer, bool is_shown);

 private:
  struct Planned {
    GlobalInstant due;
    RegionFrames frames;
    bool is_drawn = false;
    ArmedPicture picture;
  };

  void release();
  void begin(const PreparedPtr& order);
  [[nodiscard]] bool has_same_pictures(const scene::PreparedScene& order) const;
  [[nodiscard]] std::vector<Planned> plan() const;
  /// Whether all sources are open or refused. Adds lines about those that are not open.
  [[nodiscard]] bool open_sources(std::vector<std::string>& missing);
  void draw(std::size_t picture, std::vector<std::string>& missing);
  [[nodiscard]] bool plays_elsewhere(const scene::SourceSpec& source) const;
  [[nodiscard]] bool is_late() const;
  void report(std::vector<std::string> missing);
  [[nodiscard]] ImageView buffer(std::size_t picture);

  const scene::PanelConfig& config_;
  DrawCancellation& cancellation_;
  const SceneSlot& scenes_;
  const Tell tell_;
  const scene::SourceSpec* asked_ = nullptr;  // the source whose opening is asked for
  std::map<const scene::SourceSpec*, std::string> refusals_;
  Composer composer_;
  PreparedPtr order_;                          // null: none
  std::shared_ptr<const scene::Scene> scene_;  // what is drawn of the order; null: nothing
  std::vector<scene::SourcePtr> sources_;      // those of scene_'s first ticks
  std::vector<Planned> pictures_;
  std::array<std::vector<std::uint8_t>, most_pictures> memory_;  // empty until the first order
  bool is_shown_ = false;  // the running show has taken the pictures
  LocalInstant begun_;
  LocalInstant again_ = nothing_to_do;
  Nanos overrun_{0};
  LocalInstant overran_at_{};
  std::optional<scene::ArmedReport> told_;  // the last report of the order
};

}  // namespace tilewall::panel

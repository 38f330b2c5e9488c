// Plans the surveys of a wall's hosts: what each host needs for some regions of a show. Each source
// becomes files to compare, servers to reach and media to measure.
//
// The files' sizes and dates are those on this machine. Threads: one owner.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "player/scene/scene.hpp"
#include "player/survey/file_facts.hpp"
#include "player/survey/survey_request.hpp"
#include "wallconfigs/wall.hpp"

namespace tilewall::survey {

struct PlanOptions {
  bool headless = false;                 ///< displays are not measured
  Hashing hashing = Hashing::none;       ///< whether files are compared by their contents, too
  std::chrono::milliseconds time{1000};  ///< for measuring each medium, see MediaSubject::time
  /// As in SurveyRequest; empty: by the number of media, and the bytes to hash.
  std::optional<std::chrono::milliseconds> limit;
  /// Folder below which a show has its run directory, on every host.
  std::filesystem::path logs = std::filesystem::temp_directory_path();
};

class SurveyPlan {
 public:
  /// `wall` outlives this.
  SurveyPlan(const wall::Wall& wall, PlanOptions options);

  /// Adds what hosts need for the region's source, a playlist's items included. `label` names what
  /// needs it, such as a cue; "" = nothing. May read whole files for their hashes. Throws
  /// InputError naming a file that is missing on this machine.
  void add_region(const scene::Region& region, const std::string& label = "");

  /// The request for a machine with these panels (indices into Wall::panels). `clock`: "HOST:PORT"
  /// of the clock daemon, or of two with a comma; "" = none.
  [[nodiscard]] SurveyRequest request_for(const std::vector<int>& panels,
                                          const std::string& clock) const;

 private:
  /// A medium with the views of all panels, in the wall's order; empty where a panel does not show
  /// it.
  struct WallMedia {
    MediaSubject media;
    std::vector<std::optional<PanelView>> views;
  };

  void add_source(const scene::Region& region, const scene::SourceSpec& source,
                  const std::string& label);
  void add_volume(const scene::Region& region, const scene::SourceSpec& source,
                  const std::string& label);
  void add_files(const std::string& path, const std::vector<std::string>& names,
                 const std::string& label, bool required);
  void add_media(const scene::Region& region, const scene::SourceSpec& source, MediaSubject media);
  void add_server(const std::string& url, const std::string& label);
  [[nodiscard]] std::chrono::milliseconds usual_limit() const;
  void omit(CheckKind kind, const std::string& subject, const std::string& label,
            const std::string& reason);

  const wall::Wall& wall_;
  const PlanOptions options_;
  const wall::Canvas canvas_;
  SurveyRequest common_;
  std::vector<WallMedia> media_;
  std::uint64_t shared_bytes_ = 0;  // memory that all panels of a host share
  std::set<std::string> seen_;      // what was added already, with its label
};

/// Memory of a panel process: its ring of pictures, kept blocks and window.
inline constexpr std::uint64_t panel_bytes = std::uint64_t{250} << 20;
/// Room for a show's logs and crash reports on a host.
inline constexpr std::uint64_t logs_bytes = std::uint64_t{64} << 20;
/// A host's error bound from which on pictures may be visibly apart at 120 Hz.
inline constexpr double most_bound_us = 1000;

}  // namespace tilewall::survey

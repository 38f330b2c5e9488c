// Random show files that hold together, for property tests.
#pragma once

#include <random>
#include <string>

#include "player/cues/show_file.hpp"

namespace tilewall::cues {

class RandomShow {
 public:
  explicit RandomShow(unsigned seed) : random_(seed) {}

  [[nodiscard]] ShowFile make(std::size_t cues);
  /// A cue with this name that names no section and no other cue.
  [[nodiscard]] CueEntry cue(const std::string& name);

 private:
  [[nodiscard]] std::size_t below(std::size_t count) { return random_() % count; }
  [[nodiscard]] bool one_in(std::size_t count) { return below(count) == 0; }
  /// In (0, 1]; most of them have no short decimal form.
  [[nodiscard]] double share() { return static_cast<double>(1 + below(999)) / 999; }
  [[nodiscard]] std::string text();
  [[nodiscard]] Rational ratio(std::int64_t most);
  [[nodiscard]] Place place();
  void set_timeline(RegionEntry& region);
  void set_volume(RegionEntry& region);
  [[nodiscard]] RegionEntry region(const std::string& name);
  [[nodiscard]] CompareEntry comparison();

  std::mt19937 random_;
};

}  // namespace tilewall::cues

// Figures of the last ten minutes, one sample a second, for small graphs.
//
// Threads: one owner.
#pragma once

#include <cstdint>
#include <deque>
#include <nlohmann/json.hpp>
#include <optional>

namespace tilewall::console {

class History {
 public:
  static constexpr std::int64_t every_ms = 1000;
  static constexpr std::size_t most = 600;

  /// Takes a sample from the answer to `status` if the last one is a second old. `at_utc_ms` is the
  /// time now.
  void add(const nlohmann::json& answer, std::int64_t at_utc_ms);

  /// {"every_s", "samples"}; see PROTOCOL.md.
  [[nodiscard]] nlohmann::json json() const;

 private:
  std::deque<nlohmann::json> samples_;
  std::int64_t last_utc_ms_ = 0;
  std::optional<std::int64_t> frames_late_;  // in all, at the last sample; empty: no sample yet
};

}  // namespace tilewall::console

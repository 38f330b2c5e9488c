// Control messages between a wall and one rank of a live source, as JSON (net/slab: questions,
// answers, and messages that the rank sends by itself).
//
//   {"type": "describe"}                        question; its answer is LiveDescription
//   {"type": "want", "field", "timestep", ...}  question; its answer is {"reached"}
//   {"type": "reached", "timestep", "time"}     from the rank, after each end_step
//   {"type": "skipped", "line"}                question: why a timestep was not shown; answer {}
//   {"type": "refused", "line"}                question: why the session ends; answer {}
//
// A rank that connects by itself says whose it is in the challenge: "live NAME RANK RANKS".
//
// Threads: values and free functions without state.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/live/live_request.hpp"

namespace tilewall::net {

inline constexpr std::size_t longest_live_name = 64;   ///< bytes of a source's or field's name
inline constexpr std::size_t longest_live_units = 64;  ///< bytes of the units of a source or field

/// What is wrong with the name of a source or field, "" if nothing: 1 to 64 letters, digits and
/// "-_.+", the first no punctuation. `what` names it in the text.
[[nodiscard]] std::string fault_of_live_name(std::string_view name, std::string_view what);

struct LiveField {
  std::string name;
  LiveType type = LiveType::f32;
  std::string units;  ///< up to 64 bytes; "" where they are unknown
  bool operator==(const LiveField&) const = default;
};

/// A rank and its source. All ranks of a source agree on name, ranks, grid, spacing, origin and
/// units.
struct LiveDescription {
  std::string name;
  std::uint32_t rank = 0;
  std::uint32_t ranks = 1;
  std::string run;                      ///< 16 hexadecimal digits: a number of this process's own
  std::array<std::uint32_t, 3> grid{};  ///< voxels along x, y and z, 1 to 8192 each
  std::array<double, 3> spacing{1, 1, 1};  ///< distance of neighbours, finite and > 0
  std::array<double, 3> origin{};          ///< place of the first voxel's centre, finite
  std::string units;                       ///< The units of spacing and origin; "" if unknown.
  std::vector<LiveField> fields;           ///< as they were put first
  std::optional<std::uint64_t> reached;    ///< the newest timestep that was ended; empty: none
  double time = 0;                         ///< the simulation's, of that timestep
  double steps_s = 0;                      ///< timesteps a second, lately; 0: unknown
};
[[nodiscard]] nlohmann::json to_json(const LiveDescription& description);
/// Throws InputError.
[[nodiscard]] LiveDescription live_description_from_json(const nlohmann::json& json);

/// How the wall chooses timesteps.
enum class LivePolicy : std::uint8_t {
  newest,  ///< It takes the one that comes next. Ranks never wait.
  every,   ///< It takes each one, and ranks wait for it.
  nth      ///< It takes each N-th one, and there ranks wait for it.
};
inline constexpr std::string_view live_policy_names[] = {"newest", "every", "nth"};

/// The timestep that all ranks are to send: no earlier one, and each later one only once it is
/// wanted.
struct LiveWant {
  std::string field;
  std::uint64_t timestep = 0;
  LivePolicy policy = LivePolicy::newest;
  double wait_s = 0;  ///< longest wait of a rank that is at a timestep beyond this one; 0 to 60
  /// Policy nth: the N. A rank goes on until it is N, 2 N, ... timesteps beyond this one, and waits
  /// there.
  std::uint64_t stride = 1;
  /// f32 becomes u8 at the rank: this value and less is 0, that and more 255. Empty: as put.
  std::optional<std::array<double, 2>> quantise;
  bool operator==(const LiveWant&) const = default;
};
[[nodiscard]] nlohmann::json to_json(const LiveWant& want);
/// Throws InputError.
[[nodiscard]] LiveWant live_want_from_json(const nlohmann::json& json);

/// News of a rank.
struct LiveReached {
  std::uint64_t timestep = 0;
  double time = 0;
  bool operator==(const LiveReached&) const = default;
};
[[nodiscard]] nlohmann::json to_json(const LiveReached& reached);
/// Throws InputError.
[[nodiscard]] LiveReached live_reached_from_json(const nlohmann::json& json);

/// Whose a connecting rank is.
struct LiveOffer {
  std::string name;
  std::uint32_t rank = 0;
  std::uint32_t ranks = 1;
  bool operator==(const LiveOffer&) const = default;
};
[[nodiscard]] std::string to_text(const LiveOffer& offer);
/// Throws InputError.
[[nodiscard]] LiveOffer parse_live_offer(std::string_view text);

}  // namespace tilewall::net

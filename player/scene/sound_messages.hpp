// Messages between the sound process and the director, over the control port.
//
// The connection begins like a panel's: challenge, then a hello. The director sends scenes and
// releases as panels get them, and "quit" at the end. The process sends its status a few times a
// second.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "player/scene/messages.hpp"
#include "sync/base/log_histogram.hpp"

namespace tilewall::scene {

/// Name of a file in the run directory, which the director makes when a scene first has sound, and
/// no sound process was started with the show. The supervisor then starts one.
inline constexpr const char* sound_wanted_file = "sound.wanted";

/// Sound process -> director, the first message of a connection.
struct SoundHello {
  int pid = 0;
  std::string host;  ///< Host name that the process's machine has for itself
};

/// Sound process -> director: its status. Figures are of this process since its start.
struct SoundStatus {
  std::string device;            ///< SDL's name of the driver; "" = none
  std::string state = "silent";  ///< "playing", "silent" (nothing is due), "no device"
  double played_s = 0;           ///< Time in which something was heard
  Percentiles offset_ms;         ///< Distance of the sound from its due position, absolute
  double resample_ppm = 0;
  std::uint64_t underruns = 0;
  std::vector<std::string> notes;  ///< Notes for people
};

[[nodiscard]] nlohmann::json to_json(const SoundHello& hello);
[[nodiscard]] nlohmann::json to_json(const SoundStatus& status);

// Each throws InputError naming the field that is missing or wrong.
[[nodiscard]] SoundHello sound_hello_from_json(const nlohmann::json& json);
[[nodiscard]] SoundStatus sound_status_from_json(const nlohmann::json& json);

}  // namespace tilewall::scene

// What the sound process and the director say to each other over the control port.
//
// The connection begins like a panel's: challenge, then a hello. The director answers with
// "sound_config" and then sends scenes and releases as panels get them, and "quit" at the end; the
// process says a few times a second how it is.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "player/scene/messages.hpp"
#include "sync/base/log_histogram.hpp"

namespace tilewall::scene {

/// In the run directory: made by the director when a scene first has sound, while no process for it
/// was started with the show; the supervisor then starts one.
inline constexpr const char* sound_wanted_file = "sound.wanted";

/// Sound process -> director, the answer to the challenge.
struct SoundHello {
  int pid = 0;
  std::string host;  ///< as its machine calls itself
  std::string tag;   ///< sound_hello_text() under the show's key, in hexadecimal; "" without a key
};

/// What a hello's tag is computed over.
[[nodiscard]] std::string sound_hello_text(const Challenge& challenge, const SoundHello& hello);

/// Director -> sound process, once.
struct SoundConfig {
  std::vector<std::string> crashed_files;  ///< that decoders died of too often: left out
};

/// Sound process -> director: how it is now.
struct SoundStatus {
  std::string device;              ///< SDL's name of the driver; "" = none
  std::string state = "silent";    ///< "playing", "silent" (nothing is due), "no device"
  std::vector<std::string> files;  ///< that it decodes, or is about to
  double played_s = 0;    ///< in which something was heard; of this process, as what follows
  Percentiles offset_ms;  ///< due position minus where the sound was; absolute
  double resample_ppm = 0;
  std::uint64_t underruns = 0;
  std::vector<std::string> notes;  ///< what a person should know; all of this process
};

[[nodiscard]] nlohmann::json to_json(const SoundHello& hello);
[[nodiscard]] nlohmann::json to_json(const SoundConfig& config);
[[nodiscard]] nlohmann::json to_json(const SoundStatus& status);

// Each throws InputError naming the field that is missing or wrong.
[[nodiscard]] SoundHello sound_hello_from_json(const nlohmann::json& json);
[[nodiscard]] SoundConfig sound_config_from_json(const nlohmann::json& json);
[[nodiscard]] SoundStatus sound_status_from_json(const nlohmann::json& json);

}  // namespace tilewall::scene

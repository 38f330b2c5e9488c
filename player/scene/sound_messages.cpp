#include "player/scene/sound_messages.hpp"

#include <nlohmann/json.hpp>

#include "sync/base/json_fields.hpp"

namespace tilewall::scene {

using Json = nlohmann::json;

Json to_json(const SoundHello& hello) {
  return {{"type", "sound_hello"},
          {"protocol", control_protocol_version},
          {"pid", hello.pid},
          {"host", hello.host}};
}

SoundHello sound_hello_from_json(const Json& json) {
  if (const int protocol = json_field<int>(json, "protocol"); protocol != control_protocol_version)
    throw InputError({"message"}, "protocol", std::to_string(control_protocol_version),
                     std::to_string(protocol));
  return {json_field<int>(json, "pid"), json_field<std::string>(json, "host")};
}

Json to_json(const SoundStatus& status) {
  return {{"type", "sound"},
          {"device", status.device},
          {"state", status.state},
          {"played_s", status.played_s},
          {"offset_ms", {status.offset_ms.p50, status.offset_ms.p99, status.offset_ms.max}},
          {"resample_ppm", status.resample_ppm},
          {"underruns", status.underruns},
          {"notes", status.notes}};
}

SoundStatus sound_status_from_json(const Json& json) {
  SoundStatus status;
  status.device = json_field<std::string>(json, "device");
  status.state = json_field<std::string>(json, "state");
  status.played_s = json_field<double>(json, "played_s");
  const auto offset = json_field<std::vector<double>>(json, "offset_ms");
  if (offset.size() != 3) throw InputError({"message"}, "offset_ms", "[p50, p99, max]", "");
  status.offset_ms = {offset[0], offset[1], offset[2]};
  status.resample_ppm = json_field<double>(json, "resample_ppm");
  status.underruns = json_field<std::uint64_t>(json, "underruns");
  status.notes = json_field<std::vector<std::string>>(json, "notes");
  return status;
}

}  // namespace tilewall::scene

#include "player/director/sound_service.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "player/director/statistics/report.hpp"
#include "sync/base/json_fields.hpp"

namespace tilewall::director {

using Json = nlohmann::json;

bool SoundService::want() { return !std::exchange(wanted_, true) && allowed_; }

void SoundService::welcome(ConnectionId from, const scene::SoundHello& hello) {
  connection_ = from;
  host_ = hello.host;
}

void SoundService::take(scene::SoundStatus status, LocalInstant now) {
  status_ = std::move(status);
  status_at_ = now;
}

std::string SoundService::state(LocalInstant now) const {
  if (!allowed_) return "off";
  if (!wanted_) return "no sound";
  if (!connection_ || !status_) return "missing";
  if (now - status_at_ > silence_limit) return "stalled";
  return status_->state;
}

Json SoundService::report(LocalInstant now) const {
  if (!status_) return json(state(now));
  return json(status_->played_s > 0 ? "played" : status_->state);
}

Json SoundService::status(LocalInstant now) const { return json(state(now)); }

Json SoundService::json(const std::string& state) const {
  Json json = {{"state", state}, {"device", nullptr}};
  if (!status_) return json;
  json["host"] = host_;
  if (!status_->device.empty()) json["device"] = status_->device;
  json["played_s"] = status_->played_s;
  json["offset_ms"] = to_json(status_->offset_ms);
  json["resample_ppm"] = status_->resample_ppm;
  json["underruns"] = status_->underruns;
  return json;
}

std::vector<std::string> SoundService::notes() const {
  std::vector<std::string> lines;
  if (status_) lines = status_->notes;
  if (allowed_ && wanted_ && !status_)
    lines.emplace_back("no sound: the sound process did not connect");
  return lines;
}

Json SoundService::checkpoint() const {
  return {{"host", host_}, {"status", status_ ? scene::to_json(*status_) : Json(nullptr)}};
}

void SoundService::restore(const Json& checkpoint) {
  host_ = json_field<std::string>(checkpoint, "host");
  const auto status = json_field<Json>(checkpoint, "status");
  if (!status.is_null()) status_ = scene::sound_status_from_json(status);
}

}  // namespace tilewall::director

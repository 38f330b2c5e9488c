#include "player/director/sound_desk.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "player/director/report.hpp"

namespace tilewall {

using Json = nlohmann::json;

bool SoundDesk::want() { return !std::exchange(wanted_, true) && allowed_; }

SoundConfig SoundDesk::welcome(ConnectionId from, const SoundHello& hello) {
  connection_ = from;
  host_ = hello.host;
  SoundConfig config;
  for (const auto& [file, crashes] : crashes_)
    if (crashes >= most_crashes) config.crashed_files.push_back(file);
  return config;
}

void SoundDesk::lose(bool in_the_middle) {
  connection_.reset();
  if (!status_ || !in_the_middle) return;
  for (const std::string& file : status_->files) ++crashes_[file];
}

std::string SoundDesk::state() const {
  if (!allowed_) return "off";
  if (!wanted_) return "no sound";
  if (!connection_ || !status_) return "missing";
  return status_->state;
}

Json SoundDesk::report() const {
  if (!status_) return json(state());
  return json(status_->played_s > 0 ? "played" : status_->state);
}

Json SoundDesk::status() const { return json(state()); }

Json SoundDesk::json(const std::string& state) const {
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

std::vector<std::string> SoundDesk::notes() const {
  std::vector<std::string> lines;
  if (status_) lines = status_->notes;
  if (allowed_ && wanted_ && !status_) lines.emplace_back("no sound: its process did not come");
  for (const auto& [file, crashes] : crashes_)
    if (crashes >= most_crashes)
      lines.push_back(fmt::format("no sound of {}: {} processes died of it", file, crashes));
  return lines;
}

}  // namespace tilewall

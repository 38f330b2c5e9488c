#include "player/director/sound_role.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <tuple>

#include "player/scene/sound_messages.hpp"
#include "sync/base/file.hpp"

namespace tilewall::director {

SoundRole::SoundRole(const ShowParts& parts, ControlServer& server, ScenePublisher& publisher,
                     const ShowLifecycle& lifecycle)
    : parts_(parts),
      server_(server),
      publisher_(publisher),
      lifecycle_(lifecycle),
      service_(parts.options.sound) {
  // Where the first scene has sound, the supervisor starts the process without being asked.
  if (scene::has_sound(parts.options.scene)) std::ignore = service_.want();
}

void SoundRole::welcome(const RoleMessage& message) {
  const scene::SoundHello hello = scene::sound_hello_from_json(message.json);
  server_.join(message.from);
  service_.welcome(message.from, hello);
  publisher_.send({&message.from, 1}, 0);
  parts_.roster.note_sound_back();
}

bool SoundRole::takes(const RoleMessage& message) const {
  return message.type == "sound" && message.from == service_.connection();
}

void SoundRole::take(RoleMessage& message) {
  service_.take(scene::sound_status_from_json(message.json), local_now());
}

void SoundRole::lose(ConnectionId id) {
  if (id != service_.connection()) return;
  service_.lose();
  if (!lifecycle_.is_ending()) parts_.roster.note_sound_death(service_.host());
}

void SoundRole::send_scene() {
  if (scene::has_sound(parts_.control.scene()) && service_.want()) ask_for_process();
  if (service_.connection()) publisher_.send({&*service_.connection(), 1}, 0);
}

void SoundRole::go_on() {
  std::error_code error;
  if (scene::has_sound(parts_.control.scene()) ||
      std::filesystem::exists(parts_.options.run_dir / scene::sound_wanted_file, error))
    std::ignore = service_.want();
}

void SoundRole::tell(const nlohmann::json& message) {
  if (service_.connection()) server_.send(*service_.connection(), message);
}

void SoundRole::ask_for_process() {
  try {
    write_file_atomically(parts_.options.run_dir / scene::sound_wanted_file, "");
  } catch (const JobError& error) {
    parts_.notes.note(fmt::format("no sound: {}", error.what()));
  }
}

}  // namespace tilewall::director

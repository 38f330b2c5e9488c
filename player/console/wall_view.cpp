#include "player/console/wall_view.hpp"

#include <fmt/format.h>

#include <utility>

#include "player/console/web_responses.hpp"
#include "sync/base/role_log.hpp"

namespace tilewall::console {
namespace {

using Json = nlohmann::json;
using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds status_interval{1000};  // sooner after events
constexpr std::size_t most_pictures = 4096;                 // more panels than any wall has
constexpr std::chrono::milliseconds event_pause{50};  // of status, after an event; many may follow

/// What the canvas coordinates of panels depend on.
struct CanvasModes {
  Json bezels;
  Json content;
  bool operator==(const CanvasModes&) const = default;
};

CanvasModes canvas_modes(const Json& status) {
  const Json scene = status.is_object() ? status.value("scene", Json::object()) : Json::object();
  return {scene.value("bezels", Json()), scene.value("content", Json())};
}

/// A picture as browsers get it: the length of its head, the head, the JPEG data.
std::string picture_frame(Json head, const std::vector<std::uint8_t>& jpeg) {
  head.erase("type");
  const std::string text = text_of(head);
  const auto size = static_cast<std::uint32_t>(text.size());
  std::string frame;
  frame.reserve(sizeof size + text.size() + jpeg.size());
  for (unsigned byte = 0; byte < sizeof size; ++byte)
    frame.push_back(static_cast<char>((size >> (8 * byte)) & 0xFFU));
  frame += text;
  frame.append(jpeg.begin(), jpeg.end());
  return frame;
}

}  // namespace

std::int64_t utc_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

WallView::WallView(boost::asio::io_context& io, const std::filesystem::path& run_dir,
                   Callbacks callbacks)
    : callbacks_(std::move(callbacks)),
      began_(SteadyClock::now()),
      state_({"movies"}),  // they need not be the show's
      status_timer_(io) {
  state_.set("director", "away");
  state_.set("cues_edition", cues_edition_);
  link_.emplace(
      io, run_dir,
      WallLink::Callbacks{[this] { take_connection(); }, [this] { lose_connection(); },
                          [this](const Json& event) { take_event(event); },
                          [this](const Json& head, const std::vector<std::uint8_t>& jpeg) {
                            take_picture(head, jpeg);
                          }});
  ask_status();
}

std::string WallView::show_file() const {
  const Json& status = state_.part("status");
  const Json presentation =
      status.is_object() ? status.value("presentation", Json::object()) : Json::object();
  const Json file = presentation.is_object() ? presentation.value("file", Json()) : Json();
  return file.is_string() ? file.get<std::string>() : "";
}

std::string WallView::scene_mode(const char* name) const {
  const CanvasModes modes = canvas_modes(state_.part("status"));
  const Json& mode = std::string_view(name) == "bezels" ? modes.bezels : modes.content;
  return mode.is_string() ? mode.get<std::string>() : "";
}

void WallView::set(const std::string& part, Json value) {
  state_.set(part, std::move(value));
  publish();
}

void WallView::note(const std::string& by, const std::string& what, const std::string& result) {
  log_line("{}: {}: {}", by, what, result);
  activity_.add_line(by, what, result, utc_ms());
  set("commands", activity_.json());
}

void WallView::take_connection() {
  state_.set("director", "connected");
  asks_status_ = false;
  is_watching_ = false;
  ask_wall();
  ask_status();
  watch_pictures();
}

void WallView::lose_connection() {
  if (state_.part("director") != "ended") state_.set("director", "away");
  is_watching_ = false;
  publish();
}

void WallView::ask_wall() {
  link_->ask({{"type", "wall"}}, [this](const Json& answer) {
    if (answer.value("type", "") != "wall") return;
    Json wall = answer;
    for (const char* const name : {"type", "id"}) wall.erase(name);
    set("wall", std::move(wall));
  });
}

/// Asks for the status, and again after a while.
void WallView::ask_status() {
  callbacks_.look();
  watch_pictures();
  status_timer_.expires_after(status_interval);
  status_timer_.async_wait([this](boost::system::error_code error) {
    if (!error) ask_status();
  });
  // Without a director, or with one that hangs, browsers still get the time: the console is alive.
  if (!link_->is_connected() || asks_status_) return publish_time();
  asks_status_ = true;
  const bool is_watched = callbacks_.is_watched();
  link_->ask({{"type", "status"}, {"per_panel", is_watched}, {"lists", is_watched}},
             [this](const Json& answer) {
               asks_status_ = false;
               if (answer.value("type", "") == "status") take_status(answer);
             });
}

void WallView::ask_status_soon() {
  if (status_timer_.expiry() < SteadyClock::now() + event_pause) return;
  status_timer_.expires_after(event_pause);
  status_timer_.async_wait([this](boost::system::error_code error) {
    if (!error) ask_status();
  });
}

void WallView::take_status(Json status) {
  history_.add(status, utc_ms());
  for (const char* const name : {"type", "id"}) status.erase(name);
  Json panels = Json::object();
  for (Json& panel : status["per_panel"]) {
    const std::string name = panel.is_object() ? panel.value("panel", "") : "";
    if (!name.empty()) panels[name] = std::move(panel);
  }
  status["per_panel"] = std::move(panels);
  if (canvas_modes(state_.part("status")) != canvas_modes(status)) ask_wall();
  state_.set("status", std::move(status));
  state_.set(
      "received_ms",
      std::chrono::duration_cast<std::chrono::milliseconds>(SteadyClock::now() - began_).count());
  publish_time();
}

/// Publishes the state with the time, by which browsers know that the connection is alive.
void WallView::publish_time() { set("utc_ms", utc_ms()); }

void WallView::take_event(const Json& event) {
  const std::string name = event.value("event", "");
  if (name == "end") state_.set("director", "ended");
  activity_.add(event, utc_ms());
  state_.set("commands", activity_.json());
  const Json request = event.value("request", Json::object());
  const std::string verb = request.is_object() ? request.value("type", "") : "";
  if (name == "show" || (name == "command" && (verb == "cue" || verb == "show")))
    state_.set("cues_edition", ++cues_edition_);
  callbacks_.event(event);
  publish();
  ask_status_soon();
}

void WallView::take_picture(const Json& head, const std::vector<std::uint8_t>& jpeg) {
  const std::string panel = head.value("panel", "");
  if (pictures_.size() >= most_pictures && !pictures_.contains(panel)) return;
  const SharedText& picture = pictures_[panel] =
      std::make_shared<const std::string>(picture_frame(head, jpeg));
  callbacks_.picture(panel, picture);
}

void WallView::watch_pictures() {
  const bool wanted = callbacks_.wants_pictures();
  if (wanted == is_watching_ || !link_ || !link_->is_connected()) return;
  is_watching_ = wanted;
  if (!wanted) pictures_.clear();
  link_->ask_this_one({{"type", "watch"}, {"pictures", wanted}},
                      [this, wanted](const Json& answer) {
                        const std::string type = answer.value("type", "");
                        if (type == "done") is_watching_refused_ = false;
                        if (type != "refused") return;
                        is_watching_ = !wanted;  // asked again with the next status
                        if (!std::exchange(is_watching_refused_, true))
                          log_line("pictures: {}", answer.value("error", ""));
                      });
}

void WallView::publish() {
  if (state_.commit()) callbacks_.changed();
}

}  // namespace tilewall::console

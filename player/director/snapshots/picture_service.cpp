#include "player/director/snapshots/picture_service.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "player/director/changes/picture_budget.hpp"
#include "player/director/connections/request_fields.hpp"
#include "sync/base/error.hpp"

namespace tilewall::director {
namespace {

using Json = nlohmann::json;

constexpr std::size_t max_watchers = 64;
// A watcher with more than this unread gets no further picture for the moment, so that answers do
// not wait behind pictures.
constexpr std::size_t most_unread_bytes = 256u << 10;
constexpr std::size_t most_waiting_bytes = 16u << 20;  // for each watcher

std::int64_t budget_of(RequestFields& fields) {
  const std::int64_t budget = fields.whole_if("bytes_per_s").value_or(usual_picture_budget);
  if (budget < least_picture_budget || budget > most_picture_budget)
    fields.refuse("bytes_per_s", "a whole number from 10000 to 100000000", std::to_string(budget));
  return budget;
}

}  // namespace

PictureService::PictureService(ControlServer& server, const wall::Wall& wall, TellPanel tell_panel)
    : server_(server), wall_(wall), tell_panel_(std::move(tell_panel)) {}

void PictureService::take(ConnectionId from, const Json& request) {
  RequestFields fields(request);
  const bool begins = fields.flag("pictures");
  const std::int64_t budget = budget_of(fields);
  fields.check_all_known();
  if (!begins) return forget(from);
  if (watchers_.size() >= max_watchers && !watchers_.contains(from))
    throw InputError({"watch"}, "", "64 watchers at most", "more");
  watchers_.erase(from);
  watchers_.emplace(from, Watcher{budget, NewestPictures(most_waiting_bytes)});
  tell_panels();
}

scene::WatchOrder PictureService::order_for(std::size_t panel) const {
  if (watchers_.empty()) return {};
  std::int64_t budget = 0;
  for (const auto& [id, watcher] : watchers_) budget = std::max(budget, watcher.bytes_per_s);
  return watch_order(budget, panel, wall_.panels.size(), wall_.panels[panel].viewed_size_px());
}

void PictureService::tell_panels() {
  for (std::size_t i = 0; i < wall_.panels.size(); ++i)
    tell_panel_(i, scene::to_json(order_for(i)));
}

void PictureService::greet(std::size_t panel) {
  if (!watchers_.empty()) tell_panel_(panel, scene::to_json(order_for(panel)));
}

void PictureService::forward(std::size_t panel, const Json& json, std::vector<std::uint8_t> jpeg) {
  const scene::SwappedPicture picture = scene::swapped_picture_from_json(json);
  if (jpeg.empty() || jpeg.size() > scene::most_picture_bytes)
    throw InputError({"message"}, "picture", "1 byte to 1 MiB", std::to_string(jpeg.size()));
  if (watchers_.empty()) return;  // the last one has just gone
  Json forwarded = scene::to_json(picture);
  forwarded["panel"] = wall_.panels[panel].name;
  const auto message =
      std::make_shared<const net::Message>(net::Message{forwarded.dump(), std::move(jpeg)});
  for (auto& [id, watcher] : watchers_) {
    watcher.waiting.put(panel, message);
    send_waiting(id, watcher);
  }
}

void PictureService::send_waiting(ConnectionId to, Watcher& watcher) {
  while (!watcher.waiting.empty() && server_.unread_bytes(to) <= most_unread_bytes)
    server_.send_message(to, *watcher.waiting.take());
}

void PictureService::step() {
  for (auto& [id, watcher] : watchers_) send_waiting(id, watcher);
}

void PictureService::forget(ConnectionId id) {
  const auto found = watchers_.find(id);
  if (found == watchers_.end()) return;
  const std::int64_t budget = found->second.bytes_per_s;
  watchers_.erase(found);
  const bool is_less = std::ranges::all_of(
      watchers_, [&](const auto& other) { return other.second.bytes_per_s < budget; });
  if (is_less) tell_panels();
}

}  // namespace tilewall::director

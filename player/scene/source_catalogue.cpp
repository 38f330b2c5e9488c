#include "player/scene/source_catalogue.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "sync/base/json_fields.hpp"
#include "sync/base/json_text.hpp"

namespace tilewall::scene {
namespace {

using Json = nlohmann::json;

constexpr std::size_t piece_bytes = std::size_t{1} << 20;
constexpr std::size_t max_source_bytes = std::size_t{256} << 20;

}  // namespace

std::uint64_t SourceCatalogue::id_of(const SourcePtr& source) {
  const auto [found, is_new] = ids_.try_emplace(source.get(), last_id_ + 1);
  if (is_new) sources_.emplace(++last_id_, source);
  return found->second;
}

void SourceCatalogue::keep_only(const std::set<SourcePtr>& sources) {
  std::erase_if(ids_,
                [&](const auto& known) { return !sources.contains(sources_.at(known.second)); });
  std::erase_if(sources_, [&](const auto& known) { return !sources.contains(known.second); });
}

std::vector<Json> SourceCatalogue::messages(std::uint64_t id) const {
  // The text is ASCII, so that a piece never ends within a character.
  const std::string text = to_json(*sources_.at(id)).dump(-1, ' ', true);
  std::vector<Json> pieces;
  for (std::size_t at = 0; at < text.size(); at += piece_bytes)
    pieces.push_back({{"type", "source"},
                      {"id", id},
                      {"text", text.substr(at, piece_bytes)},
                      {"more", at + piece_bytes < text.size()}});
  return pieces;
}

void ReceivedSources::take(const Json& message) {
  text_ += json_field<std::string>(message, "text");
  if (text_.size() > max_source_bytes)
    throw InputError({"message"}, "text", "a source of 256 MiB at most", "more");
  if (json_field<bool>(message, "more")) return;
  const Json json = parse_json(std::exchange(text_, {}));
  sources_[json_field<std::uint64_t>(message, "id")] =
      std::make_shared<const SourceSpec>(source_from_json(json));
}

void ReceivedSources::keep_only(const std::set<SourcePtr>& sources) {
  std::erase_if(sources_, [&](const auto& known) { return !sources.contains(known.second); });
}

const SourcePtr& ReceivedSources::at(std::uint64_t id) const {
  const auto found = sources_.find(id);
  if (found == sources_.end())
    throw InputError({"message"}, "source", "one that was sent", std::to_string(id));
  return found->second;
}

}  // namespace tilewall::scene

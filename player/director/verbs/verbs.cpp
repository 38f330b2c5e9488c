#include "player/director/verbs/verbs.hpp"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "player/volume/volume_job.hpp"
#include "sync/base/error.hpp"
#include "sync/base/nearest.hpp"

namespace tilewall::director {
namespace {

const std::map<std::string_view, Verb>& verb_table() {
  static const std::map<std::string_view, Verb> table = [] {
    std::map<std::string_view, Verb> verbs;
    for (const auto& group : {transport_verbs(), view_verbs(), region_verbs(), compare_verbs(),
                              wall_verbs(), volume_verbs()})
      for (const Verb& verb : group) verbs.emplace(verb.name, verb);
    return verbs;
  }();
  return table;
}

[[noreturn]] void throw_unknown_verb(const std::string& verb) {
  std::vector<std::string_view> known = {"status", "wall",    "watch",     "snapshot", "logs",
                                         "live",   "restart", "subscribe", "quit"};
  for (const auto& [name, entry] : verb_table()) known.push_back(name);
  const std::string_view nearest = near_word(verb, known);
  throw InputError({"request"}, "type", "a known verb",
                   nearest.empty() ? verb : fmt::format("{} (nearest: {})", verb, nearest));
}

}  // namespace

scene::SourcePtr source_of(RequestFields& fields) {
  auto source =
      std::make_shared<const scene::SourceSpec>(scene::source_from_json(fields.object("source")));
  const bool is_volume = source->kind == scene::SourceKind::volume;
  if (source->live && !(is_volume && volume::volume_job_of(source->path).live))
    fields.refuse("source", "the description of a live source in its path", "another one");
  return source;
}

ApplyCommand command_of(const nlohmann::json& request, const wall::Wall& wall) {
  RequestFields fields(request);
  const auto found = verb_table().find(fields.verb());
  if (found == verb_table().end()) throw_unknown_verb(fields.verb());
  const std::string region = fields.text_or("region", "");
  const std::string who = fields.text_or("as", std::string(operator_name));
  const ApplyCommand command = found->second.read({fields, region, wall});
  fields.check_all_known();
  return [command, region, who](SceneChange& change) {
    if (who != operator_name) change.check_owner(region, who);
    command(change);
  };
}

void check_operator(const nlohmann::json& request) {
  RequestFields fields(request);
  const std::string who = fields.text_or("as", std::string(operator_name));
  if (fields.verb() == "key") static_cast<void>(fields.text("key"));  // the key `quit`
  if (who != operator_name) fields.refuse("as", std::string(operator_name), '"' + who + '"');
  fields.check_all_known();
}

}  // namespace tilewall::director

#include "player/volume/volume_offer.hpp"

#include <nlohmann/json.hpp>

#include "sync/base/error.hpp"
#include "sync/base/json_fields.hpp"

namespace tilewall {

std::string to_text(const std::vector<VolumeOffer>& offers) {
  nlohmann::json list = nlohmann::json::array();
  for (const VolumeOffer& offer : offers)
    list.push_back({{"name", offer.name}, {"path", offer.path}, {"more", offer.more}});
  return list.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::vector<VolumeOffer> volume_offers_of(std::string_view text, const std::string& file) {
  std::vector<VolumeOffer> offers;
  try {
    const nlohmann::json list = parse_json(text);
    if (!list.is_array() || list.size() > most_volume_offers)
      throw InputError({"volumes"}, "", "a list", shown_json(list));
    for (const nlohmann::json& offer : list)
      offers.push_back({json_field<std::string>(offer, "name"),
                        json_field<std::string>(offer, "path"),
                        json_field<std::vector<std::string>>(offer, "more")});
  } catch (const InputError& error) {
    throw InputError(file + ": " + error.what());
  }
  return offers;
}

}  // namespace tilewall

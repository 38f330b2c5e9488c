#include "player/path/style_at.hpp"

#include "player/scene/scene_paths.hpp"
#include "sync/base/check.hpp"

namespace tilewall::path {

std::shared_ptr<const scene::VolumeStyle> style_at(const KeyStyles& styles,
                                                   const render::FlightPath& flight,
                                                   double time_s) {
  TW_CHECK(styles.size() == flight.keys().size());
  const std::size_t key = flight.place_at(time_s).key;
  const auto& here = styles[key];
  if (key + 1 == styles.size() || here == styles[key + 1] || *here == *styles[key + 1]) return here;
  const double begin_s = flight.departure_s(key);
  const double share = (time_s - begin_s) / (flight.arrival_s(key + 1) - begin_s);
  if (!(share > 0)) return here;
  if (share >= 1) return styles[key + 1];
  // From the next key back to this one: what cannot be mixed is that of the latter.
  return std::make_shared<const scene::VolumeStyle>(
      scene::blended(*styles[key + 1], *here, 1 - share));
}

}  // namespace tilewall::path

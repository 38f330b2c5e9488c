// A volume of a show as the server for its other hosts has it: under a name that leads to just that
// file or series. The director writes the list of them whenever it changes, the server reads it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilewall {

inline constexpr std::size_t most_volume_offers = 1000;
inline constexpr std::size_t longest_offer_list = std::size_t{64} << 20;  ///< bytes

struct VolumeOffer {
  std::string name;               ///< what a client asks for; of one volume of a show alone
  std::string path;               ///< absolute; where it leads is meant
  std::vector<std::string> more;  ///< VolumeOptions::more, which clients cannot name
  bool operator==(const VolumeOffer&) const = default;
};

[[nodiscard]] std::string to_text(const std::vector<VolumeOffer>& offers);
/// Throws InputError naming `file` for what is no such list.
[[nodiscard]] std::vector<VolumeOffer> volume_offers_of(std::string_view text,
                                                        const std::string& file);

}  // namespace tilewall

#include "player/cli/ctl/verbs.hpp"

#include <iterator>

namespace tilewall {

std::vector<CtlVerb> ctl_verbs() {
  std::vector<CtlVerb> all;
  for (auto& group :
       {ctl_transport_verbs(), ctl_view_verbs(), ctl_region_verbs(), ctl_wall_verbs()})
    all.insert(all.end(), group.begin(), group.end());
  return all;
}

}  // namespace tilewall

// What `bench net` prints for people.
#pragma once

#include <nlohmann/json.hpp>

namespace tilewall {

/// `report` as `bench net --json` prints it.
void print_net_table(const nlohmann::json& report);

}  // namespace tilewall

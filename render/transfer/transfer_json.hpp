// A transfer function in messages between processes.
//
// {"name": "bone", "scale": "values", "points": [[value, r, g, b, opacity], ...], "unit": 1.0,
//  "look": {"shaded": true, "ambient": 0.1, "diffuse": 0.9, "specular": 0.2}}
// `unit` and `look` are left out where there is none; notes do not travel. Numbers come back to the
// bit. At most about 400 kB.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "render/transfer/transfer_spec.hpp"

namespace tilewall {

[[nodiscard]] nlohmann::json to_json(const TransferSpec& spec);

/// Throws InputError naming the field for anything that check_transfer_spec refuses, too.
[[nodiscard]] TransferSpec transfer_spec_from_json(const nlohmann::json& json);

}  // namespace tilewall

// The responses of the console.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "player/console/page_files.hpp"
#include "player/console/web_site.hpp"

namespace tilewall::console {

[[nodiscard]] WebResponse json_response(unsigned status, const nlohmann::json& json);
/// {"error": `line`}.
[[nodiscard]] WebResponse error_response(unsigned status, const std::string& line);
/// A file of the page, with the policy that keeps foreign scripts out of it.
[[nodiscard]] WebResponse page_response(const PageFile& file);
/// The director's answer: 422 where it refused, 503 where it did not answer.
[[nodiscard]] WebResponse wall_response(const nlohmann::json& answer);

}  // namespace tilewall::console

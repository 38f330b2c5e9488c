#include "player/console/web_responses.hpp"

#include <memory>

namespace tilewall::console {
namespace {

constexpr const char* content_policy =
    "default-src 'self'; img-src 'self' blob:; connect-src 'self'; frame-ancestors 'none'; "
    "base-uri 'none'; form-action 'self'";

}  // namespace

WebResponse json_response(unsigned status, const nlohmann::json& json) {
  return {status, "application/json", std::make_shared<const std::string>(text_of(json) + "\n")};
}

WebResponse error_response(unsigned status, const std::string& line) {
  return json_response(status, {{"error", line}});
}

WebResponse page_response(const PageFile& file) {
  WebResponse response{200, std::string(file.type), std::make_shared<const std::string>(file.data)};
  response.headers = {{"Content-Security-Policy", content_policy},
                      {"X-Content-Type-Options", "nosniff"},
                      {"Referrer-Policy", "no-referrer"}};
  return response;
}

WebResponse wall_response(const nlohmann::json& answer) {
  const std::string type = answer.value("type", "");
  return json_response(type == "refused" ? 422 : type == "away" ? 503 : 200, answer);
}

}  // namespace tilewall::console

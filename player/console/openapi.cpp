#include "player/console/openapi.hpp"

#include <fmt/format.h>

#include "player/console/tool_runs.hpp"
#include "player/verbs/verb_list.hpp"

namespace tilewall::console {
namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson schema_of(const verbs::Field& field) {
  OrderedJson schema;
  switch (field.type) {
    case verbs::FieldType::text:
      schema["type"] = "string";
      break;
    case verbs::FieldType::number:
      schema["type"] = "number";
      break;
    case verbs::FieldType::whole:
      schema["type"] = "integer";
      break;
    case verbs::FieldType::flag:
      schema["type"] = "boolean";
      break;
    case verbs::FieldType::object:
      schema["type"] = "object";
      break;
    case verbs::FieldType::list:
      schema["type"] = "array";
      schema["items"] = {{"type", "number"}};
      break;
    case verbs::FieldType::any:
      break;  // a number or a text
  }
  schema["description"] = field.help;
  return schema;
}

OrderedJson answers() {
  const auto answer = [](const char* what) { return OrderedJson{{"description", what}}; };
  return {{"200", answer("the wall's answer")},
          {"400", answer("the body is no JSON object")},
          {"401", answer("not logged in")},
          {"403", answer("the role may not, or the request comes from another page")},
          {"422", answer("the wall refused: error")},
          {"429", answer("too many requests")},
          {"503", answer("the wall's director does not answer")}};
}

OrderedJson post_of(const verbs::VerbInfo& verb) {
  OrderedJson fields = OrderedJson::object();
  fields["region"] = {{"type", "string"},
                      {"description", "a region's name; the first region without it"}};
  fields["once"] = {{"type", "string"},
                    {"description", "of requests with the same text one is executed"}};
  for (const verbs::Field& field : verb.fields) fields[std::string(field.name)] = schema_of(field);
  OrderedJson post;
  post["summary"] = verb.help;
  post["description"] = fmt::format("For the role {} and above.", verbs::name_of(verb.role));
  post["operationId"] = verb.name;
  post["requestBody"]["content"]["application/json"]["schema"] = {
      {"type", "object"}, {"properties", std::move(fields)}, {"additionalProperties", false}};
  post["responses"] = answers();
  return post;
}

OrderedJson get_of(const char* summary, const char* type) {
  OrderedJson get;
  get["summary"] = summary;
  get["responses"]["200"] = {{"description", "done"}, {"content", {{type, OrderedJson::object()}}}};
  get["responses"]["401"] = {{"description", "not logged in"}};
  return get;
}

}  // namespace

bool is_posted(std::string_view verb) noexcept { return verb != "subscribe" && verb != "watch"; }

OrderedJson openapi(const std::string& url) {
  OrderedJson api;
  api["openapi"] = "3.0.3";
  api["info"] = {{"title", "tilewall console"},
                 {"version", "1"},
                 {"description", "What a running wall can be asked and told."}};
  api["servers"] = OrderedJson::array({{{"url", url + "api/v1"}}});
  api["security"] = OrderedJson::array({{{"token", OrderedJson::array()}}});
  api["components"]["securitySchemes"]["token"] = {{"type", "http"}, {"scheme", "bearer"}};
  OrderedJson& paths = api["paths"];
  for (const verbs::VerbInfo& verb : verbs::verb_list())
    if (is_posted(verb.name)) paths[fmt::format("/{}", verb.name)]["post"] = post_of(verb);
  paths["/status"]["get"] = get_of("the answer to status", "application/json");
  paths["/events"]["get"] = get_of("events as they happen, server-sent", "text/event-stream");
  paths["/history"]["get"] = get_of("figures of the last ten minutes", "application/json");
  paths["/snapshot"]["get"] = get_of("a picture of the whole wall", "image/png");
  paths["/openapi.json"]["get"] = get_of("this description", "application/json");
  for (const ToolRuns::Tool& tool : ToolRuns::tools()) {
    OrderedJson& post = paths[fmt::format("/tools/{}", tool.name)]["post"];
    post["summary"] = tool.help;
    post["description"] =
        "For the role operator. Begins a run; {\"stop\": true} ends it. What became of it is in "
        "the state that pages get.";
    post["responses"] = answers();
  }
  return api;
}

}  // namespace tilewall::console

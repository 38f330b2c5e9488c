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

OrderedJson answer_of(const char* what) { return {{"description", what}}; }

OrderedJson answers() {
  return {{"200", answer_of("the wall's answer")},
          {"400", answer_of("the body is no JSON object")},
          {"401", answer_of("not logged in")},
          {"403", answer_of("the role may not, or the request comes from another page")},
          {"422", answer_of("the wall refused: error")},
          {"429", answer_of("too many requests")},
          {"503", answer_of("the wall's director does not answer")}};
}

void set_body(OrderedJson& post, OrderedJson properties) {
  post["requestBody"]["content"]["application/json"]["schema"] = {
      {"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
}

OrderedJson text_field(const char* what) { return {{"type", "string"}, {"description", what}}; }

OrderedJson post_of(const verbs::VerbInfo& verb) {
  OrderedJson fields = OrderedJson::object();
  const verbs::Scope scope = verbs::scope_of(verb);
  if (scope == verbs::Scope::region)
    fields["region"] = text_field("a region's name; the first region without it");
  if (scope != verbs::Scope::nothing)
    fields["once"] = text_field("of requests with the same text one is executed");
  for (const verbs::Field& field : verb.fields) fields[std::string(field.name)] = schema_of(field);
  OrderedJson post;
  post["summary"] = verb.help;
  post["description"] = fmt::format("For the role {} and above.", verbs::name_of(verb.role));
  post["operationId"] = verb.name;
  set_body(post, std::move(fields));
  post["responses"] = answers();
  return post;
}

OrderedJson tool_of(const ToolRuns::Tool& tool) {
  OrderedJson post;
  post["summary"] = tool.help;
  post["description"] =
      "For the role operator. Begins a run. Its result is in the state that pages receive.";
  set_body(post, {{"stop", {{"type", "boolean"}, {"description", "true: ends the run"}}}});
  post["responses"] = answers();
  post["responses"]["400"] = answer_of("the tool cannot begin or end now");
  return post;
}

OrderedJson get_of(const char* summary, const char* type) {
  OrderedJson get;
  get["summary"] = summary;
  get["responses"]["200"] = {{"description", "done"}, {"content", {{type, OrderedJson::object()}}}};
  get["responses"]["401"] = answer_of("not logged in");
  return get;
}

OrderedJson snapshot_get() {
  OrderedJson get = get_of("a picture of the whole wall", "image/png");
  get["responses"]["422"] = answer_of("the wall refused: error");
  get["responses"]["429"] = answer_of("another snapshot is being taken");
  get["responses"]["503"] = answer_of("no snapshot within 90 s");
  return get;
}

OrderedJson picture_get() {
  OrderedJson get =
      get_of("the newest frame of a movie that is written, in few pixels", "image/png");
  get["parameters"] = OrderedJson::array(
      {{{"name", "picture"},
        {"in", "path"},
        {"required", true},
        {"description", "its name in the state's movies, up to the question mark"},
        {"schema", {{"type", "string"}}}}});
  get["description"] = "For the role operator.";
  get["responses"]["403"] = answer_of("the role may not see it");
  get["responses"]["404"] = answer_of("no movie has this picture now");
  return get;
}

/// Sessions, which a page has and a program does not need.
void add_sessions(OrderedJson& paths) {
  OrderedJson& login = paths["/login"]["post"];
  login["summary"] = "begins a session: the cookie of the answer stands for the token";
  set_body(login, {{"token", text_field("the role's token of console.json")},
                   {"name", text_field("the person's name, 1 to 64 bytes; the role without it")}});
  login["security"] = OrderedJson::array();
  login["responses"] = {{"200", answer_of("name, role, and the cookie")},
                        {"400", answer_of("the body is no such object")},
                        {"401", answer_of("the token is not of this wall's show")},
                        {"403", answer_of("the request comes from another page")},
                        {"429", answer_of("too many logins, or too many wrong tokens")}};
  OrderedJson& logout = paths["/logout"]["post"];
  logout["summary"] = "ends the session, and closes its pages and event streams";
  logout["responses"] = {{"200", answer_of("done")},
                         {"401", answer_of("not logged in")},
                         {"403", answer_of("the request comes from another page")}};
  paths["/session"]["get"] = get_of("name and role of whoever asks", "application/json");
}

}  // namespace

bool is_posted(std::string_view verb) noexcept { return verb != "subscribe" && verb != "watch"; }

OrderedJson openapi(const std::string& url) {
  OrderedJson api;
  api["openapi"] = "3.0.3";
  api["info"] = {{"title", "tilewall console"},
                 {"version", "1"},
                 {"description", "Requests to a running wall."}};
  api["servers"] = OrderedJson::array({{{"url", url + "api/v1"}}});
  api["security"] = OrderedJson::array({{{"token", OrderedJson::array()}}});
  api["components"]["securitySchemes"]["token"] = {{"type", "http"}, {"scheme", "bearer"}};
  OrderedJson& paths = api["paths"];
  for (const verbs::VerbInfo& verb : verbs::verb_list())
    if (is_posted(verb.name)) paths[fmt::format("/{}", verb.name)]["post"] = post_of(verb);
  paths["/status"]["get"] = get_of("the answer to status", "application/json");
  paths["/events"]["get"] = get_of("events as they happen, server-sent", "text/event-stream");
  paths["/history"]["get"] = get_of("figures of the last ten minutes", "application/json");
  paths["/snapshot"]["get"] = snapshot_get();
  paths["/movies/{picture}"]["get"] = picture_get();
  paths["/openapi.json"]["get"] = get_of("this description", "application/json");
  add_sessions(paths);
  for (const ToolRuns::Tool& tool : ToolRuns::tools())
    paths[fmt::format("/tools/{}", tool.name)]["post"] = tool_of(tool);
  return api;
}

}  // namespace tilewall::console

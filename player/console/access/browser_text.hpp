// Reads what browsers and programs send: messages of the page's WebSocket, cookies, bodies.
//
// Threads: everything is constant.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace tilewall::console {

enum class MessageKind {
  unknown,   ///< it cannot be used: `error` has why
  request,   ///< asks the wall: `verb`, `fields`
  full,      ///< wants the whole state again
  pictures,  ///< wants pictures, or no more: `on`
};

/// A message of the page's WebSocket; PROTOCOL.md has its fields.
struct BrowserMessage {  // NOLINT(bugprone-exception-escape): moving JSON throws nothing
  MessageKind kind = MessageKind::unknown;
  nlohmann::json id;      ///< a number, which the answer repeats; null where there is none
  std::string verb;       ///< any text yet
  nlohmann::json fields;  ///< an object
  bool on = false;
  std::string error;  ///< one line; "" where the message is good
};

/// Reads a message. A bad one has an error.
[[nodiscard]] BrowserMessage read_browser_message(std::string_view text);

/// The value of a cookie of a header `Cookie`; "" where it has none of that name.
[[nodiscard]] std::string cookie_of(std::string_view header, std::string_view name);

/// A request's body; an empty one is an empty object. Throws InputError unless it is an object.
[[nodiscard]] nlohmann::json object_of(std::string_view body);

/// The value of the field by which a verb may be the operator's alone: `key` of the verb `key`,
/// `verb` of others; "" where the fields have no such text.
[[nodiscard]] std::string choice_of(std::string_view verb, const nlohmann::json& fields);

}  // namespace tilewall::console

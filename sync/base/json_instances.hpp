// Parts of nlohmann-json that are compiled once, in json_instances.cpp. Without these declarations
// every source compiles the functions that it calls again, a fifth of its time where nothing is
// optimized and a seventh at -O1. It is one of the precompiled headers of the rooms that wait and
// decide, and of tests; no source needs to include it.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#ifndef TILEWALL_JSON_INSTANCE
#define TILEWALL_JSON_INSTANCE extern template class
#endif

namespace tilewall::json_parts {

using nlohmann::json;
using Member = std::pair<const std::string, json>;
using First = std::_Select1st<Member>;
using Less = json::default_object_comparator_t;
using TextAdapter = nlohmann::detail::iterator_input_adapter<std::string::const_iterator>;

}  // namespace tilewall::json_parts

namespace tw_json = tilewall::json_parts;

TILEWALL_JSON_INSTANCE nlohmann::basic_json<>;
TILEWALL_JSON_INSTANCE std::vector<nlohmann::json>;
TILEWALL_JSON_INSTANCE std::map<std::string, nlohmann::json, tw_json::Less>;
// libstdc++'s name for the inside of the map.
TILEWALL_JSON_INSTANCE std::_Rb_tree<std::string, tw_json::Member, tw_json::First, tw_json::Less>;
TILEWALL_JSON_INSTANCE nlohmann::detail::iter_impl<const nlohmann::json>;
TILEWALL_JSON_INSTANCE nlohmann::detail::serializer<nlohmann::json>;
TILEWALL_JSON_INSTANCE nlohmann::detail::lexer<nlohmann::json, tw_json::TextAdapter>;
TILEWALL_JSON_INSTANCE nlohmann::detail::parser<nlohmann::json, tw_json::TextAdapter>;
TILEWALL_JSON_INSTANCE nlohmann::detail::json_sax_dom_parser<nlohmann::json>;
TILEWALL_JSON_INSTANCE nlohmann::detail::json_sax_dom_callback_parser<nlohmann::json>;

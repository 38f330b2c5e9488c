// A running show in one line of a terminal. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tilewall {

/// "frame 123 of 480  0:05.1 of 0:20.0  item 2 of 5 Intro  0 late  127.0.0.1:4711  q quits", of a
/// status as the director answers it. Parts are left out from the least important one on until the
/// line fits into `columns`.
[[nodiscard]] std::string show_line(const nlohmann::json& status, const std::string& control,
                                    int columns);

}  // namespace tilewall

// What the keys of a running show mean.
#pragma once

#include "player/director/show_control.hpp"
#include "player/present/presenter.hpp"

namespace tilewall {

/// Makes the scene that the key asks for, to take effect at `at`; `delay` as in ShowControl. Throws
/// InputError for a number that is no such key; `quit` is the caller's.
void press(OperatorKey key, ShowControl& control, GlobalInstant at, Nanos delay);

}  // namespace tilewall

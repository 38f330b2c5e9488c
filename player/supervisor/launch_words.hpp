// What mpirun's messages mean, in one line, and which lines of logs are worth quoting.
//
// Open MPI prints paragraphs between lines of dashes, whose first sentence says what happened and
// whose last one is the end of a list of guesses. Messages of the remote shell and of our own
// programs come before or between them, outside the dashes. Pure.
#pragma once

#include <string>

namespace tilewall {

/// One line of at most 300 bytes about the text that mpirun printed; "" where it printed nothing.
[[nodiscard]] std::string launch_summary(const std::string& text);

/// What the first of mpirun's messages that is known here means, also while mpirun runs on; ""
/// where there is none.
[[nodiscard]] std::string known_launch_trouble(const std::string& text);

/// The last line of a log that one of our programs wrote ("tilewall-panel: eventfd: ..."), unless
/// `error` says the same already; "" where there is none. What libraries print is left out.
[[nodiscard]] std::string line_to_quote(const std::string& log, const std::string& error);

}  // namespace tilewall

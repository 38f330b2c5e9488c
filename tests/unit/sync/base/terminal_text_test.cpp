// Text from outside on its way to a terminal.

#include "sync/base/terminal_text.hpp"

#include <catch2/catch.hpp>

using namespace tilewall;

TEST_CASE("nothing in a printed text moves the cursor or turns the writing", "[base]") {
  CHECK(printable_text("plain, \xc3\xa4 and \xe6\xbc\xa2") == "plain, \xc3\xa4 and \xe6\xbc\xa2");
  CHECK(printable_text("a\033[2Jb\nc\x7f") == "a?[2Jb?c?");
  CHECK(printable_text("\xc2\x9b"
                       "31m") == "?31m");  // the one-character form of ESC [
  CHECK(printable_text("\xe2\x80\xae"
                       "gpj") == "?gpj");  // right to left from here on
  CHECK(printable_text("\xff\xc3") == "??");
}

TEST_CASE("a text of a message stays on one line and is cut between characters", "[base]") {
  CHECK(escaped_text("a\nb\x7f") == "a\\x0ab\\x7f");
  CHECK(escaped_text("\xc3\xa4\xc3\xa4", 3) == "\xc3\xa4\xc3\xa4");
  CHECK(escaped_text("\xc3\xa4\xc3\xa4", 2) == "\xc3\xa4...");
}

TEST_CASE("a text is cut to a terminal's columns, not to bytes", "[base]") {
  CHECK(columns_of("abc") == 3);
  CHECK(columns_of("\xc3\xa4") == 1);
  CHECK(columns_of("e\xcc\x81") == 1);
  CHECK(columns_of("\xe6\xbc\xa2") == 2);
  CHECK(fit_columns("abcdefghij", 10) == "abcdefghij");
  CHECK(fit_columns("abcdefghijk", 10) == "abcdefg...");
  CHECK(fit_columns("abcdefg", 5) == "abcde");
  CHECK(fit_columns("abc", 0) == "");
  for (int columns = 0; columns < 20; ++columns)
    CHECK(columns_of(fit_columns("a\xe6\xbc\xa2\xc3\xa4 b\xe6\xbc\xa2 c\xe6\xbc\xa2 d", columns)) <=
          columns);
}

TEST_CASE("durations are minutes, hours and tenths of seconds", "[base]") {
  CHECK(duration_text(0) == "0:00.0");
  CHECK(duration_text(65.27) == "1:05.2");
  CHECK(duration_text(3723.4) == "1:02:03.4");
  CHECK(duration_text(-1) == "-");
}

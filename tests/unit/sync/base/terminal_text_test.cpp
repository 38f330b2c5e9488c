// Text from outside on its way to a terminal.

#include "sync/base/terminal_text.hpp"

#include <catch2/catch.hpp>
#include <cstdio>
#include <limits>
#include <string>

#include "sync/base/printed_line.hpp"

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

TEST_CASE("letters of any length are kept, and their fragments are not", "[base]") {
  CHECK(printable_text("\xf0\x9f\x98\x80") == "\xf0\x9f\x98\x80");  // U+1F600
  CHECK(printable_text("\xf0\x9f\x98") == "???");                   // cut short
  CHECK(printable_text("\xc3"
                       "a") == "?a");    // not continued
  CHECK(printable_text("\xa4") == "?");  // not begun
  CHECK(printable_text("\xed\x9f\xbf\xee\x80\x80") == "\xed\x9f\xbf\xee\x80\x80");
  CHECK(printable_text("\xed\xa0\x80") == "?");  // U+D800
  CHECK(printable_text("\xed\xbf\xbf") == "?");  // U+DFFF
}

TEST_CASE("a letter in more bytes than it needs, or beyond the last one, is no letter", "[base]") {
  CHECK(printable_text("\xc1\xa1") == "??");            // U+0061
  CHECK(printable_text("\xe0\x8b\x96") == "???");       // U+02D6
  CHECK(printable_text("\xf0\x8f\xbf\xbf") == "????");  // U+FFFF
  CHECK(printable_text("\xf4\x90\x80\x80") == "????");  // U+110000
  CHECK(printable_text("\xc2\xa1\xe0\xa0\x80\xf0\x90\x80\x80\xf4\x8f\xbf\xbf") ==
        "\xc2\xa1\xe0\xa0\x80\xf0\x90\x80\x80\xf4\x8f\xbf\xbf");
}

TEST_CASE("characters that control a terminal are refused up to their last, and no more",
          "[base]") {
  CHECK(printable_text("\x1f \x7e\x7f") == "? ~?");
  CHECK(printable_text("\xc2\x80\xc2\x9f\xc2\xa0") == "??\xc2\xa0");
  // U+200D, U+200E, U+200F and U+2010.
  CHECK(printable_text("\xe2\x80\x8d\xe2\x80\x8e\xe2\x80\x8f\xe2\x80\x90") ==
        "\xe2\x80\x8d??\xe2\x80\x90");
  // U+2027, U+2028, U+202E and U+202F.
  CHECK(printable_text("\xe2\x80\xa7\xe2\x80\xa8\xe2\x80\xae\xe2\x80\xaf") ==
        "\xe2\x80\xa7??\xe2\x80\xaf");
  // U+2065, U+2066, U+2069 and U+206A.
  CHECK(printable_text("\xe2\x81\xa5\xe2\x81\xa6\xe2\x81\xa9\xe2\x81\xaa") ==
        "\xe2\x81\xa5??\xe2\x81\xaa");
}

TEST_CASE("wide letters take two columns and marks none", "[base]") {
  CHECK(columns_of("\xe1\x83\xbf") == 1);      // U+10FF
  CHECK(columns_of("\xe1\x84\x80") == 2);      // U+1100
  CHECK(columns_of("\xe1\x85\x9f") == 2);      // U+115F
  CHECK(columns_of("\xe1\x85\xa0") == 1);      // U+1160
  CHECK(columns_of("\xcb\xbf") == 1);          // U+02FF
  CHECK(columns_of("\xcc\x80") == 0);          // U+0300
  CHECK(columns_of("\xcd\xaf") == 0);          // U+036F
  CHECK(columns_of("\xcd\xb0") == 1);          // U+0370
  CHECK(columns_of("\xf0\x9f\x99\x8f") == 2);  // U+1F64F
  CHECK(columns_of("\xf0\x9f\x99\x90") == 1);  // U+1F650
  CHECK(columns_of("\xff\xff") == 2);          // each is printed as a question mark
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
  CHECK(fit_columns("abcdefgh", 6) == "abcdef");  // no room for dots
  CHECK(fit_columns("abcdefgh", 7) == "abcd...");
  CHECK(fit_columns("abc", 0) == "");
  for (int columns = 0; columns < 20; ++columns)
    CHECK(columns_of(fit_columns("a\xe6\xbc\xa2\xc3\xa4 b\xe6\xbc\xa2 c\xe6\xbc\xa2 d", columns)) <=
          columns);
}

TEST_CASE("a printed line is one line, and commands no terminal", "[base]") {
  std::FILE* const file = std::tmpfile();
  REQUIRE(file != nullptr);
  print_line(file, "{}: {}", "a\x1b]0;owned\x07\nb", 3);
  std::rewind(file);
  char text[100] = {};
  CHECK(std::fread(text, 1, sizeof text - 1, file) == 17);
  CHECK(std::string(text) == "a?]0;owned??b: 3\n");
  std::fclose(file);
}

TEST_CASE("durations are minutes, hours and tenths of seconds", "[base]") {
  CHECK(duration_text(0) == "0:00.0");
  CHECK(duration_text(65.27) == "1:05.2");
  CHECK(duration_text(3723.4) == "1:02:03.4");
  CHECK(duration_text(0.3) == "0:00.3");
  CHECK(duration_text(9.99) == "0:09.9");
  CHECK(duration_text(3599.9) == "59:59.9");
  CHECK(duration_text(3600) == "1:00:00.0");
  CHECK(duration_text(36000) == "10:00:00.0");
  CHECK(duration_text(1e9) == "277777:46:40.0");
  CHECK(duration_text(1.1e9) == "-");
  CHECK(duration_text(std::numeric_limits<double>::quiet_NaN()) == "-");
  CHECK(duration_text(-1) == "-");
}

/* Calls everything of tilewall_source.h with wrong arguments, in C. Exit code 0: each call gave the
 * code and the line that it should. It writes nothing then, so that a test sees what the library
 * writes. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tilewall_source.h"

static int failures = 0;

static void expect(int line, int status, int expected, const char* text, const char* part) {
  if (status == expected && (part == NULL || strstr(text, part) != NULL)) return;
  printf("line %d: expected %d with \"%s\", found %d with \"%s\"\n", line, expected,
         part == NULL ? "" : part, status, text);
  ++failures;
}

/* The call fails with this code, and the line contains this. */
#define FAILS(source, call, expected, part)                            \
  do {                                                                 \
    const int status_ = (call);                                        \
    expect(__LINE__, status_, expected, tilewall_error(source), part); \
  } while (0)
#define WORKS(source, call) FAILS(source, call, TILEWALL_OK, NULL)

static const int64_t grid[3] = {4, 3, 2};

static void open_wrongly(void) {
  tilewall_source* source = NULL;
  tilewall_options options;
  const char* const here = "listen:127.0.0.1:0";
  const int64_t large[3] = {8193, 1, 1};
  const int64_t empty[3] = {4, 0, 4};
  char long_name[66];
  memset(long_name, 'a', sizeof long_name - 1);
  long_name[sizeof long_name - 1] = '\0';
  FAILS(NULL, tilewall_open(here, "gs", 0, 1, grid, NULL, NULL), TILEWALL_BAD_ARGUMENT, "source");
  FAILS(NULL, tilewall_open(NULL, "gs", 0, 1, grid, NULL, &source), TILEWALL_BAD_ARGUMENT, "where");
  FAILS(NULL, tilewall_open("", "gs", 0, 1, grid, NULL, &source), TILEWALL_BAD_ARGUMENT, "where");
  FAILS(NULL, tilewall_open("listen:", "gs", 0, 1, grid, NULL, &source), TILEWALL_BAD_ARGUMENT,
        "where");
  FAILS(NULL, tilewall_open("127.0.0.1:99999", "gs", 0, 1, grid, NULL, &source),
        TILEWALL_BAD_ARGUMENT, "where");
  FAILS(NULL,
        tilewall_open("listen:127.0.0.1:0,listen:127.0.0.1:0", "gs", 0, 1, grid, NULL, &source),
        TILEWALL_BAD_ARGUMENT, "at most one");
  FAILS(NULL, tilewall_open(here, NULL, 0, 1, grid, NULL, &source), TILEWALL_BAD_ARGUMENT, "name");
  FAILS(NULL, tilewall_open(here, "", 0, 1, grid, NULL, &source), TILEWALL_BAD_ARGUMENT, "name");
  FAILS(NULL, tilewall_open(here, "a/b", 0, 1, grid, NULL, &source), TILEWALL_BAD_ARGUMENT, "name");
  FAILS(NULL, tilewall_open(here, long_name, 0, 1, grid, NULL, &source), TILEWALL_BAD_ARGUMENT,
        "name");
  FAILS(NULL, tilewall_open(here, "gs", 0, 0, grid, NULL, &source), TILEWALL_BAD_ARGUMENT, "ranks");
  FAILS(NULL, tilewall_open(here, "gs", 0, 1025, grid, NULL, &source), TILEWALL_BAD_ARGUMENT,
        "ranks: expected 1 to 1024, found 1025");
  FAILS(NULL, tilewall_open(here, "gs", 4, 4, grid, NULL, &source), TILEWALL_BAD_ARGUMENT,
        "rank: expected 0 to 3, found 4");
  FAILS(NULL, tilewall_open(here, "gs", -1, 4, grid, NULL, &source), TILEWALL_BAD_ARGUMENT, "rank");
  FAILS(NULL, tilewall_open(here, "gs", 0, 1, NULL, NULL, &source), TILEWALL_BAD_ARGUMENT, "grid");
  FAILS(NULL, tilewall_open(here, "gs", 0, 1, large, NULL, &source), TILEWALL_BAD_ARGUMENT,
        "found 8193 x 1 x 1");
  FAILS(NULL, tilewall_open(here, "gs", 0, 1, empty, NULL, &source), TILEWALL_BAD_ARGUMENT, "grid");
  memset(&options, 0, sizeof options);
  FAILS(NULL, tilewall_open(here, "gs", 0, 1, grid, &options, &source), TILEWALL_BAD_ARGUMENT,
        "options");
  tilewall_options_init(&options);
  options.spacing[1] = 0;
  FAILS(NULL, tilewall_open(here, "gs", 0, 1, grid, &options, &source), TILEWALL_BAD_ARGUMENT,
        "spacing");
  tilewall_options_init(&options);
  options.wait_s = 61;
  FAILS(NULL, tilewall_open(here, "gs", 0, 1, grid, &options, &source), TILEWALL_BAD_ARGUMENT,
        "wait_s");
  tilewall_options_init(&options);
  options.linger_s = NAN;
  FAILS(NULL, tilewall_open(here, "gs", 0, 1, grid, &options, &source), TILEWALL_BAD_ARGUMENT,
        "linger_s");
  tilewall_options_init(&options);
  options.key_hex = "no hexadecimal";
  FAILS(NULL, tilewall_open(here, "gs", 0, 1, grid, &options, &source), TILEWALL_BAD_ARGUMENT,
        "key_hex");
  tilewall_options_init(&options);
  options.key_file = "/nonexistent/key";
  FAILS(NULL, tilewall_open(here, "gs", 0, 1, grid, &options, &source), TILEWALL_BAD_ARGUMENT,
        "/nonexistent/key");
  if (source != NULL) {
    puts("a failed open set the handle");
    ++failures;
  }
}

static void use_wrongly(void) {
  tilewall_source* source = NULL;
  tilewall_source* other = NULL;
  tilewall_statistics statistics;
  const tilewall_box box = {{0, 0, 0}, {4, 3, 2}};
  const tilewall_box outside = {{0, 0, 0}, {4, 3, 3}};
  const tilewall_box inverted = {{2, 0, 0}, {1, 3, 2}};
  const tilewall_ghosts ghosts = {{0, 0, -1}, {0, 0, 0}};
  const int64_t strides[3] = {INT64_MAX, 16, 48};
  const float values[24] = {0};
  char where[64];
  memset(&statistics, 0, sizeof statistics);
  WORKS(NULL, tilewall_open("listen:127.0.0.1:0", "gs", 0, 1, grid, NULL, &source));
  if (source == NULL) return;
  snprintf(where, sizeof where, "listen:127.0.0.1:%d", tilewall_port(source));
  FAILS(NULL, tilewall_open(where, "gs", 0, 1, grid, NULL, &other), TILEWALL_FAILED, "in use");
  FAILS(source, tilewall_put(source, NULL, &box, NULL, NULL, TILEWALL_F32, values),
        TILEWALL_BAD_ARGUMENT, "field");
  FAILS(source, tilewall_put(source, "u", NULL, NULL, NULL, TILEWALL_F32, values),
        TILEWALL_BAD_ARGUMENT, "box");
  FAILS(source, tilewall_put(source, "u", &box, NULL, NULL, 4, values), TILEWALL_BAD_ARGUMENT,
        "type");
  FAILS(source, tilewall_put(source, "u", &box, NULL, NULL, TILEWALL_F32, NULL),
        TILEWALL_BAD_ARGUMENT, "data");
  FAILS(source, tilewall_put(source, "u", &outside, NULL, NULL, TILEWALL_F32, values),
        TILEWALL_BAD_ARGUMENT, "within the grid of 4 x 3 x 2, found [0, 0, 0] to [4, 3, 3]");
  FAILS(source, tilewall_put(source, "u", &inverted, NULL, NULL, TILEWALL_F32, values),
        TILEWALL_BAD_ARGUMENT, "box");
  FAILS(source, tilewall_put(source, "u", &box, &ghosts, NULL, TILEWALL_F32, values),
        TILEWALL_BAD_ARGUMENT, "ghosts");
  FAILS(source, tilewall_put(source, "u", &box, NULL, strides, TILEWALL_F32, values),
        TILEWALL_BAD_ARGUMENT, "strides");
  WORKS(source, tilewall_put(source, "u", &box, NULL, NULL, TILEWALL_F32, values));
  FAILS(source, tilewall_put(source, "u", &box, NULL, NULL, TILEWALL_U8, values),
        TILEWALL_BAD_ARGUMENT, "expected f32 as at its first put, found u8");
  FAILS(source, tilewall_field(source, "u", "K"), TILEWALL_BAD_ARGUMENT, "units");
  FAILS(source, tilewall_field(source, NULL, "K"), TILEWALL_BAD_ARGUMENT, "field");
  WORKS(source, tilewall_field(source, "w", NULL));
  FAILS(source, tilewall_end_step(source, NAN), TILEWALL_BAD_ARGUMENT, "time"); /* ends it too */
  WORKS(source, tilewall_end_step(source, 1.5));
  WORKS(source, tilewall_end_step(source, 2));
  FAILS(source, tilewall_wanted(source, "u"), 0, NULL);
  FAILS(source, tilewall_get_statistics(source, NULL), TILEWALL_BAD_ARGUMENT, "statistics");
  FAILS(source, tilewall_get_statistics(source, &statistics), TILEWALL_BAD_ARGUMENT, "statistics");
  statistics.size = sizeof statistics;
  WORKS(source, tilewall_get_statistics(source, &statistics));
  if (statistics.timesteps != 3 || statistics.kept != 0 || statistics.walls != 0) {
    puts("wrong statistics");
    ++failures;
  }
  if (strcmp(tilewall_news(source), "") != 0) {
    puts("news without a wall");
    ++failures;
  }
  WORKS(NULL, tilewall_close(source));
}

int main(void) {
  tilewall_options_init(NULL);
  open_wrongly();
  FAILS(NULL, tilewall_put(NULL, "u", NULL, NULL, NULL, TILEWALL_F32, NULL), TILEWALL_BAD_ARGUMENT,
        "source: expected an open one, found NULL");
  FAILS(NULL, tilewall_end_step(NULL, 0), TILEWALL_BAD_ARGUMENT, "source");
  FAILS(NULL, tilewall_field(NULL, "u", ""), TILEWALL_BAD_ARGUMENT, "source");
  FAILS(NULL, tilewall_get_statistics(NULL, NULL), TILEWALL_BAD_ARGUMENT, "source");
  FAILS(NULL, tilewall_wanted(NULL, NULL), 0, NULL);
  FAILS(NULL, tilewall_port(NULL), 0, NULL);
  WORKS(NULL, tilewall_close(NULL));
  if (strcmp(tilewall_news(NULL), "") != 0) ++failures;
  use_wrongly();
  return failures == 0 ? 0 : 1;
}

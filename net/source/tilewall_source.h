/* Feeds the timesteps of a running simulation to tilewall: C11 and C++.
 *
 *   tilewall_source* source = NULL;
 *   const int64_t grid[3] = {128, 128, 64};
 *   if (tilewall_open("wall:7643", "gs", rank, ranks, grid, NULL, &source) != TILEWALL_OK)
 *     fprintf(stderr, "%s\n", tilewall_error(NULL));
 *   for (...) {
 *     tilewall_put(source, "u", &box, NULL, NULL, TILEWALL_F32, data);
 *     tilewall_end_step(source, time);
 *   }
 *   tilewall_close(source);
 *
 * Each rank opens a source of its own with the name, the number of ranks and the grid that all
 * share, puts its boxes of each field, and ends the timestep. All calls return a tilewall_status.
 * After another one than TILEWALL_OK, tilewall_error() has a line about it. A simulation may ignore
 * all codes: without a wall, or after a failure, it goes on.
 *
 * A timestep is sent when a wall wants it. tilewall_put() copies what is sent, so the array may be
 * changed when it returns, and copies nothing otherwise. At most two timesteps are held.
 *
 * No call blocks, with these exceptions: under a policy of the wall that shows each (N-th)
 * timestep, the first of tilewall_wanted(), tilewall_put() and tilewall_end_step() in a timestep
 * waits for the wall, at most wait_s. tilewall_open() resolves host names. tilewall_close() gives a
 * wall linger_s to fetch the last timestep. The library writes to no stream, raises no signal, also
 * where the simulation lets floating-point exceptions raise one, and never exits.
 *
 * Threads: calls on one source take turns, so any thread may call. tilewall_open() starts the
 * library's threads, and tilewall_close() ends them. In a child process after fork(), calls with a
 * source of the parent return TILEWALL_CLOSED.
 */
#ifndef TILEWALL_SOURCE_H
#define TILEWALL_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TILEWALL_API __attribute__((visibility("default")))
#else
#define TILEWALL_API
#endif

enum tilewall_status {
  TILEWALL_OK = 0,
  TILEWALL_BAD_ARGUMENT = 1, /* the field or timestep is not shown; otherwise no effect */
  TILEWALL_NO_MEMORY = 2,    /* the field is left out of this timestep */
  TILEWALL_CLOSED = 3,       /* a source of a parent process, or one that is being closed */
  TILEWALL_FAILED = 4        /* the system refused something */
};

/* Types of values. f64 is sent as f32: values beyond its range become infinite. */
enum tilewall_type { TILEWALL_U8 = 0, TILEWALL_U16 = 1, TILEWALL_F32 = 2, TILEWALL_F64 = 3 };

/* Default ports: where a wall waits for sources, and where a source waits for walls. */
#define TILEWALL_WALL_PORT 7643
#define TILEWALL_SOURCE_PORT 7644

typedef struct tilewall_source tilewall_source;

/* Voxels of the whole grid along x, y and z: the first one, and the one behind the last. */
typedef struct tilewall_box {
  int64_t begin[3];
  int64_t end[3];
} tilewall_box;

/* Layers of voxels that an array has around its box and that are not sent: along x, y and z, before
 * the box and behind it. */
typedef struct tilewall_ghosts {
  int64_t before[3];
  int64_t after[3];
} tilewall_ghosts;

/* Set by tilewall_options_init(). */
typedef struct tilewall_options {
  size_t size;          /* sizeof(tilewall_options) of the caller */
  double spacing[3];    /* distance of neighbouring voxels; 1, 1, 1 */
  double origin[3];     /* place of the first voxel's centre; 0, 0, 0 */
  const char* units;    /* of spacing and origin, up to 64 bytes; NULL: unknown */
  const char* key_file; /* file with the wall's key; NULL: none */
  const char* key_hex;  /* the key in hexadecimal instead; NULL: none */
  double wait_s;        /* most seconds that a call may wait for a wall, 0 to 60; 60 */
  double linger_s;      /* most seconds that closing waits for the last timestep, 0 to 60; 1 */
  uint64_t memory;      /* most bytes of timesteps that are held; 0: two timesteps of any size */
} tilewall_options;

typedef struct tilewall_statistics {
  size_t size;              /* sizeof(tilewall_statistics) of the caller, set by the caller */
  uint64_t timesteps;       /* calls of tilewall_end_step() */
  uint64_t kept;            /* timesteps that a wall wanted and that were copied */
  uint64_t held_back;       /* wanted, but walls were still fetching two others */
  uint64_t bytes_sent;      /* to walls, all sessions together */
  uint64_t bytes_held;      /* of timesteps, now */
  uint64_t most_bytes_held; /* the most so far */
  uint64_t not_shown;       /* values of kept timesteps that are no number or infinite as f32 */
  double waited_s;          /* for walls, all calls together */
  uint32_t walls;           /* sessions of walls now */
  uint32_t f64_fields;      /* fields given as f64 and sent as f32 */
} tilewall_statistics;

TILEWALL_API void tilewall_options_init(tilewall_options* options);

/* Opens the source of one rank and begins to serve walls.
 *
 * where: addresses, separated by commas. "HOST[:PORT]" connects to a wall there, now and again
 * until there is one. One may be "listen:ADDRESS[:PORT]", to which walls connect. Ranks of one
 * host need ports of their own to listen.
 *
 * name: that of the source, 1 to 64 letters, digits and "-_.+".
 *
 * rank, ranks: 0 to ranks - 1, and 1 to 1024.
 *
 * grid: voxels along x, y and z, 1 to 8192 each.
 *
 * options: may be NULL.
 *
 * source: is set to NULL unless the call succeeds. Free it with tilewall_close().
 *
 * Addresses beyond loopback need a key. */
TILEWALL_API int tilewall_open(const char* where, const char* name, int rank, int ranks,
                               const int64_t grid[3], const tilewall_options* options,
                               tilewall_source** source);

/* Names the units of a field, up to 64 bytes. Call it before the field is first put. */
TILEWALL_API int tilewall_field(tilewall_source* source, const char* field, const char* units);

/* Puts a box of a field's values of this timestep.
 *
 * box: the voxels of the array without its ghosts.
 *
 * ghosts: may be NULL where there are none.
 *
 * strides: bytes from a voxel to the next one along x, y and z, which may be negative. NULL stands
 * for x fastest, without padding, ghosts included.
 *
 * type: a tilewall_type, that of the field's first put.
 *
 * data: the array's first voxel, ghosts included.
 *
 * A field (64 at most) exists from its first put on. Its boxes must not overlap, those of other
 * ranks included, and should fill the grid; a rank without voxels of a field leaves the call out.
 * Where they do not, walls tell why they cannot show the timestep: see tilewall_news(). A field
 * with a box that was refused is not shown in this timestep. */
TILEWALL_API int tilewall_put(tilewall_source* source, const char* field, const tilewall_box* box,
                              const tilewall_ghosts* ghosts, const int64_t strides[3], int type,
                              const void* data);

/* Ends the timestep. time: the simulation's, in its own units. Where it is not finite, the call
 * fails, the timestep ends all the same, and walls are told why they cannot show it. */
TILEWALL_API int tilewall_end_step(tilewall_source* source, double time);

/* 1 if the field (NULL: any) will be sent in this timestep, else 0. It stays the same until
 * tilewall_end_step(). */
TILEWALL_API int tilewall_wanted(tilewall_source* source, const char* field);

TILEWALL_API int tilewall_get_statistics(tilewall_source* source, tilewall_statistics* statistics);

/* The port on which the source listens; 0: it does not. */
TILEWALL_API int tilewall_port(tilewall_source* source);

/* Ends the source and frees it. NULL is allowed. No other call may be under way. */
TILEWALL_API int tilewall_close(tilewall_source* source);

/* A line about the last call with this source that failed; NULL, or a source of a parent process:
 * about the last call of this thread that failed without a source, or with such a one. "" if there
 * is none. Valid until this thread's next call of it. */
TILEWALL_API const char* tilewall_error(tilewall_source* source);

/* The newest line about a wall, such as one that was refused for a wrong key or that could not show
 * a timestep, or about a failure of the library's thread; "" if there is none. A wall tells all
 * ranks why it could not show a timestep, with one line per second at most. Valid until this
 * thread's next call of it. */
TILEWALL_API const char* tilewall_news(tilewall_source* source);

#ifdef __cplusplus
}
#endif

#endif

// A Gray-Scott reaction-diffusion in 3D, one box of voxels per MPI rank, shown on a wall while it
// runs: an example of how a simulation in C++ feeds tilewall.
//
//   mpirun -n 4 gray_scott --grid 128 --steps 4000 --wall WALLHOST
//   mpirun -n 4 gray_scott --grid 128 --listen 127.0.0.1:7700
//   mpirun -n 4 gray_scott --grid 128
//   mpirun -n 4 gray_scott --grid 128 --every 10 --files out
//
// The first one connects to a wall, and waits for it 10 s at most before it begins, so that the
// wall can show the first timestep. Afterwards it waits for nobody. To the second one walls
// connect, on the ports from 7700 on, one for each rank. The third one runs without a wall. The
// fourth one writes v of each timestep into a file, which `tilewall view out/gs-*.npy` shows.
//
// Two substances: u is fed and v is removed, and two of v turn one of u into a third:
//
//   du/dt = Du lap(u) - u v^2 + F (1 - u)      dv/dt = Dv lap(v) + u v^2 - (F + k) v
//
// (Pearson, Complex Patterns in a Simple System, Science 261, 1993.) Boundaries are periodic. Space
// is discretized by the 7-point Laplacian, time by explicit Euler steps.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tilewall_source.hpp"

namespace {

struct Pattern {
  const char* name;
  float feed;
  float kill;
};
constexpr Pattern patterns[] = {{"maze", 0.029F, 0.057F},
                                {"worms", 0.04F, 0.06F},
                                {"sponge", 0.025F, 0.055F},
                                {"pulses", 0.01F, 0.05F}};
// Of the sum over six neighbours. Smaller seeds than those of fill() die out.
constexpr float u_diffusion = 0.2F / 6;
constexpr float v_diffusion = 0.1F / 6;
constexpr float time_step = 1.0F;
constexpr std::chrono::seconds longest_wait{10};  // for a wall, before the first step

struct Settings {
  int grid = 64;
  int steps = 1000;
  int every = 1;  // Euler steps for each timestep that is put
  unsigned seed = 1;
  Pattern pattern = patterns[0];
  std::string name = "gs";
  std::string wall;    // HOST[:PORT]; "": none
  std::string listen;  // ADDRESS:PORT, of rank 0; "": none
  std::string key_file;
  std::string files;  // folder; "": none
};

[[noreturn]] void refuse(const std::string& line) {
  std::fprintf(stderr,
               "gray_scott: %s\n"
               "usage: gray_scott [--grid 64] [--steps 1000] [--every 1] [--seed 1] [--name gs]\n"
               "                  [--pattern maze|worms|sponge|pulses] [--key-file FILE]\n"
               "                  [--wall HOST[:PORT] | --listen ADDRESS:PORT] [--files FOLDER]\n",
               line.c_str());
  MPI_Finalize();
  std::exit(2);
}

int number_of(const std::string& option, const std::string& text, int least, int most) {
  char* end = nullptr;
  const long number = std::strtol(text.c_str(), &end, 10);
  if (text.empty() || *end != '\0' || number < least || number > most)
    refuse(option + ": expected " + std::to_string(least) + " to " + std::to_string(most) +
           ", found " + text);
  return static_cast<int>(number);
}

Settings settings_of(int argc, char** argv) {
  Settings settings;
  for (int i = 1; i < argc; i += 2) {
    const std::string option = argv[i];
    if (i + 1 >= argc) refuse(option + ": expected a value after it");
    const std::string value = argv[i + 1];
    if (option == "--grid") {
      settings.grid = number_of(option, value, 8, 8192);
    } else if (option == "--steps") {
      settings.steps = number_of(option, value, 1, 1'000'000'000);
    } else if (option == "--every") {
      settings.every = number_of(option, value, 1, 1'000'000);
    } else if (option == "--seed") {
      settings.seed = static_cast<unsigned>(number_of(option, value, 0, 1'000'000'000));
    } else if (option == "--name") {
      settings.name = value;
    } else if (option == "--wall") {
      settings.wall = value;
    } else if (option == "--listen") {
      settings.listen = value;
    } else if (option == "--key-file") {
      settings.key_file = value;
    } else if (option == "--files") {
      settings.files = value;
    } else if (option == "--pattern") {
      bool known = false;
      for (const Pattern& pattern : patterns)
        if (value == pattern.name) {
          settings.pattern = pattern;
          known = true;
        }
      if (!known) refuse("--pattern: expected maze, worms, sponge or pulses, found " + value);
    } else {
      refuse("unknown option " + option);
    }
  }
  return settings;
}

/// One rank's box of the grid with a layer of ghosts around it, x fastest.
class Box {
 public:
  Box(int grid, MPI_Comm cartesian) : comm_(cartesian) {
    std::array<int, 3> sides{};
    std::array<int, 3> periods{};
    std::array<int, 3> place{};
    MPI_Cart_get(comm_, 3, sides.data(), periods.data(), place.data());
    for (std::size_t axis = 0; axis < 3; ++axis) {
      begin_[axis] = static_cast<int>(std::int64_t{grid} * place[axis] / sides[axis]);
      end_[axis] = static_cast<int>(std::int64_t{grid} * (place[axis] + 1) / sides[axis]);
      MPI_Cart_shift(comm_, static_cast<int>(axis), 1, &before_[axis], &after_[axis]);
    }
    values_.resize(static_cast<std::size_t>(whole(0)) * static_cast<std::size_t>(whole(1)) *
                   static_cast<std::size_t>(whole(2)));
  }

  [[nodiscard]] int begin(std::size_t axis) const { return begin_[axis]; }
  [[nodiscard]] int end(std::size_t axis) const { return end_[axis]; }
  [[nodiscard]] int own(std::size_t axis) const { return end_[axis] - begin_[axis]; }
  [[nodiscard]] int whole(std::size_t axis) const { return own(axis) + 2; }
  [[nodiscard]] float* data() { return values_.data(); }
  [[nodiscard]] const float* data() const { return values_.data(); }
  /// Place of a voxel in data(); own ones are 1 to own(axis).
  [[nodiscard]] std::size_t at(int x, int y, int z) const {
    return (static_cast<std::size_t>(z) * static_cast<std::size_t>(whole(1)) +
            static_cast<std::size_t>(y)) *
               static_cast<std::size_t>(whole(0)) +
           static_cast<std::size_t>(x);
  }

  /// Fills the ghosts with the outermost voxels of the neighbours. The 7-point Laplacian needs no
  /// edges or corners.
  void exchange() {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      swap_layers(axis, own(axis), 0, after_[axis], before_[axis]);
      swap_layers(axis, 1, own(axis) + 1, before_[axis], after_[axis]);
    }
  }

  void swap(Box& other) { values_.swap(other.values_); }

 private:
  /// Sends layer `from` of this axis to rank `to`, and receives layer `ghost` from rank `source`.
  void swap_layers(std::size_t axis, int from, int ghost, int to, int source) {
    gather(axis, from, outgoing_);
    incoming_.resize(outgoing_.size());
    MPI_Sendrecv(outgoing_.data(), static_cast<int>(outgoing_.size()), MPI_FLOAT, to, 0,
                 incoming_.data(), static_cast<int>(incoming_.size()), MPI_FLOAT, source, 0, comm_,
                 MPI_STATUS_IGNORE);
    std::size_t i = 0;
    each_of_layer(axis, ghost, [&](std::size_t place) { values_[place] = incoming_[i++]; });
  }
  void gather(std::size_t axis, int layer, std::vector<float>& to) {
    to.clear();
    each_of_layer(axis, layer, [&](std::size_t place) { to.push_back(values_[place]); });
  }
  template <typename Visit>
  void each_of_layer(std::size_t axis, int layer, Visit visit) {
    const std::size_t a = axis == 0 ? 1 : 0;
    const std::size_t b = axis == 2 ? 1 : 2;
    std::array<int, 3> voxel{};
    voxel[axis] = layer;
    for (voxel[b] = 1; voxel[b] <= own(b); ++voxel[b])
      for (voxel[a] = 1; voxel[a] <= own(a); ++voxel[a]) visit(at(voxel[0], voxel[1], voxel[2]));
  }

  MPI_Comm comm_;
  std::array<int, 3> begin_{};
  std::array<int, 3> end_{};
  std::array<int, 3> before_{};  // ranks of the neighbours
  std::array<int, 3> after_{};
  std::vector<float> values_;
  std::vector<float> outgoing_;
  std::vector<float> incoming_;
};

/// u is 1 everywhere but in some cubes, the same for any number of ranks.
void fill(const Settings& settings, Box& u, Box& v) {
  std::mt19937 random(settings.seed);
  const int cubes = 6;
  const int side = std::max(7, settings.grid / 10);
  std::vector<std::array<int, 3>> corners(cubes);
  for (auto& corner : corners)
    for (int& place : corner)
      place = static_cast<int>(random() % static_cast<unsigned>(settings.grid));
  const auto inside = [&](int x, int y, int z) {
    for (const auto& corner : corners) {
      const auto distance = [&](int at, int begin) {
        return (at - begin + settings.grid) % settings.grid;
      };
      if (distance(x, corner[0]) < side && distance(y, corner[1]) < side &&
          distance(z, corner[2]) < side)
        return true;
    }
    return false;
  };
  for (int z = 1; z <= u.own(2); ++z)
    for (int y = 1; y <= u.own(1); ++y)
      for (int x = 1; x <= u.own(0); ++x) {
        const bool is_seed = inside(u.begin(0) + x - 1, u.begin(1) + y - 1, u.begin(2) + z - 1);
        u.data()[u.at(x, y, z)] = is_seed ? 0.25F : 1.0F;
        v.data()[v.at(x, y, z)] = is_seed ? 0.33F : 0.0F;
      }
}

void euler_step(const Pattern& pattern, const Box& u, const Box& v, Box& u_next, Box& v_next) {
  const auto row = static_cast<std::ptrdiff_t>(u.whole(0));
  const auto plane = row * u.whole(1);
  for (int z = 1; z <= u.own(2); ++z)
    for (int y = 1; y <= u.own(1); ++y) {
      const std::size_t begin = u.at(1, y, z);
      const float* const uc = u.data() + begin;
      const float* const vc = v.data() + begin;
      float* const un = u_next.data() + begin;
      float* const vn = v_next.data() + begin;
      for (std::ptrdiff_t x = 0; x < u.own(0); ++x) {
        const auto laplacian = [&](const float* c) {
          return c[x - 1] + c[x + 1] + c[x - row] + c[x + row] + c[x - plane] + c[x + plane] -
                 6 * c[x];
        };
        const float reaction = uc[x] * vc[x] * vc[x];
        un[x] = uc[x] +
                time_step * (u_diffusion * laplacian(uc) - reaction + pattern.feed * (1 - uc[x]));
        vn[x] = vc[x] + time_step * (v_diffusion * laplacian(vc) + reaction -
                                     (pattern.feed + pattern.kill) * vc[x]);
      }
    }
}

/// The source of this rank; empty without a wall.
std::optional<tilewall::Source> open_source(const Settings& settings, int rank, int ranks) {
  if (settings.wall.empty() && settings.listen.empty()) return std::nullopt;
  std::string where = settings.wall;
  if (!settings.listen.empty()) {
    const std::size_t colon = settings.listen.rfind(':');
    if (colon == std::string::npos) refuse("--listen: expected ADDRESS:PORT");
    const int port = number_of("--listen", settings.listen.substr(colon + 1), 1, 65535 - ranks);
    where += (where.empty() ? "listen:" : ",listen:") + settings.listen.substr(0, colon + 1) +
             std::to_string(port + rank);
  }
  tilewall::SourceOptions options;
  options.key_file = settings.key_file;
  try {
    return tilewall::Source(where, settings.name, rank, ranks,
                            {settings.grid, settings.grid, settings.grid}, options);
  } catch (const tilewall::SourceError& error) {
    if (rank == 0) std::fprintf(stderr, "gray_scott: no wall: %s\n", error.what());
    return std::nullopt;  // the simulation goes on
  }
}

/// Waits until all ranks are connected to a wall, `longest_wait` at most.
void await_wall(tilewall::Source* source, int rank, MPI_Comm comm) {
  const auto until = std::chrono::steady_clock::now() + longest_wait;
  for (;;) {
    const bool is_over = source == nullptr || std::chrono::steady_clock::now() >= until;
    std::array<int, 2> mine = {source != nullptr && source->statistics().walls > 0 ? 1 : 0,
                               is_over ? 0 : 1};
    std::array<int, 2> all{};
    MPI_Allreduce(mine.data(), all.data(), 2, MPI_INT, MPI_MIN, comm);
    if (all[0] == 1) return;
    if (all[1] == 0) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  if (rank == 0) std::fprintf(stderr, "gray_scott: no wall yet: the simulation begins without\n");
}

void put(tilewall::Source& source, const char* field, const Box& box) {
  const tilewall_box own = {{box.begin(0), box.begin(1), box.begin(2)},
                            {box.end(0), box.end(1), box.end(2)}};
  const tilewall_ghosts ghosts = {{1, 1, 1}, {1, 1, 1}};
  static_cast<void>(source.try_put(field, own, box.data(), ghosts));
}

/// Writes the whole grid as a NumPy array of floats, (z, y, x), under a name that it gets when it
/// is complete.
void write_file(const Settings& settings, int timestep, const Box& box, int rank, MPI_Comm comm) {
  char number[16] = {};
  std::snprintf(number, sizeof number, "%06d", timestep);
  const std::string name = settings.files + "/" + settings.name + "-" + number + ".npy";
  const std::string partial = name + ".partial";
  const std::string side = std::to_string(settings.grid);
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + side + ", " + side +
                       ", " + side + "), }";
  header.resize(117, ' ');
  const std::string first = std::string("\x93NUMPY\x01\0\x76\0", 10) + header + "\n";
  MPI_File file = MPI_FILE_NULL;
  if (MPI_File_open(comm, partial.c_str(), MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL,
                    &file) != MPI_SUCCESS) {
    if (rank == 0) std::fprintf(stderr, "gray_scott: %s cannot be written\n", partial.c_str());
    return;
  }
  if (rank == 0)
    MPI_File_write_at(file, 0, first.data(), static_cast<int>(first.size()), MPI_CHAR,
                      MPI_STATUS_IGNORE);
  // Slowest axis first; in memory the ghosts are around the box.
  std::array<int, 3> whole{};
  std::array<int, 3> padded{};
  std::array<int, 3> own{};
  std::array<int, 3> begin{};
  const std::array<int, 3> ghosts = {1, 1, 1};
  for (std::size_t i = 0; i < 3; ++i) {
    whole[i] = settings.grid;
    padded[i] = box.whole(2 - i);
    own[i] = box.own(2 - i);
    begin[i] = box.begin(2 - i);
  }
  MPI_Datatype there = MPI_DATATYPE_NULL;
  MPI_Datatype here = MPI_DATATYPE_NULL;
  MPI_Type_create_subarray(3, whole.data(), own.data(), begin.data(), MPI_ORDER_C, MPI_FLOAT,
                           &there);
  MPI_Type_create_subarray(3, padded.data(), own.data(), ghosts.data(), MPI_ORDER_C, MPI_FLOAT,
                           &here);
  MPI_Type_commit(&there);
  MPI_Type_commit(&here);
  MPI_File_set_view(file, static_cast<MPI_Offset>(first.size()), MPI_FLOAT, there, "native",
                    MPI_INFO_NULL);
  MPI_File_write_all(file, box.data(), 1, here, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  MPI_Type_free(&there);
  MPI_Type_free(&here);
  if (rank == 0 && std::rename(partial.c_str(), name.c_str()) != 0)
    std::fprintf(stderr, "gray_scott: %s cannot be written\n", name.c_str());
}

void run(const Settings& settings, int rank, int ranks) {
  std::array<int, 3> sides{};
  const std::array<int, 3> periods = {1, 1, 1};
  MPI_Dims_create(ranks, 3, sides.data());
  if (sides[0] > settings.grid) refuse("--grid: expected at least a voxel for each rank");
  std::swap(sides[0], sides[2]);  // short rows cost most
  MPI_Comm cartesian = MPI_COMM_NULL;
  MPI_Cart_create(MPI_COMM_WORLD, 3, sides.data(), periods.data(), 0, &cartesian);
  {
    Box u(settings.grid, cartesian);
    Box v = u;
    Box u_next = u;
    Box v_next = u;
    fill(settings, u, v);
    std::optional<tilewall::Source> source = open_source(settings, rank, ranks);
    if (!settings.wall.empty()) await_wall(source ? &*source : nullptr, rank, cartesian);
    const auto begin = std::chrono::steady_clock::now();
    auto printed = begin;
    for (int step = 0; step < settings.steps; ++step) {
      u.exchange();
      v.exchange();
      euler_step(settings.pattern, u, v, u_next, v_next);
      u.swap(u_next);
      v.swap(v_next);
      if (source && step % settings.every == 0) {
        put(*source, "v", v);
        put(*source, "u", u);
        static_cast<void>(source->try_end_step(step * double{time_step}));
      }
      if (!settings.files.empty() && step % settings.every == 0)
        write_file(settings, step / settings.every, v, rank, cartesian);
      const auto now = std::chrono::steady_clock::now();
      if (rank == 0 && (now - printed > std::chrono::seconds(2) || step + 1 == settings.steps)) {
        printed = now;
        const double seconds = std::chrono::duration<double>(now - begin).count();
        const tilewall_statistics walls = source ? source->statistics() : tilewall_statistics{};
        std::printf("step %d of %d, %.1f steps/s, %u walls, %llu timesteps sent\n", step + 1,
                    settings.steps, (step + 1) / seconds, walls.walls,
                    static_cast<unsigned long long>(walls.kept));
        std::fflush(stdout);
      }
    }
  }
  MPI_Comm_free(&cartesian);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  run(settings_of(argc, argv), rank, ranks);
  MPI_Finalize();
  return 0;
}

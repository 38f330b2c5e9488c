// The brick job: converts a volume or a series to an OME-Zarr of bricks.
//
// Threads: the calling thread reads a slab while another one, with helpers, writes the slab before.
// All of them have ended when write_bricks() returns.
//
// Memory: two slabs of level 0 (one if a slab has more than 512 MiB), a third of one for the other
// levels, two bricks per thread, and the reader's window of 32 MiB.
#pragma once

#include <functional>
#include <stop_token>

#include "render/bricks/brick_codec.hpp"
#include "render/bricks/brick_folder.hpp"
#include "render/bricks/brick_layout.hpp"
#include "render/bricks/volume_inputs.hpp"

namespace tilewall::render {

struct BrickOptions {
  std::filesystem::path output;
  int side = 64;  ///< side of bricks, voxels
  BrickCodec codec = BrickCodec::blosc;
  int first_timestep = 0;
  int timesteps = 0;       ///< number of timesteps; 0 = all from the first one on
  bool overwrite = false;  ///< replace bricks of another input
  int threads = 1;         ///< threads that write bricks
  std::stop_token stop;    ///< ends the job with a JobError; written bricks stay
};

struct BrickProgress {
  std::int64_t bricks = 0;        ///< bricks of level 0, including those of earlier runs
  std::int64_t bricks_total = 0;  ///< bricks of level 0 in all timesteps
  std::uint64_t input_bytes = 0;  ///< bytes of voxels that this run has read
};

struct BrickResult {
  BrickLayout layout;
  int timesteps = 0;
  std::vector<BrickCount> counts;  ///< count for each level, over all runs
  ValueRange values;               ///< range of all timesteps, with scale and offset
  bool already_complete = false;   ///< the folder was complete before, so nothing was done
  std::int64_t slabs_before = 0;   ///< slabs of level 0 that earlier runs wrote
  std::uint64_t input_bytes = 0;   ///< bytes of voxels that this run has read
  double duration_s = 0;
  double reading_s = 0;  ///< part of duration_s in which slabs were read
  double writing_s = 0;  ///< part of duration_s in which slabs were written; overlaps reading_s
};

/// Converts the inputs. `progress` is called about ten times per second, on the calling thread.
/// Throws InputError for the options, the folder or the input; JobError for the disk or a stop.
/// What is written stays, and the same call goes on from there.
BrickResult write_bricks(VolumeInputs& inputs, const BrickOptions& options,
                         const std::function<void(const BrickProgress&)>& progress);

}  // namespace tilewall::render

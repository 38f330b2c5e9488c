// From a volume or a series to an OME-Zarr of bricks: reading and writing side by side.
//
// The calling thread reads a slab while another, with helpers, writes the one before. Memory: two
// slabs of level 0 (one, where a slab has more than 512 MiB), a third of one for the other levels,
// and two bricks a thread; besides the reader's window of 32 MiB.
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
  int side = 64;  ///< of bricks
  BrickCodec codec = BrickCodec::blosc;
  int first_timestep = 0;
  int timesteps = 0;  ///< 0: all from the first on
  bool overwrite = false;
  int threads = 1;
  std::stop_token stop;
};

struct BrickProgress {
  std::int64_t bricks = 0;  ///< of level 0, those of earlier runs included
  std::int64_t bricks_total = 0;
  std::uint64_t input_bytes = 0;  ///< of voxels that were bricked by this run
};

struct BrickResult {
  BrickLayout layout;
  int timesteps = 0;
  std::vector<BrickCount> counts;  ///< of each level, over all runs
  ValueRange values;               ///< of all timesteps
  bool already_complete = false;
  std::int64_t slabs_before = 0;  ///< those of level 0 that earlier runs wrote
  std::uint64_t input_bytes = 0;  ///< of voxels that this run read
  double duration_s = 0;
  double reading_s = 0;  ///< of it, in which the next slab was read
  double writing_s = 0;  ///< of it, in which bricks were packed and written
};

/// Throws InputError for what is wrong with options, folder or input, and JobError where the disk
/// fails or a stop was requested; what is written stays, and the same call goes on from there.
/// `progress` is called about ten times a second, by the calling thread.
BrickResult write_bricks(VolumeInputs& inputs, const BrickOptions& options,
                         const std::function<void(const BrickProgress&)>& progress);

}  // namespace tilewall::render

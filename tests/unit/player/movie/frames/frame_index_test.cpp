// How many reads a frame's blocks take, and that older files are read as well.
#include "player/movie/frames/frame_index.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <tiffio.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <fstream>
#include <numeric>
#include <sstream>
#include <string>

#include "player/movie/frames/block_layout.hpp"
#include "player/movie/frames/frame_loader.hpp"
#include "player/movie/frames/frame_writer.hpp"
#include "sync/base/file.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/player/movie/frames/frames_support.hpp"

using namespace tilewall;
using namespace tilewall::movie;
using namespace tilewall::test;

namespace {

struct Advice {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  int kind = 0;
};
std::vector<Advice> advices;  // what this program told the kernel of its files
// While it is set, a disk does not answer those that tell it of a file.
std::atomic<bool> disk_hangs{false};

}  // namespace

/// In place of the C library's.
extern "C" int posix_fadvise(int fd, off_t offset, off_t size, int kind) {
  disk_hangs.wait(true);
  advices.push_back(
      {static_cast<std::uint64_t>(offset), static_cast<std::uint64_t>(offset + size), kind});
  return static_cast<int>(::syscall(SYS_fadvise64, fd, offset, size, kind));
}

namespace {

/// Calls of read() and its kin by this process so far; -1 where the kernel does not count them.
long read_calls() {
  std::ifstream counters("/proc/self/io");
  std::string name;
  long value = -1;
  while (counters >> name >> value)
    if (name == "syscr:") return value;
  return -1;
}

/// Calls that `work` makes; read_calls() itself makes some.
template <typename Work>
long reads_of(Work&& work) {
  const long first = read_calls();
  const long second = read_calls();
  work();
  return read_calls() - second - (second - first);
}

/// The frame as older importers wrote it: by libtiff alone, a directory behind each level's blocks.
void write_by_libtiff(const MovieManifest& movie, const std::filesystem::path& from,
                      const std::filesystem::path& to) {
  const std::string bytes = read_text_file(from, 1 << 24);
  const UniqueFd fd(::open(from.c_str(), O_RDONLY | O_CLOEXEC));
  TIFF* const out = TIFFOpen(to.c_str(), "w8");
  REQUIRE(out != nullptr);
  for (int level = 0; level < movie.levels; ++level) {
    FrameIndex index;
    REQUIRE(index.load(fd.get(), movie, level));
    const SizePx size = level_size_px(movie.size_px, level);
    TIFFSetField(out, TIFFTAG_IMAGEWIDTH, size.width);
    TIFFSetField(out, TIFFTAG_IMAGELENGTH, size.height);
    TIFFSetField(out, TIFFTAG_TILEWIDTH, movie.block_px.width);
    TIFFSetField(out, TIFFTAG_TILELENGTH, movie.block_px.height);
    TIFFSetField(out, TIFFTAG_BITSPERSAMPLE, 8);
    TIFFSetField(out, TIFFTAG_SAMPLESPERPIXEL, plane_count(movie.chroma));
    TIFFSetField(out, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    TIFFSetField(out, TIFFTAG_COMPRESSION, compression_tag(movie.compression));
    TIFFSetField(out, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_YCBCR);
    TIFFSetField(out, TIFFTAG_JPEGTABLESMODE, 0);
    TIFFSetField(out, TIFFTAG_YCBCRSUBSAMPLING, 2, 2);
    std::uint32_t number = 0;
    for (const BlockPlace& block : index.blocks())
      REQUIRE(TIFFWriteRawTile(out, number++, const_cast<char*>(bytes.data()) + block.offset_bytes,
                               block.size_bytes) == static_cast<tmsize_t>(block.size_bytes));
    REQUIRE(TIFFWriteDirectory(out) == 1);
  }
  TIFFClose(out);
}

std::vector<int> all_blocks(const MovieManifest& movie, int level) {
  std::vector<int> blocks(static_cast<std::size_t>(block_grid(movie, level).count()));
  std::iota(blocks.begin(), blocks.end(), 0);
  return blocks;
}

}  // namespace

TEST_CASE("a frame takes one read for its index and one for each range of blocks", "[frames]") {
  if (read_calls() < 0) {
    WARN("skipped: this kernel does not count reads");
    return;
  }
  const TemporaryFolder folder;
  const MovieManifest movie = movie_of({900, 700}, Chroma::yuv420, {64, 48});
  REQUIRE(movie.levels >= 4);
  FrameWriter(movie, {}).write(wave_picture(movie.size_px, movie.chroma),
                               folder.path() / frame_file_name(0));
  for (int level = 0; level < movie.levels; ++level) {
    FrameLoader loader(folder.path(), movie);
    loader.select(level, all_blocks(movie, level));
    const LoadedFrame* frame = nullptr;
    const long reads = reads_of([&] { frame = loader.take(0); });
    CAPTURE(level);
    REQUIRE(frame->has_index);
    for (const auto& bytes : frame->blocks) CHECK_FALSE(bytes.empty());
    CHECK(reads == 2);
  }
}

TEST_CASE("a frame's likely blocks are on their way before its index is read", "[frames]") {
  const TemporaryFolder folder;
  const MovieManifest movie = movie_of({900, 700}, Chroma::yuv420, {64, 48});
  for (int frame = 0; frame < 4; ++frame)
    FrameWriter(movie, {}).write(wave_picture(movie.size_px, movie.chroma),
                                 folder.path() / frame_file_name(frame));
  FrameLoader loader(folder.path(), movie);
  const std::vector<int> wanted = {32, 33, 34, 47, 48, 49, 150};
  loader.select(0, wanted);
  advices.clear();
  REQUIRE(loader.take(0)->has_index);
  CHECK(advices.empty());
  REQUIRE(loader.take(1)->has_index);
  const UniqueFd fd(::open((folder.path() / frame_file_name(1)).c_str(), O_RDONLY | O_CLOEXEC));
  FrameIndex index;
  REQUIRE(index.load(fd.get(), movie, 0));
  std::uint64_t advised = 0;
  for (const Advice& advice : advices) {
    CHECK(advice.kind == POSIX_FADV_WILLNEED);
    advised += advice.end - advice.begin;
  }
  std::uint64_t needed = 0;
  for (const int block : wanted) {
    const BlockPlace& place = index.blocks()[static_cast<std::size_t>(block)];
    needed += place.size_bytes;
    CAPTURE(block, place.offset_bytes, place.size_bytes);
    CHECK(std::ranges::any_of(advices, [&](const Advice& advice) {
      return advice.begin <= place.offset_bytes &&
             advice.end >= place.offset_bytes + place.size_bytes;
    }));
  }
  CHECK(advised < needed + needed / 8 + advices.size() * 4 * 8192);
  advices.clear();
  loader.select(1, all_blocks(movie, 1));  // nothing is known of these
  REQUIRE(loader.take(2)->has_index);
  CHECK(advices.empty());
  loader.expect(std::vector<std::int64_t>{3});  // nor does who reads ahead do without
  REQUIRE(loader.take(3)->has_index);
  CHECK_FALSE(advices.empty());
}

TEST_CASE("likely ranges grow with the file and have a margin of a sixteenth, or 4 KiB",
          "[frames]") {
  const TemporaryFolder folder;
  const auto file_of = [&](const char* name, off_t bytes) {
    UniqueFd fd(::open((folder / name).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    REQUIRE(::ftruncate(fd.get(), bytes) == 0);
    return fd;
  };
  const UniqueFd first = file_of("first", 1'000'000);
  const UniqueFd second = file_of("second", 2'000'000);
  const auto advised = [&](const std::vector<BlockPlace>& index, const std::vector<int>& wanted) {
    LikelyRanges likely;
    likely.prefetch(first.get());
    likely.learn(index, wanted);
    advices.clear();
    likely.prefetch(second.get());
    std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
    for (const Advice& advice : advices) ranges.emplace_back(advice.begin, advice.end);
    return ranges;
  };
  using Ranges = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
  // The places and sizes are doubled, as the file is twice as long.
  CHECK(advised({{300'000, 200'000}}, {0}) == Ranges{{575'000, 1'025'000}});
  CHECK(advised({{300'000, 32'768}}, {0}) == Ranges{{595'904, 669'632}});
  CHECK(advised({{300'000, 32'776}}, {0}) == Ranges{{595'903, 669'649}});
  CHECK(advised({{1'000, 100}}, {0}) == Ranges{{0, 6'296}});  // no margin before the file
  // Blocks up to 8 KiB apart are read as one, in whatever order they are named.
  CHECK(advised({{100'000, 1'000}, {109'192, 500}}, {1, 0}) == Ranges{{195'904, 223'480}});
  CHECK(advised({{100'000, 1'000}, {109'193, 500}}, {1, 0}) ==
        Ranges{{195'904, 206'096}, {214'290, 223'482}});
  CHECK(advised({{100'000, 9'000}, {101'000, 500}}, {0, 1}) == Ranges{{195'904, 222'096}});
  // A block that the index lacks, or that has no bytes, adds nothing.
  CHECK(advised({{100'000, 1'000}, {500'000, 0}}, {0, 1, 2}) == Ranges{{195'904, 206'096}});
  std::vector<BlockPlace> many;
  for (std::uint64_t i = 0; i < 40; ++i) many.push_back({20'000 * (i + 1), 10});
  std::vector<int> all(many.size());
  std::iota(all.begin(), all.end(), 0);
  const auto most = advised(many, all);
  REQUIRE(most.size() == 32);
  CHECK(most.back() == std::pair<std::uint64_t, std::uint64_t>{1'275'904, 1'284'116});
}

TEST_CASE("a frame whose disk does not answer is abandoned, and taken once it has come",
          "[frames]") {
  const TemporaryFolder folder;
  const MovieManifest movie = movie_of({900, 700}, Chroma::yuv420, {64, 48});
  for (int frame = 0; frame < 3; ++frame)
    FrameWriter(movie, {}).write(wave_picture(movie.size_px, movie.chroma),
                                 folder.path() / frame_file_name(frame));
  std::atomic<bool> abandons{false};
  FrameLoader loader(folder.path(), movie, [&] { return abandons.load(); });
  const std::vector<int> wanted = {32, 33, 34};
  loader.select(0, wanted);
  REQUIRE(loader.take(0)->has_index);
  CHECK_FALSE(loader.is_busy());
  disk_hangs = true;
  loader.expect(std::vector<std::int64_t>{1});
  CHECK(loader.is_busy());
  abandons = true;
  CHECK(loader.take(1) == nullptr);
  CHECK(loader.take(2) == nullptr);
  loader.select(1, std::vector<int>{1});  // neither these wait for the disk
  loader.expect(std::vector<std::int64_t>{2});
  CHECK(loader.is_busy());
  disk_hangs = false;
  disk_hangs.notify_all();
  abandons = false;
  const LoadedFrame* const other = loader.take(2);
  REQUIRE(other != nullptr);
  REQUIRE(other->has_index);
  CHECK(other->blocks.size() == 1);
  loader.select(0, wanted);
  REQUIRE(loader.take(1)->has_index);
  CHECK_FALSE(loader.is_busy());
}

TEST_CASE("a frame that was not there when it was read ahead is read again", "[frames]") {
  const TemporaryFolder folder;
  const MovieManifest movie = movie_of({900, 700}, Chroma::yuv420, {64, 48});
  const auto write = [&](int frame) {
    FrameWriter(movie, {}).write(wave_picture(movie.size_px, movie.chroma),
                                 folder.path() / frame_file_name(frame));
  };
  write(0);
  FrameLoader loader(folder.path(), movie);
  loader.select(0, std::vector<int>{32, 33});
  REQUIRE(loader.take(0)->has_index);
  loader.expect(std::vector<std::int64_t>{1});
  REQUIRE(eventually([&] { return !loader.is_busy(); }));
  write(1);
  CHECK(loader.take(1)->has_index);
  loader.expect(std::vector<std::int64_t>{2});
  const LoadedFrame* const missing = loader.take(2);
  REQUIRE(missing != nullptr);
  CHECK_FALSE(missing->has_index);
  CHECK(missing->is_missing);
}

TEST_CASE("a frame by libtiff alone gives the same blocks in few reads", "[frames]") {
  const TemporaryFolder folder;
  const TemporaryFolder old_folder;
  const MovieManifest movie = movie_of({900, 700}, Chroma::yuv420, {64, 48});
  const auto file = folder.path() / frame_file_name(0);
  FrameWriter(movie, {}).write(wave_picture(movie.size_px, movie.chroma), file);
  write_by_libtiff(movie, file, old_folder.path() / frame_file_name(0));
  for (int level = 0; level < movie.levels; ++level) {
    FrameLoader loader(folder.path(), movie);
    FrameLoader old_loader(old_folder.path(), movie);
    loader.select(level, all_blocks(movie, level));
    old_loader.select(level, all_blocks(movie, level));
    const LoadedFrame& frame = *loader.take(0);
    const LoadedFrame* old_frame = nullptr;
    const long reads = reads_of([&] { old_frame = old_loader.take(0); });
    CAPTURE(level, reads);
    REQUIRE(old_frame->has_index);
    REQUIRE(old_frame->blocks.size() == frame.blocks.size());
    for (std::size_t i = 0; i < frame.blocks.size(); ++i)
      CHECK(std::ranges::equal(frame.blocks[i], old_frame->blocks[i]));
    if (read_calls() >= 0) CHECK(reads <= 3 + 2 * level);
  }
}

TEST_CASE("blocks of impossible places are not there", "[frames][bad-input]") {
  const TemporaryFolder folder;
  const MovieManifest movie = movie_of({128, 128}, Chroma::gray, {32, 32});
  const auto file = folder / "frame.tif";
  FrameWriter(movie, {}).write(wave_picture(movie.size_px, movie.chroma), file);
  const std::string whole = read_text_file(file, 1 << 20) + std::string(100'000, '\0');
  const auto blocks_of = [&](const std::string& bytes) {
    write_file_atomically(file, bytes);
    const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    FrameIndex index;
    REQUIRE(index.load(fd.get(), movie, 0));
    return std::vector<BlockPlace>(index.blocks().begin(), index.blocks().end());
  };
  const std::vector<BlockPlace> places = blocks_of(whole);
  REQUIRE(places.size() == 16);
  const auto bytes_of = [](auto number) {
    return std::string(reinterpret_cast<const char*>(&number), sizeof number);
  };
  // The arrays begin with the first block's offset and the first two blocks' sizes.
  const std::size_t offset_at = whole.find(bytes_of(places[0].offset_bytes));
  const std::size_t size_at =
      whole.find(bytes_of(places[0].size_bytes) + bytes_of(places[1].size_bytes));
  REQUIRE(offset_at < places[0].offset_bytes);
  REQUIRE(size_at < places[0].offset_bytes);
  const auto first_with = [&](std::uint64_t offset, std::uint32_t size) {
    std::string changed = whole;
    changed.replace(offset_at, 8, bytes_of(offset));
    changed.replace(size_at, 4, bytes_of(size));
    const std::vector<BlockPlace> now = blocks_of(changed);
    CHECK(now[1].offset_bytes == places[1].offset_bytes);
    CHECK(now[1].size_bytes == places[1].size_bytes);
    return now[0].size_bytes;
  };
  const std::uint64_t at = places[0].offset_bytes;
  constexpr std::uint32_t most_bytes = 65536 + 8 * 32 * 32;  // of a block in any file
  CHECK(first_with(at, 7) == 7);
  CHECK(first_with(at, 0) == 0);
  CHECK(first_with(at, most_bytes) == most_bytes);
  CHECK(first_with(at, most_bytes + 1) == 0);
  CHECK(first_with(whole.size() - 7, 7) == 7);
  CHECK(first_with(whole.size() - 7, 8) == 0);
  CHECK(first_with(whole.size() + 1, 1) == 0);
  CHECK(first_with(std::uint64_t{1} << 63, 1) == 0);
  CHECK(first_with(0, 7) == 0);
}

TEST_CASE("the index of a level and those below is a prefix of the file", "[frames]") {
  const TemporaryFolder folder;
  for (const Chroma chroma : {Chroma::gray, Chroma::yuv420, Chroma::rgb})
    for (const SizePx size : {SizePx{16, 16}, SizePx{64, 32}, SizePx{65, 32}, SizePx{640, 480}}) {
      const MovieManifest movie = movie_of(size, chroma, {32, 32});
      const FrameLayout layout(movie);
      const auto file = folder.path() / "frame.tif";
      FrameWriter(movie, {}).write(wave_picture(size, chroma), file);
      for (int level = 0; level < movie.levels; ++level) {
        const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
        FrameIndex index;
        CAPTURE(static_cast<int>(chroma), size.width, level, index.problem());
        REQUIRE(index.load(fd.get(), movie, level));
        CHECK(index.read_bytes() == layout.levels[static_cast<std::size_t>(level)].end);
        for (const BlockPlace& block : index.blocks()) {
          CHECK(block.size_bytes > 0);
          CHECK(block.offset_bytes >= layout.index_bytes);
        }
      }
    }
}

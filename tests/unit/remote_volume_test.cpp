// Volumes on servers, as boxes: what a server gives, what it bounds, and how a client reads.

#include "player/volume/remote/remote_volume.hpp"

#include <sys/eventfd.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

#include "player/volume/remote/volume_shelf.hpp"
#include "sync/base/error.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/volume_pyramid.hpp"

using namespace tilewall;
using namespace tilewall::test;
namespace fs = std::filesystem;

namespace {

constexpr VolumeSize size{24, 20, 16};

std::uint8_t voxel(int x, int y, int z) { return static_cast<std::uint8_t>(x + 7 * y + 31 * z); }

void write_npy(const fs::path& file) {
  std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': (16, 20, 24), }";
  header.resize(117, ' ');
  fs::create_directories(file.parent_path());
  std::ofstream to(file, std::ios::binary);
  to << "\x93NUMPY" << '\x01' << '\0' << '\x76' << '\0' << header << '\n';
  for (int z = 0; z < size.z; ++z)
    for (int y = 0; y < size.y; ++y)
      for (int x = 0; x < size.x; ++x) to.put(static_cast<char>(voxel(x, y, z)));
}

BoxRequest request_for(const std::string& name, const GridBox& box) {
  return {{name, {}}, 0, 0, size, VoxelType::u8, box};
}

BoxAnswerStatus status_of(VolumeShelf& shelf, const BoxRequest& request) {
  const auto slab = shelf.read(to_bytes(request));
  return parse_box_answer(slab->bytes(), box_bytes(request)).status;
}

/// A server of a folder on a port of its own, or the one that was given.
class ServedVolumes {
 public:
  explicit ServedVolumes(const fs::path& folder, int port = 0)
      : shelf_({folder}),
        server_(SlabServerOptions{resolve("127.0.0.1:" + std::to_string(port), "test")}, shelf_),
        thread_([this] { server_.run(stop_.get()); }) {}
  ~ServedVolumes() { ::eventfd_write(stop_.get(), 1); }

  [[nodiscard]] int port() const { return server_.port(); }
  [[nodiscard]] std::string url(const std::string& name) const {
    return "tilewall://127.0.0.1:" + std::to_string(port()) + "/" + name;
  }

 private:
  VolumeShelf shelf_;
  SlabServer server_;
  UniqueFd stop_{::eventfd(0, EFD_CLOEXEC)};
  std::jthread thread_;
};

std::vector<std::byte> read(VoxelReader& reader, int grid, const GridBox& box) {
  const VolumeSize of = box.size();
  const auto row = static_cast<std::size_t>(of.x);
  std::vector<std::byte> voxels(of.voxels());
  reader.read_box(grid, 0, box, {voxels.data(), row, row * static_cast<std::size_t>(of.y)});
  return voxels;
}

}  // namespace

TEST_CASE("a box request says what it was made of, and no part of it is one", "[remote]") {
  BoxRequest request = request_for("run/ct-%04d.nrrd", {{1, 2, 3}, {4, 5, 6}});
  request.volume.options = {"density", true, 2, 1};
  request.type = VoxelType::u16;
  request.timestep = 7;
  const std::vector<std::byte> bytes = to_bytes(request);
  const BoxRequest parsed = parse_box_request(bytes);
  CHECK(parsed.volume == request.volume);
  CHECK(parsed.box == request.box);
  CHECK(to_bytes(parsed) == bytes);
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    const std::vector<std::byte> part(bytes.begin(), bytes.begin() + static_cast<long>(length));
    CHECK_THROWS_AS(parse_box_request(part), InputError);
  }
}

TEST_CASE("boxes that are too large, empty or outside are no requests", "[remote][bad-input]") {
  for (const GridBox& box : {GridBox{{0, 0, 0}, {25, 1, 1}}, GridBox{{3, 0, 0}, {3, 1, 1}},
                             GridBox{{5, 0, 0}, {3, 1, 1}}, GridBox{{-1, 0, 0}, {3, 1, 1}}})
    CHECK_THROWS_AS(parse_box_request(to_bytes(request_for("a", box))), InputError);
  BoxRequest large = request_for("a", {{0, 0, 0}, {max_file_side, 8, 1}});
  large.grid_size = {max_file_side, max_file_side, max_file_side};
  CHECK_NOTHROW(parse_box_request(to_bytes(large)));
  large.box.end[2] = max_file_side;
  CHECK_THROWS_AS(parse_box_request(to_bytes(large)), InputError);
  large.box = {{0, 0, 0}, {1, 1, 1}};
  large.grid_size.z = max_file_side + 1;
  CHECK_THROWS_AS(parse_box_request(to_bytes(large)), InputError);
}

TEST_CASE("answers that are cut, or of another length, hold no voxels", "[remote][bad-input]") {
  const TemporaryFolder folder;
  write_npy(folder / "ball.npy");
  VolumeShelf shelf({folder.path()});
  const BoxRequest request = request_for("ball.npy", {{1, 2, 3}, {5, 4, 6}});
  const auto slab = shelf.read(to_bytes(request));
  const BoxAnswer answer = parse_box_answer(slab->bytes(), box_bytes(request));
  REQUIRE(answer.status == BoxAnswerStatus::found);
  CHECK(std::to_integer<int>(answer.voxels[0]) == voxel(1, 2, 3));
  CHECK(std::to_integer<int>(answer.voxels.back()) == voxel(4, 3, 5));
  for (std::size_t length = 0; length < slab->size(); ++length)
    CHECK(parse_box_answer(slab->bytes().first(length), box_bytes(request)).voxels.empty());
  CHECK(parse_box_answer(slab->bytes(), box_bytes(request) + 1).voxels.empty());
}

TEST_CASE("a server gives what lies below its folders, and bounds what is held", "[remote]") {
  const TemporaryFolder folder;
  const TemporaryFolder outside;
  write_npy(folder / "served" / "ball.npy");
  for (const char* name : {"s-01.npy", "s-02.npy", "other.npy"})
    write_npy(folder / "served" / "run" / name);
  write_npy(outside / "secret.npy");
  fs::create_symlink(outside / "secret.npy", folder / "served" / "link.npy");
  fs::create_directory_symlink(outside.path(), folder / "served" / "door");
  VolumeShelf::Limits limits;
  limits.answer_bytes = 2000;
  limits.kept_bytes = 0;
  VolumeShelf shelf({folder / "served"}, limits);
  CHECK(shelf.names(100) ==
        std::vector<std::string>{"ball.npy", "link.npy", "run/other.npy", "run/s-%02d.npy"});
  CHECK(shelf.call({{"type", "list"}}).at("volumes").size() == 3);  // not the link
  const GridBox box = {{0, 0, 0}, {10, 10, 10}};
  for (const std::string& name :
       {std::string("link.npy"), std::string("door/secret.npy"), std::string("../x"),
        (outside / "secret.npy").string(), std::string("run/*.npy"), std::string("none")}) {
    CAPTURE(name);
    CHECK_FALSE(shelf.has(name));
    CHECK(status_of(shelf, request_for(name, box)) == BoxAnswerStatus::failed);
  }
  CHECK(status_of(shelf, request_for("run/s-%02d.npy", box)) == BoxAnswerStatus::found);
  BoxRequest other = request_for("ball.npy", box);
  other.grid_size.z = 40;
  CHECK(status_of(shelf, other) == BoxAnswerStatus::changed);
  other = request_for("ball.npy", box);
  other.timestep = 1;
  CHECK(status_of(shelf, other) == BoxAnswerStatus::changed);
  const auto held = shelf.read(to_bytes(request_for("ball.npy", box)));
  auto more = shelf.read(to_bytes(request_for("ball.npy", {{0, 0, 1}, {10, 10, 11}})));
  CHECK(status_of(shelf, request_for("ball.npy", box)) == BoxAnswerStatus::busy);
  more.reset();
  CHECK(status_of(shelf, request_for("ball.npy", box)) == BoxAnswerStatus::found);
}

TEST_CASE("a client reads a server's boxes as the file's, through small windows", "[remote]") {
  const TemporaryFolder folder;
  write_pyramid(folder / "p.zarr", {30, 26, 22}, 2, voxel, 8);
  const ServedVolumes served(folder.path());
  const VolumeOptions all;
  VolumeFile file = VolumeFile::open((folder / "p.zarr").string());
  for (const std::size_t window : {std::size_t{512}, std::size_t{64} << 10}) {
    RemoteVolume remote(served.url("p.zarr?transport=tcp"), {all, window});
    CHECK(to_json(remote.info()) == to_json(file.info()));
    for (const GridBox& box : {GridBox{{0, 0, 0}, {15, 13, 11}}, GridBox{{3, 5, 9}, {12, 13, 11}},
                               GridBox{{14, 12, 10}, {15, 13, 11}}})
      for (const int grid : {0, 1}) CHECK(read(remote, grid, box) == read(file, grid, box));
    CHECK(remote.read_bytes() > 0);
  }
  CHECK(remote_value_range(served.url("p.zarr"), all) == ValueRange{0, 255});
  CHECK_THROWS_WITH(RemoteVolume(served.url("q.zarr")),
                    Catch::Contains("expected a volume of this server"));
}

TEST_CASE("a read waits for a server that is gone, says so, and goes on once it is back",
          "[remote]") {
  const TemporaryFolder folder;
  write_npy(folder / "ball.npy");
  std::optional<ServedVolumes> served(folder.path());
  const int port = served->port();
  RemoteVolume remote(served->url("ball.npy"), {{}, 4096});
  const GridBox all = whole_box(size);
  const auto before = read(remote, 0, all);
  served.reset();
  std::vector<std::byte> after;
  std::jthread reader([&] { after = read(remote, 0, all); });
  CHECK(eventually([&] { return !remote.trouble().empty(); }));
  CHECK(remote.trouble().find("its server is gone") != std::string::npos);
  served.emplace(folder.path(), port);
  reader.join();
  CHECK(after == before);
  CHECK(remote.trouble().empty());
  served.reset();
  std::stop_source stop;
  std::vector<std::byte> voxels(size.voxels());
  std::jthread stopped([&] {
    remote.read_box(0, 0, all, {voxels.data(), 24, 24 * 20}, stop.get_token());
  });
  stop.request_stop();
}

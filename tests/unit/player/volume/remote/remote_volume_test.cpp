// Volumes on servers, as boxes: what a server gives, what it bounds, and how a client reads.

#include "player/volume/remote/remote_volume.hpp"

#include <atomic>
#include <catch2/catch.hpp>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "player/volume/remote/exported_volumes.hpp"
#include "player/volume/remote/volume_server.hpp"
#include "render/bricks/brick_job.hpp"
#include "render/bricks/brick_ranges.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/volume_pyramid.hpp"

using namespace tilewall;
using namespace tilewall::net;
using namespace tilewall::render;
using namespace tilewall::test;
using namespace tilewall::volume;
namespace fs = std::filesystem;
using Json = nlohmann::json;

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

BoxAnswerStatus status_of(VolumeServer& served, const BoxRequest& request) {
  const auto slab = served.read(to_bytes(request));
  return parse_box_answer(slab->bytes(), box_bytes(request)).status;
}

/// A server of a folder.
struct ServedVolumes {
  explicit ServedVolumes(const fs::path& folder, int port = 0)
      : served({folder}), server(served, port) {}

  [[nodiscard]] int port() const { return server.port(); }
  [[nodiscard]] std::string url(const std::string& name) const { return server.url(name); }

  VolumeServer served;
  ServedSource server;
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
  VolumeServer served({folder.path()});
  const BoxRequest request = request_for("ball.npy", {{1, 2, 3}, {5, 4, 6}});
  const auto slab = served.read(to_bytes(request));
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
  fs::create_symlink("ball.npy", folder / "served" / "alias.npy");
  fs::create_directory_symlink(outside.path(), folder / "served" / "door");
  fs::create_directory_symlink("run", folder / "served" / "inside");
  fs::create_directory_symlink(".", folder / "served" / "run" / "circle");
  VolumeServer::Limits limits;
  limits.answer_bytes = 2000;
  limits.kept_bytes = 0;
  VolumeServer served({folder / "served"}, limits);
  CHECK(served.names(100) == std::vector<std::string>{"alias.npy", "ball.npy", "inside",
                                                      "run/other.npy", "run/s-%02d.npy",
                                                      "run/circle"});
  CHECK(served.call({{"type", "list"}}).at("volumes").size() == 6);
  CHECK(status_of(served, request_for("inside", {{0, 0, 0}, {10, 10, 10}})) ==
        BoxAnswerStatus::found);
  const GridBox box = {{0, 0, 0}, {10, 10, 10}};
  for (const std::string& name :
       {std::string("link.npy"), std::string("door/secret.npy"), std::string("../x"),
        (outside / "secret.npy").string(), std::string("run/*.npy"), std::string("none")}) {
    CAPTURE(name);
    CHECK_FALSE(served.has(name));
    CHECK(status_of(served, request_for(name, box)) == BoxAnswerStatus::failed);
  }
  CHECK(status_of(served, request_for("run/s-%02d.npy", box)) == BoxAnswerStatus::found);
  BoxRequest other = request_for("ball.npy", box);
  other.grid_size.z = 40;
  CHECK(status_of(served, other) == BoxAnswerStatus::changed);
  other = request_for("ball.npy", box);
  other.timestep = 1;
  CHECK(status_of(served, other) == BoxAnswerStatus::changed);
  const auto held = served.read(to_bytes(request_for("ball.npy", box)));
  auto more = served.read(to_bytes(request_for("ball.npy", {{0, 0, 1}, {10, 10, 11}})));
  CHECK(status_of(served, request_for("ball.npy", box)) == BoxAnswerStatus::busy);
  more.reset();
  CHECK(status_of(served, request_for("ball.npy", box)) == BoxAnswerStatus::found);
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
  CHECK(remote_values(served.url("p.zarr"), all).range == ValueRange{0, 255});
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

TEST_CASE("files that differ in their numbers only are one name, whatever lies between them",
          "[remote]") {
  const TemporaryFolder folder;
  // Sorted by their numbers, the two series alternate.
  for (const char* name : {"a1.npy", "a2.npy", "a10.npy", "b-01.npy", "b-02.npy", "c7.npy",
                           "one-1-x.npy", "one-2-x.npy", "plain.npy"})
    write_npy(folder / name);
  for (const char* name : {"b-01-low.npy", "b-02-low.npy"}) write_npy(folder / name);
  VolumeServer served({folder.path()});
  std::vector<std::string> names = served.names(100);
  std::sort(names.begin(), names.end());
  CHECK(names == std::vector<std::string>{"a%01d.npy", "a10.npy", "b-%02d-low.npy", "b-%02d.npy",
                                          "c7.npy", "one-%01d-x.npy", "plain.npy"});
}

TEST_CASE("a show's server gives what is listed, as long as it is, and nothing else", "[remote]") {
  const TemporaryFolder folder;
  for (const char* name : {"ball.npy", "s-01.npy", "s-02.npy", "other.npy"})
    write_npy(folder / name);
  const auto exported = [&](const std::vector<VolumeExport>& exports) {
    write_file_atomically(folder / "list", to_text(exports));
  };
  ExportedVolumes volumes(folder / "list");
  const ServedSource served(volumes);
  const auto refused = [&](const std::string& name, const VolumeOptions& options = {}) {
    try {
      RemoteVolume(served.url(name), {options});
    } catch (const InputError&) {
      return true;
    }
    return false;
  };
  CHECK(refused("1/ball.npy"));
  exported({{"1/ball.npy", (folder / "ball.npy").string(), {}},
            {"2/s-01.npy", (folder / "s-01.npy").string(), {"s-02.npy"}},
            {"3/none.npy", (folder / "none.npy").string(), {}}});
  RemoteVolume ball(served.url("1/ball.npy"));
  CHECK(read(ball, 0, {{1, 2, 3}, {2, 3, 4}}) == std::vector{std::byte{voxel(1, 2, 3)}});
  RemoteVolume series(served.url("2/s-01.npy"));
  CHECK(series.info().timesteps() == 2);
  for (const std::string name : {"ball.npy", "other.npy", "1/other.npy", "../other.npy",
                                 "3/none.npy", "1/../other.npy", "2/s-02.npy", "1"})
    CHECK(refused(name));
  CHECK(refused((folder / "other.npy").string()));
  VolumeOptions with_more;
  with_more.more = {"other.npy"};
  CHECK(refused("1/ball.npy", with_more));
  exported({{"2/s-01.npy", (folder / "s-01.npy").string(), {"s-02.npy"}}});
  CHECK(refused("1/ball.npy"));
  CHECK_THROWS_WITH(read(ball, 0, {{1, 2, 3}, {2, 3, 4}}), Catch::Contains("found none"));
  CHECK(read(series, 0, {{0, 0, 0}, {1, 1, 1}}) == std::vector{std::byte{0}});
  std::ofstream(folder / "list") << "no list";
  CHECK(refused("2/s-01.npy"));
}

TEST_CASE("ranges of bricks come as they lie beside them, in however many parts", "[remote]") {
  const TemporaryFolder folder;
  write_npy(folder / "ball.npy");
  VolumeInputs inputs({(folder / "ball.npy").string()}, {});
  BrickOptions options;
  options.output = folder / "b.zarr";
  options.side = 32;
  static_cast<void>(write_bricks(inputs, options, [](const BrickProgress&) {}));
  write_pyramid(folder / "p.zarr", {30, 26, 22}, 2, voxel, 8);
  const ServedVolumes served(folder.path());
  const CellPairs here = BrickRanges::open(folder / "b.zarr", 0, 0).all_cells();
  for (const std::size_t window : {std::size_t{1024}, std::size_t{64} << 10}) {
    RemoteVolume remote(served.url("b.zarr"), {{}, window});
    const auto there = remote.read_cells(0, 0);
    REQUIRE(there);
    CHECK(there->side == here.side);
    CHECK(there->count == here.count);
    CHECK(there->least == here.least);
    CHECK(there->greatest == here.greatest);
    CHECK(there->stored == here.stored);
  }
  RemoteVolume plain(served.url("p.zarr"));
  CHECK_FALSE(plain.read_cells(0, 0));
  RemoteVolume bricks(served.url("b.zarr"));
  std::ofstream(ranges_file(folder / "b.zarr", 0, 0)) << "cut off";
  std::filesystem::last_write_time(folder / "b.zarr" / ".zattrs", fs::file_time_type::clock::now());
  CHECK_FALSE(RemoteVolume(served.url("b.zarr")).read_cells(0, 0));
}

TEST_CASE("requests for cells beyond the grid, or of voxels that have none, are refused",
          "[remote][bad-input]") {
  BoxRequest request = request_for("a", {{0, 0, 0}, {6, 5, 4}});
  request.cell_side = 4;
  CHECK(to_bytes(parse_box_request(to_bytes(request))) == to_bytes(request));
  CHECK(box_bytes(request) == 2 * 6 * 5 * 4);
  const auto refused = [](BoxRequest bad) {
    CHECK_THROWS_AS(parse_box_request(to_bytes(bad)), InputError);
  };
  BoxRequest bad = request;
  bad.box.end[2] = 5;
  refused(bad);
  bad = request;
  bad.grid_size = {1000, 1000, 1000};
  bad.box = {{0, 0, 0}, {1, 1, 1}};
  bad.cell_side = 256;
  CHECK_NOTHROW(parse_box_request(to_bytes(bad)));
  bad.cell_side = 257;
  refused(bad);
  bad = request;
  bad.type = VoxelType::u16;
  refused(bad);
  bad = request;
  bad.grid_size = {4096, 4096, 4096};
  bad.box.end = {256, 256, 65};
  refused(bad);
  bad.box.end = {256, 256, 64};
  CHECK_NOTHROW(parse_box_request(to_bytes(bad)));
}

TEST_CASE("ranges that make no sense are a line, and a server that knows of none is as none",
          "[remote][bad-input]") {
  const TemporaryFolder folder;
  write_npy(folder / "ball.npy");
  /// Answers as it is told to when cells are asked for.
  struct Liar final : SlabSource {
    explicit Liar(const fs::path& folder) : served({folder}) {}
    Json call(const Json& question) override { return served.call(question); }
    std::shared_ptr<const SlabBuffer> read(std::span<const std::byte> words) override {
      const BoxRequest request = parse_box_request(words);
      const std::size_t bytes = box_bytes(request) + more;
      const BoxAnswerHeader header{box_answer_magic, status, bytes};
      SlabBuffer slab;
      slab.resize(knows ? sizeof header + bytes : 0);
      if (!knows) return std::make_shared<const SlabBuffer>(std::move(slab));
      std::memcpy(slab.data(), &header, sizeof header);
      std::memset(slab.data() + sizeof header, 9, bytes / 2);
      std::memset(slab.data() + sizeof header + bytes / 2, greatest, bytes - bytes / 2);
      return std::make_shared<const SlabBuffer>(std::move(slab));
    }
    VolumeServer served;
    std::atomic<bool> knows = true;
    std::atomic<int> greatest = 20;
    std::atomic<std::size_t> more = 0;
    std::atomic<std::uint32_t> status = 0;
  };
  Liar liar(folder.path());
  const ServedSource served(liar);
  RemoteVolume remote(served.url("ball.npy"));
  const auto cells = remote.read_cells(0, 0);
  REQUIRE(cells);
  CHECK(cells->stored == ValueRange{9, 20});
  liar.greatest = 8;
  CHECK_THROWS_WITH(remote.read_cells(0, 0), Catch::Contains("not above the greatest"));
  liar.greatest = 20;
  liar.more = 1;
  CHECK_THROWS_WITH(remote.read_cells(0, 0), Catch::Contains("its server cannot read it"));
  liar.more = 0;
  liar.status = static_cast<std::uint32_t>(BoxAnswerStatus::unknown);
  CHECK_FALSE(remote.read_cells(0, 0));
  CHECK_THROWS_WITH(read(remote, 0, {{0, 0, 0}, {1, 1, 1}}),
                    Catch::Contains("its server cannot read it"));
  liar.knows = false;
  CHECK_THROWS_WITH(remote.read_cells(0, 0), Catch::Contains("its server cannot read it"));
}

TEST_CASE("a list of volumes is cut at the number that was asked for", "[remote]") {
  std::vector<VolumeExport> exports(3);
  for (std::size_t i = 0; i < exports.size(); ++i) exports[i].name = "v" + std::to_string(i);
  const VolumePlaces places(exports);
  CHECK(places.list(0).empty());
  CHECK(places.list(2) == std::vector<std::string>{"v0", "v1"});
  CHECK(places.list(3).size() == 3);
  CHECK(places.list(100).size() == 3);
}

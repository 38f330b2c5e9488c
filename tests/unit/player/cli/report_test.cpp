// Reports of `tilewall info` and `wall` as text.

#include <catch2/catch.hpp>

#include "player/cli/report/reports.hpp"
#include "player/movie/frames/manifest.hpp"
#include "sync/base/file.hpp"
#include "tests/support/numbered_movie.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::cli;
using OrderedJson = nlohmann::ordered_json;

TEST_CASE("a report as text has a line for each value that is known", "[info]") {
  CHECK(report_text({{"kind", "movie"},
                     {"codec", ""},
                     {"fps", 23.976023976},
                     {"mirrored", false},
                     {"complete", true},
                     {"bytes", 1234},
                     {"hdr_max_cll_nits", nullptr},
                     {"problems", OrderedJson::array()},
                     {"more_problems", 0}}) ==
        "kind                 movie\n"
        "fps                  23.97602\n"
        "mirrored             no\n"
        "complete             yes\n"
        "bytes                1234\n"
        "hdr_max_cll_nits     none");
  CHECK(report_text({{"more_problems", 2}}) == "more_problems        2");
  CHECK(report_text(OrderedJson::object()).empty());
}

TEST_CASE("lists of a report are numbers in a line, or a line each", "[info]") {
  CHECK(report_text({{"spacing", {0.5, 0.5, 2.0}}}) == "spacing              0.5 0.5 2");
  CHECK(report_text({{"levels", {{64, 64, 64}, {32, 32, 32}}}}) ==
        "levels               64 64 64, 32 32 32");
  CHECK(report_text({{"notes", {"one", "two\033"}}}) ==
        "notes                one\n                     two?");
}

TEST_CASE("numbers of frames and images are told as what they are", "[info]") {
  CHECK(report_text({{"frames", 201}, {"frames_estimated", true}}) ==
        "frames               about 201 (estimated from the duration)");
  CHECK(report_text({{"frames", 201}, {"frames_estimated", false}}) == "frames               201");
  const auto judged = [](int count) {
    const std::string text =
        report_text({{"frames", 8}, {"gap_frames", 2}, {"judged_images", count}});
    return text.substr(text.rfind('\n') + 22);
  };
  CHECK(judged(6) == "all");
  CHECK(judged(1) == "only the first of 6; --verify judges all");
  CHECK(judged(2) == "only the first 2 of 6; --verify judges all");
}

TEST_CASE("a job that writes is told with its rate, and each of its processes", "[info]") {
  movie::TransferStatus status;
  status.progress = {.done = 12, .total = 48, .unit = "frames"};
  status.per_s = 2.46;
  CHECK(report_text(status_report(status)) == "running              12 of 48 frames, 2.5 a second");
  CHECK_FALSE(status_report(status).contains("workers"));
  status.left_s = 17.6;
  status.workers = {{"n1", "draws", 14, 6}, {"n2", "waits", std::nullopt, 5}};
  CHECK(report_text(status_report(status)) ==
        "running              12 of 48 frames, 2.5 a second, about 18 s left\n"
        "workers              n1 draws frame 14, 6 stored\n"
        "                     n2 waits, 5 stored");
}

TEST_CASE("the entries of servers, lists and live sources are told in a line each", "[info]") {
  const auto line_of = [](const OrderedJson& item) {
    return report_text({{"items", {item}}}).substr(21);
  };
  CHECK(line_of({{"name", "jet"}}) == "jet");
  CHECK(line_of({{"name", "jet"},
                 {"width_px", 640},
                 {"height_px", 480},
                 {"frames", 100},
                 {"fps", "24"},
                 {"complete", true}}) == "jet: 640x480, 100 frames at 24 fps");
  CHECK(line_of({{"name", "jet"},
                 {"width_px", 640},
                 {"height_px", 480},
                 {"frames", 100},
                 {"fps", "24"},
                 {"complete", false}}) == "jet: 640x480, 100 frames at 24 fps, still growing");
  const auto volume = [&](int timesteps) {
    return line_of({{"name", "flow"},
                    {"size_voxels", {64, 32, 16}},
                    {"type", "float32"},
                    {"timesteps", timesteps},
                    {"format", "nrrd"}});
  };
  CHECK(volume(1) == "flow: 64 x 32 x 16 float32, 1 timestep, nrrd");
  CHECK(volume(3) == "flow: 64 x 32 x 16 float32, 3 timesteps, nrrd");
  CHECK(line_of({{"name", "u"}, {"type", "float32"}, {"value_unit", "m/s"}}) ==
        "u: float32, in m/s");
  CHECK(line_of({{"name", "u"}, {"type", "float32"}, {"value_unit", ""}}) == "u: float32");
  CHECK(line_of({{"path", "a.mp4"}, {"first_frame", 3}, {"last_frame", 9}, {"duration_s", 1.26}}) ==
        "a.mp4: frames 3 to 9, 1.3 s");
}

TEST_CASE("the light of a movie is told where it is tagged", "[info]") {
  movie::HdrLight light;
  light.transfer = movie::HdrTransfer::hlg;
  light.peak_nits = 400;
  light.max_cll_nits = 350;
  OrderedJson report;
  add_hdr(light, movie::HdrMode::map, report);
  CHECK(report.at("hdr_transfer") == "hlg");
  CHECK(report.at("hdr_peak_nits") == 400.0);
  CHECK(report.at("hdr_mastering_nits").is_null());
  CHECK(report.at("hdr_max_cll_nits") == 350.0);
  light.transfer = movie::HdrTransfer::pq;
  light.mastering_peak_nits = 1000;
  light.max_cll_nits = 0;
  add_hdr(light, movie::HdrMode::map, report);
  CHECK(report.at("hdr_transfer") == "pq");
  CHECK(report.at("hdr_mastering_nits") == 1000.0);
  CHECK(report.at("hdr_max_cll_nits").is_null());
}

TEST_CASE("a wall movie is told with its frames, those that lack, and its bytes", "[info]") {
  const test::TemporaryFolder folder;
  const std::string file = (folder / "movie").string();
  test::write_numbered_movie(file, {320, 96}, 12);
  std::uintmax_t bytes = 0;
  for (std::int64_t frame = 0; frame < 12; ++frame)
    bytes +=
        std::filesystem::file_size(std::filesystem::path(file) / movie::frame_file_name(frame));
  const OrderedJson report = media_report({file});
  CHECK(report.at("kind") == "wall movie");
  CHECK(report.at("width_px") == 320);
  CHECK(report.at("height_px") == 96);
  CHECK(report.at("fps") == 24.0);
  CHECK(report.at("fps_exact") == "24");
  CHECK(report.at("frames") == 12);
  CHECK(report.at("duration_s") == 0.5);
  CHECK(report.at("missing_frames") == 0);
  CHECK(report.at("bytes") == bytes);
  CHECK(report.at("complete") == true);
  std::filesystem::remove(std::filesystem::path(file) / movie::frame_file_name(5));
  CHECK(media_report({file}).at("missing_frames") == 1);
}

TEST_CASE("a playlist is told with its entries at the list's rate", "[info]") {
  const test::TemporaryFolder folder;
  test::write_numbered_movie(folder / "movie", {320, 96}, 12);
  const std::string movie = (folder / "movie").string();
  const OrderedJson report = media_report({movie, movie});
  CHECK(report.at("kind") == "playlist");
  CHECK(report.at("entries") == 2);
  CHECK(report.at("frames") == 24);
  CHECK(report.at("duration_s") == 1.0);
  CHECK(report.at("repeats_last") == false);
  const OrderedJson& second = report.at("items").at(1);
  CHECK(second.at("first_frame") == 0);
  CHECK(second.at("last_frame") == 11);
  CHECK(second.at("start_frame") == 12);
  CHECK(second.at("duration_s") == 0.5);
}

TEST_CASE("a wall is summed up by its panels and canvases", "[info][wall]") {
  wall::Wall wall = wall::scaled_wall_5x3(SizePx{1280, 800});
  CHECK(wall_summary(wall, wall::BezelMode::hide) == "15 panels 5x3, canvas 1280x480 px");
  wall.panels.resize(1);
  wall.columns = 1;
  wall.rows = 1;
  CHECK(wall_summary(wall, wall::BezelMode::hide) == "1 panel 1x1, canvas 256x160 px");
}

TEST_CASE("a volume's report tells the spacing of the file and that of its even steps", "[info]") {
  const test::TemporaryFolder folder;
  const std::string file = (folder / "a.vtr").string();
  const auto report_with = [&](const std::string& z) {
    write_file_atomically(
        file,
        "<VTKFile type=\"RectilinearGrid\"><RectilinearGrid WholeExtent=\"0 1 0 1 0 2\">"
        "<Piece Extent=\"0 1 0 1 0 2\"><PointData><DataArray Name=\"f\" type=\"UInt8\" "
        "format=\"ascii\">1 2 3 4 5 6 7 8 9 10 11 12</DataArray></PointData><Coordinates>"
        "<DataArray type=\"Float32\" format=\"ascii\">1 3</DataArray>"
        "<DataArray type=\"Float32\" format=\"ascii\">0 5</DataArray>"
        "<DataArray type=\"Float32\" format=\"ascii\">" +
            z + "</DataArray></Coordinates></Piece></RectilinearGrid></VTKFile>");
    return volume_report(file, {});
  };
  const OrderedJson even = report_with("2 4 6");
  CHECK(even.at("size_voxels") == OrderedJson{2, 2, 3});
  CHECK_FALSE(even.contains("resampled_voxels"));
  CHECK(even.at("spacing") == OrderedJson{2.0, 5.0, 2.0});
  CHECK(even.at("origin") == OrderedJson{1.0, 0.0, 2.0});
  CHECK(even.at("value_range") == OrderedJson{1.0, 12.0});
  CHECK_FALSE(even.contains("value_range_of"));
  const OrderedJson uneven = report_with("0 10 30");  // drawn in steps of 10
  CHECK(uneven.at("size_voxels") == OrderedJson{2, 2, 3});
  CHECK(uneven.at("resampled_voxels") == OrderedJson{2, 2, 4});
  CHECK(uneven.at("spacing") == OrderedJson{2.0, 5.0, 15.0});
}

#include "player/movie/playlist/playlist.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <random>

#include "player/movie/playlist/image_sequence.hpp"
#include "sync/base/error.hpp"
#include "tests/support/scoped_environment.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::movie;
using tilewall::test::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

void write(const fs::path& file, const std::string& text = "x") {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

/// The names of a list's entries, each once.
std::vector<std::string> names_in(const std::vector<std::string>& inputs) {
  std::vector<std::string> names;
  for (const PlaylistEntry& entry : read_playlist(inputs).entries)
    names.push_back(fs::path(entry.path).filename().string());
  return names;
}

std::string refusal(const std::string& file) {
  try {
    static_cast<void>(read_playlist({file}));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("an M3U8 list has comments, durations, and paths relative to it", "[playlist]") {
  const TemporaryFolder folder;
  for (const char* name : {"a.mp4", "lists/b \xc3\xa4.png", "c.mov", "d e.mp4"})
    write(folder / name);
  const std::string list = (folder / "lists/show.m3u8").string();
  write(list,
        "\xef\xbb\xbf#EXTM3U\r\n#EXTINF:12.5,Title, with a comma\r\n../a.mp4\r\n\r\n"
        "#EXTINF:7\r\nb \xc3\xa4.png\r\n# a comment\r\n" +
            (folder / "c.mov").string() + "\r\n#EXTINF:-1,live\r\nfile://" +
            folder.path().string() + "/d%20e.mp4");
  REQUIRE(is_playlist({list}));
  const Playlist show = read_playlist({list});
  REQUIRE(show.entries.size() == 4);
  CHECK(fs::equivalent(show.entries[0].path, folder / "a.mp4"));
  CHECK(show.entries[0].still_s == 12.5);
  CHECK(show.entries[0].place.file == list);
  CHECK(show.entries[0].place.line == 3);
  CHECK(fs::path(show.entries[1].path) == folder / "lists/b \xc3\xa4.png");
  CHECK(show.entries[1].still_s == 7.0);
  CHECK_FALSE(show.entries[2].still_s);
  CHECK(fs::path(show.entries[3].path) == folder / "d e.mp4");
  CHECK_FALSE(show.entries[3].still_s);
  CHECK_FALSE(show.repeat_last);
  CHECK(show.entries[0].title == "Title, with a comma");
  CHECK(show.entries[1].title.empty());
  CHECK(show.entries[2].title.empty());
  CHECK(show.entries[3].title == "live");
}

TEST_CASE("titles of a list are valid UTF-8, whatever it is written in", "[playlist]") {
  const TemporaryFolder folder;
  write(folder / "a.mp4");
  const auto title = [&](const std::string& line) {
    write(folder / "all.m3u", "#EXTM3U\n" + line + "\na.mp4\n");
    return read_playlist({(folder / "all.m3u").string()}).entries.at(0).title;
  };
  CHECK(title("#EXTINF:5,\xc3\x84rger") == "\xc3\x84rger");
  CHECK(title("#EXTINF:5,\xc4rger") == "\xc3\x84rger");                  // Latin-1
  CHECK(title("#EXTINF:5,\xc0\xaf") == "\xc3\x80\xc2\xaf");              // an overlong form
  CHECK(title("#EXTINF:5,\xed\xa0\x80") == "\xc3\xad\xc2\xa0\xc2\x80");  // a surrogate
  // A byte that is wrong behind others that are right.
  CHECK(title("#EXTINF:5,\xc3\x84\xff") == "\xc3\x83\xc2\x84\xc3\xbf");
  CHECK(title("#EXTINF:5,a\xe2\x82\xac\xff") == "a\xc3\xa2\xc2\x82\xc2\xac\xc3\xbf");
  CHECK(title("#EXTINF:5,\xe2\x82\xac and \xf0\x9d\x84\x9e") ==
        "\xe2\x82\xac and \xf0\x9d\x84\x9e");
  CHECK(title("#EXTINF:5 logo=\"a,b\",Title") == "Title");
  CHECK(title("#EXTINF:5") == "");
  CHECK(title("#EXTINF:5," + std::string(1000, 'x')) == std::string(200, 'x'));
  write(folder / "all.cues", "BEGINCUE CueName=The first LoadMovie=a.mp4 ENDCUE\n");
  CHECK(read_playlist({(folder / "all.cues").string()}).entries.at(0).title == "The first");
}

TEST_CASE("plain lists and lists within lists give their entries in order", "[playlist]") {
  const TemporaryFolder folder;
  for (const char* name : {"1.mp4", "2.mp4", "sub/3.mp4"}) write(folder / name);
  write(folder / "all.txt", "1.mp4\rsub/inner.lst\r  2.mp4  \n1.mp4\n");
  write(folder / "sub/inner.lst", "3.mp4\n../2.mp4\n");
  CHECK(names_in({(folder / "all.txt").string()}) ==
        Names{"1.mp4", "3.mp4", "2.mp4", "2.mp4", "1.mp4"});
}

TEST_CASE("a folder of movies is played in natural order", "[playlist]") {
  const TemporaryFolder folder;
  for (const char* name : {"part10.MP4", "part2.mp4", "part1.sm", "poster.jpg", "part3/movie.toml"})
    write(folder / name);
  const std::string path = folder.path().string();
  REQUIRE(is_playlist({path}));
  CHECK(names_in({path}) == Names{"part1.sm", "part2.mp4", "part3", "part10.MP4"});
  write(folder / "list.txt", "..//" + folder.path().filename().string() + "\npart2.mp4\n");
  CHECK(names_in({(folder / "list.txt").string()}).size() == 5);
}

TEST_CASE("a folder of images is no playlist, nor are several images", "[playlist]") {
  const TemporaryFolder folder;
  for (const char* name : {"a.png", "b.png", "a.mp4"}) write(folder / name);
  CHECK_FALSE(is_playlist({folder.path().string()}));
  CHECK_FALSE(is_playlist({(folder / "a.png").string(), (folder / "b.png").string()}));
  CHECK(is_playlist({(folder / "a.png").string(), (folder / "a.mp4").string()}));
  write(folder / "scan", "\xff\xd8\xff of a JPEG");
  CHECK_FALSE(is_playlist({(folder / "a.png").string(), (folder / "scan").string()}));
  CHECK_FALSE(is_playlist({(folder / "a.mp4").string()}));
  CHECK_FALSE(is_playlist({"pattern:sync"}));
  CHECK_FALSE(is_playlist({"frame-%06d.png"}));
}

TEST_CASE("a cue list is followed as Blockbuster follows it", "[playlist]") {
  const TemporaryFolder folder;
  for (const char* name : {"one.sm", "two words.sm"}) write(folder / name);
  const std::string list = (folder / "show.cues").string();
  write(list,
        "BEGINCUE CueName=the first one LoadMovie=one.sm Play=1 Loop=0 CurrentFrame=0 StartFrame=0 "
        "EndFrame=-1 Rate=30.0742 Zoom=2 FullScreen=1 ENDCUE\n"
        "BEGINCUE CueName=a LoadMovie=two words.sm Play=1 Loop=1 CurrentFrame=19 StartFrame=4 "
        "EndFrame=36 Rate=0.1 ENDCUE\n"
        "BEGINCUE LoadMovie=\"one.sm\" Loop=5\n  Play=1 EndFrame=9 ENDCUE\n"
        "BEGINCUE CueName=still Play=0 CurrentFrame=9 StartFrame=9 EndFrame=9 ImageX=-3 ENDCUE\n"
        "BEGINCUE CueName=kiosk Play=1 Loop=-1 ENDCUE\n"
        "BEGINCUE CueName=never Play=1 ENDCUE\n");
  const Playlist show = read_playlist({list});
  REQUIRE(show.entries.size() == 6);
  CHECK(show.entries[0].fps == Rational{150371, 5000});
  CHECK_FALSE(show.entries[0].end_frame);
  CHECK(fs::path(show.entries[1].path) == folder / "two words.sm");
  CHECK(show.entries[1].first_frame == 19);
  CHECK(show.entries[1].end_frame == 37);
  CHECK(show.entries[1].fps == Rational{1, 5});
  CHECK(show.entries[1].times == 1);
  CHECK(show.entries[2].first_frame == 4);
  CHECK(show.entries[2].times == 1);
  CHECK(show.entries[3].times == 5);
  CHECK(show.entries[3].end_frame == 10);
  CHECK_FALSE(show.entries[3].fps);
  CHECK(show.entries[4].held);
  CHECK_FALSE(show.entries[3].held);
  CHECK(show.entries[4].first_frame == 9);
  CHECK(fs::path(show.entries[4].path) == folder / "one.sm");
  CHECK(show.entries[5].place.line == 6);
  CHECK(show.repeat_last);
  REQUIRE(show.notes.size() == 2);
  CHECK(show.notes[0] == list + ":6: this cue plays for ever, so the cues after it are left out");
  CHECK(show.notes[1] == list + ": ignored keys: ImageX, Zoom");
}

TEST_CASE("cue lists are refused with their line", "[playlist][bad-input]") {
  const TemporaryFolder folder;
  const std::string list = (folder / "a.cues").string();
  const auto with = [&](const std::string& text) {
    write(list, text);
    return refusal(list);
  };
  CHECK(with("hello\n") == list + ":1: expected BEGINCUE, found \"hello\"");
  CHECK(with("\nBEGINCUE CueName=a\n") ==
        list + ":2: expected ENDCUE at the cue's end, found the end of the file");
  CHECK(with("BEGINCUE CueName=a Play=1 ENDCUE") ==
        list + ":1: LoadMovie: expected a movie, because no cue before has one, found none");
  CHECK(with("BEGINCUE LoadMovie=a Speed=1 Play=1 ENDCUE") ==
        list + ":1: " + (folder / "a Speed=1").string() +
            ": expected a file or folder that exists, found none");
  CHECK(with("BEGINCUE Play=1 Speed=1 ENDCUE") ==
        list + ":1: expected a key of a cue, such as StartFrame=0, found \"Speed=1\"");
  CHECK(with("BEGINCUE Play=fast ENDCUE") == list + ":1: Play: expected a number, found \"fast\"");
  CHECK(with("BEGINCUE Rate=nan ENDCUE") == list + ":1: Rate: expected a number, found \"nan\"");
  CHECK(with("BEGINCUE LoadMovie=a Rate=1e6 ENDCUE") ==
        list + ":1: Rate: expected at most 1000, found 1000000");
  CHECK(with("BEGINCUE LoadMovie=a StartFrame=7 EndFrame=3 ENDCUE") ==
        list + ":1: EndFrame: expected StartFrame or a later one, found 3 after 7");
  CHECK(with("BEGINCUE LoadMovie=a Loop=1000000 ENDCUE") ==
        list + ":1: Loop: expected at most 100000, found 1000000");
}

TEST_CASE("lists are refused with their line", "[playlist][bad-input]") {
  const TemporaryFolder folder;
  write(folder / "a.mp4");
  const std::string list = (folder / "a.m3u8").string();
  const auto with = [&](const std::string& text) {
    write(list, text);
    return refusal(list);
  };
  using namespace std::string_literals;
  CHECK(with("") == list + ": expected at least one entry, found none");
  CHECK(with("#EXTM3U\n# nothing\n") == list + ": expected at least one entry, found none");
  CHECK(with("a.mp4\nb.mp4\n") == list + ":2: " + (folder / "b.mp4").string() +
                                      ": expected a file or folder that exists, found none");
  CHECK(with("a.mp4\n\nhttps://example.org/live.m3u8?x=1\n") ==
        list +
            ":3: expected a file on this machine, found "
            "\"https://example.org/live.m3u8?x=1\"");
  CHECK(with("rtsp://camera") ==
        list + ":1: expected a file on this machine, found \"rtsp://camera\"");
  CHECK(with("file://host/a.mp4") ==
        list + ":1: expected a file on this machine, found \"file://host/a.mp4\"");
  CHECK(with("#EXTINF:soon,a\na.mp4") == list +
                                             ":1: #EXTINF: expected a duration in seconds, at "
                                             "most a day, found \"soon,a\"");
  CHECK(with("#EXTINF:nan\na.mp4") == list +
                                          ":1: #EXTINF: expected a duration in seconds, at most "
                                          "a day, found \"nan\"");
  CHECK(with("a.mp4\n\0\1\2"s) == list + ":2: expected a list in plain text, found binary data");
  CHECK(with("a\xe4.mp4") == list + ":1: expected text in UTF-8, found other bytes");
  CHECK(with("a.mp4\n" + std::string(100'000, 'x')) ==
        list + ":2: expected a line of at most 16384 bytes, found 100000");
  CHECK(with("a.mp4\na.m3u8\n") ==
        list + ":2: expected a list that does not contain itself, found " + list);
  CHECK(refusal((folder / "no.m3u").string()) ==
        (folder / "no.m3u").string() + ": expected a file or folder that exists, found none");
  fs::create_directory(folder / "folder.m3u8");
  CHECK(refusal((folder / "folder.m3u8").string()) ==
        (folder / "folder.m3u8").string() + ": expected a file, found a directory");
}

TEST_CASE("entries where nothing is are left out where that is asked for", "[playlist]") {
  const TemporaryFolder folder;
  const std::string list = (folder / "a.m3u8").string();
  write(folder / "there.mp4");
  write(list, "no.mp4\nthere.mp4\nno.m3u8\n");
  const auto read = [&](const std::vector<std::string>& inputs) {
    return read_playlist(inputs, MissingEntries::skipped);
  };
  const Playlist left = read({list, "nowhere.mp4"});
  REQUIRE(left.entries.size() == 1);
  CHECK(left.entries.front().path == (folder / "there.mp4").string());
  CHECK(
      left.skipped ==
      Names{list + ":1: " + (folder / "no.mp4").string() + ": left out, because it does not exist",
            list + ":3: " + (folder / "no.m3u8").string() + ": left out, because it does not exist",
            "nowhere.mp4: left out, because it does not exist"});
  write(list, "no.mp4\n");
  CHECK_THROWS_WITH(read({list}), list + ": expected at least one entry, found none (1 missing)");
  std::string many = "there.mp4\n";
  for (int i = 0; i < 100; ++i) many += "no.mp4\n";
  write(list, many);
  CHECK(read({list}).skipped.size() == 21);
  CHECK(read({list}).skipped.back() ==
        list + ": 80 more entries left out, because they do not exist");
  // The cue that plays for ever does not exist: the one before it is played once.
  write(folder / "a.cues",
        "BEGINCUE LoadMovie=there.mp4 ENDCUE\nBEGINCUE LoadMovie=no.mp4 Loop=-1 ENDCUE\n");
  CHECK_FALSE(read({(folder / "a.cues").string()}).repeat_last);
}

TEST_CASE("lists that contain each other, by links too, are refused", "[playlist][bad-input]") {
  const TemporaryFolder folder;
  write(folder / "a.txt", "b.txt\n");
  write(folder / "b.txt", "link.txt\n");
  fs::create_symlink("a.txt", folder / "link.txt");
  CHECK(refusal((folder / "a.txt").string()) ==
        (folder / "b.txt").string() + ":1: expected a list that does not contain itself, found " +
            (folder / "link.txt").string());
  fs::create_symlink("round.txt", folder / "round.txt");
  CHECK(refusal((folder / "round.txt").string()) ==
        (folder / "round.txt").string() +
            ": expected a file or folder that exists, found Too many "
            "levels of symbolic links");
  // Each list names the next one ten times: no end of reading, though nothing contains itself.
  for (int depth = 0; depth < 12; ++depth) {
    std::string text;
    for (int i = 0; i < 10; ++i) text += "d" + std::to_string(depth + 1) + ".txt\n";
    write(folder / ("d" + std::to_string(depth) + ".txt"), text);
  }
  write(folder / "d12.txt", "# nothing\n");
  CHECK_THAT(refusal((folder / "d0.txt").string()),
             Catch::EndsWith("expected at most 1000 lists within lists, found more"));
}

TEST_CASE("ten thousand entries are read at once, a hundred thousand at most",
          "[playlist][bad-input]") {
  const TemporaryFolder folder;
  write(folder / "a.mp4");
  std::string text;
  for (int i = 0; i < 10'000; ++i) text += "a.mp4\n";
  write(folder / "a.m3u", text);
  CHECK(read_playlist({(folder / "a.m3u").string()}).entries.size() == 10'000);
  for (int i = 0; i < 90'001; ++i) text += "a.mp4\n";
  write(folder / "a.m3u", text);
  CHECK(refusal((folder / "a.m3u").string()) ==
        (folder / "a.m3u").string() + ":100001: expected at most 100000 entries, found more");
}

TEST_CASE("no damage to a list does more than an error", "[playlist][bad-input]") {
  const TemporaryFolder folder;
  write(folder / "a.mp4");
  const std::string cues =
      "BEGINCUE CueName=x LoadMovie=a.mp4 Play=1 Loop=-1 CurrentFrame=3 StartFrame=0 EndFrame=9 "
      "Rate=30 Zoom=1 ENDCUE\n";
  const std::string m3u = "#EXTM3U\n#EXTINF:5,x\na.mp4\nfile:///a%20b\na.mp4\n";
  std::mt19937 random(3);
  int read = 0;
  for (int round = 0; round < 2000; ++round) {
    std::string text = round % 2 == 0 ? cues + cues : m3u;
    for (int flips = 0; flips < 2; ++flips) {
      const std::size_t at = random() % text.size();
      text[at] = static_cast<char>(text[at] ^ (1 << random() % 8));
    }
    const fs::path file = folder / (round % 2 == 0 ? "x.cues" : "x.m3u8");
    write(file, text.substr(0, text.size() - random() % 20));
    read += refusal(file.string()).empty() ? 1 : 0;
  }
  CHECK(read > 0);
  CHECK(read < 2000);
}

TEST_CASE("the cue lists of Blockbuster's documentation are read", "[playlist]") {
  const fs::path samples = test::shared_data("movies/blockbuster-sm");
  if (samples.empty()) return;
  // The movies they name lie elsewhere: the lines that say so are right.
  for (const char* name : {"FamilyDays.cues", "Testing.cues", "loop-test.cues"}) {
    const std::string file = (samples / name).string();
    CHECK_THAT(refusal(file), Catch::StartsWith(file + ":1: /usr/dvstmp/Movies/"));
    std::ifstream in(file, std::ios::binary);
    std::string text((std::istreambuf_iterator<char>(in)), {});
    const TemporaryFolder folder;
    for (std::size_t at = 0; (at = text.find("/usr/dvstmp/Movies/", at)) != std::string::npos;)
      text.replace(at, 19, folder.path().string() + "/");
    for (std::size_t at = 0;
         (at = text.find("/g/g0/rcook/dataAndImages/", at)) != std::string::npos;)
      text.replace(at, 26, folder.path().string() + "/");
    write(folder / name, text);
    for (std::size_t at = 0; (at = text.find("LoadMovie=", at)) != std::string::npos; ++at)
      write(text.substr(at + 10, text.find(".sm", at) + 3 - at - 10));
    CHECK(read_playlist({(folder / name).string()}).entries.size() >= 3);
  }
}

TEST_CASE("gaps in the numbers of files are named, the first five of them", "[playlist]") {
  CHECK(describe_missing_numbers({"a/f01.png", "b/f02.png"}).empty());
  CHECK(describe_missing_numbers({"f07.png", "f03.png", "f04.png", "f09.png"}) == "f05..06, f08");
  CHECK(describe_missing_numbers({"f8.png", "f11.png"}) == "f9..10");
  CHECK(describe_missing_numbers({"3.png", "5.png"}) == "4");
  CHECK(describe_missing_numbers({"f08.png", "f010.png", "f012.png"}) == "f09, f011");
  CHECK(describe_missing_numbers({"a1b.png", "a3b.png"}) == "a2");
  CHECK(describe_missing_numbers({"f1.p", "f3.p", "f5.p", "f7.p", "f9.p", "f11.p", "f13.p",
                                  "f15.p"}) == "f2, f4, f6, f8, f10 and 2 more gaps");
  for (const std::vector<std::filesystem::path>& unlike :
       {std::vector<std::filesystem::path>{"f1.png", "f3.jpg"},
        {"f1.png", "g3.png"},
        {"f1.png", "f.png"},
        {"f1.png", "f99999999999999999999.png"}})
    CHECK(describe_missing_numbers(unlike).empty());
}

#include "player/movie/remote/movie_server.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "player/movie/staging/block_fetcher.hpp"
#include "sync/base/check.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "sync/base/json_text.hpp"

namespace tilewall::movie {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::size_t most_open_movies = 64;
constexpr std::size_t most_listed = 10'000;
constexpr int deepest_listed = 6;
constexpr std::size_t largest_manifest_bytes = 1 << 20;

struct stat status_of(int fd) {
  struct stat status = {};
  check_sys(::fstat(fd, &status), "fstat");
  return status;
}

std::int64_t changed_ns(const struct stat& status) {
  return status.st_mtim.tv_sec * std::int64_t{1'000'000'000} + status.st_mtim.tv_nsec;
}

std::string read_text(int fd, const std::string& name) {
  const struct stat status = status_of(fd);
  if (!S_ISREG(status.st_mode) || static_cast<std::size_t>(status.st_size) > largest_manifest_bytes)
    throw InputError({name}, scene::manifest_name, "a file of at most 1 MiB", "something else");
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  const ssize_t got = check_sys(::pread(fd, text.data(), text.size(), 0), "pread");
  text.resize(static_cast<std::size_t>(got));
  return text;
}

/// Opens the movie's sound file; empty if it has none, or it is no plain file.
UniqueFd open_sound(int folder, const MovieManifest& manifest) {
  if (manifest.audio_file.empty()) return {};
  UniqueFd file = open_below(folder, manifest.audio_file, O_RDONLY);
  if (!file.empty() && !S_ISREG(status_of(file.get()).st_mode)) return {};
  return file;
}

void answer_status(net::SlabBuffer& slab, BlockAnswerStatus status) {
  const BlockAnswerHeader header{block_answer_magic, static_cast<std::uint32_t>(status), 0, 0};
  slab.resize(sizeof header);
  std::memcpy(slab.data(), &header, sizeof header);
}

}  // namespace

MovieServer::MovieServer(const std::vector<fs::path>& folders) {
  for (const fs::path& folder : folders) {
    UniqueFd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (fd.empty())
      throw InputError({folder.string()}, "", "a folder that can be read", std::strerror(errno));
    const fs::path whole = fs::canonical(folder);
    if (scene::is_wall_movie(whole)) {
      const fs::path parent = whole.parent_path();
      fd = UniqueFd(::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
      places_.push_back({parent, std::move(fd), whole.filename().string()});
    } else {
      places_.push_back({whole, std::move(fd), ""});
    }
  }
}

Json MovieServer::call(const Json& question) {
  const Json type = question.value("type", Json());
  if (type == "list") return lists_.get("list", [this] { return list(); });
  if (type == "open") return open(question);
  throw InputError({"message"}, "type", "list or open", shown_json(type));
}

Json MovieServer::list() const {
  Json movies = Json::array();
  std::size_t left_out = 0;
  const auto add = [&](const std::string& name) {
    try {
      const MoviePtr movie = load(name);
      movies.push_back({{"name", name},
                        {"width_px", movie->manifest.size_px.width},
                        {"height_px", movie->manifest.size_px.height},
                        {"frames", movie->manifest.frames},
                        {"fps", to_string(movie->manifest.fps)},
                        {"complete", movie->manifest.complete}});
    } catch (const std::exception&) {
      ++left_out;  // a folder with a manifest that cannot be read
    }
  };
  for (const Place& place : places_) {
    if (!place.prefix.empty()) {
      add(place.prefix);
      continue;
    }
    std::error_code error;
    fs::recursive_directory_iterator it(place.path, fs::directory_options::skip_permission_denied,
                                        error);
    for (; !error && it != fs::recursive_directory_iterator(); it.increment(error)) {
      if (movies.size() >= most_listed) break;
      if (!it->is_directory(error) || error) continue;
      if (scene::is_wall_movie(it->path())) {
        add(it->path().lexically_relative(place.path).generic_string());
        it.disable_recursion_pending();
      } else if (it.depth() >= deepest_listed) {
        it.disable_recursion_pending();
      }
    }
  }
  return {{"movies", std::move(movies)}, {"left_out", left_out}};
}

Json MovieServer::open(const Json& question) {
  const auto name = question.find("name");
  if (name == question.end() || !name->is_string())
    throw InputError({"message"}, "name", "a movie's name", "none");
  const MoviePtr movie = this->movie(name->get<std::string>());
  const UniqueFd sound = open_sound(movie->folder.get(), movie->manifest);
  const auto size = sound.empty() ? off_t{0} : status_of(sound.get()).st_size;
  return {{"manifest", movie->text}, {"sound_bytes", static_cast<std::uint64_t>(size)}};
}

bool MovieServer::has(const std::string& name) const {
  return std::any_of(places_.begin(), places_.end(), [&](const Place& place) {
    const bool is_here = place.prefix.empty() || name == place.prefix;
    return is_here &&
           !open_below(place.fd.get(), name + "/" + scene::manifest_name, O_RDONLY).empty();
  });
}

MovieServer::MoviePtr MovieServer::load(const std::string& name) const {
  if (name.empty() || name.size() > longest_movie_name || name.find('\0') != std::string::npos)
    throw InputError({"message"}, "name", "1 to 255 bytes without a NUL", "another name");
  for (const Place& place : places_) {
    const bool is_here = place.prefix.empty() || name == place.prefix;
    if (!is_here) continue;
    auto movie = std::make_shared<Movie>();
    movie->folder = open_below(place.fd.get(), name, O_RDONLY | O_DIRECTORY);
    if (movie->folder.empty()) continue;
    const UniqueFd file = open_below(movie->folder.get(), scene::manifest_name, O_RDONLY);
    if (file.empty()) continue;
    movie->name = name;
    const struct stat status = status_of(file.get());
    movie->changed_ns = changed_ns(status);
    movie->inode = status.st_ino;
    movie->text = read_text(file.get(), name);
    movie->manifest = parse_manifest(movie->text, name + "/" + scene::manifest_name);
    return movie;
  }
  throw InputError({name}, "",
                   "a movie of this server ('tilewall info tilewall://HOST:PORT' lists them)",
                   "none");
}

// The movie of that name, from the list of open ones if its manifest has not changed. A movie that
// grows, or was imported anew, is loaded again.
MovieServer::MoviePtr MovieServer::movie(const std::string& name) {
  {
    const std::scoped_lock lock(mutex_);
    const auto found = std::find_if(open_.begin(), open_.end(),
                                    [&](const MoviePtr& open) { return open->name == name; });
    if (found != open_.end()) {
      struct stat status = {};
      const bool same = ::fstatat((*found)->folder.get(), scene::manifest_name, &status, 0) == 0 &&
                        changed_ns(status) == (*found)->changed_ns &&
                        status.st_ino == (*found)->inode;
      open_.splice(open_.begin(), open_, found);
      if (same) return open_.front();
      open_.pop_front();
    }
  }
  MoviePtr loaded = load(name);
  const std::scoped_lock lock(mutex_);
  open_.push_front(loaded);
  if (open_.size() > most_open_movies) open_.pop_back();
  return loaded;
}

std::shared_ptr<const net::SlabBuffer> MovieServer::read(std::span<const std::byte> bytes) {
  net::SlabBuffer slab;
  if (asks_for_sound(bytes))
    answer(parse_sound_range(bytes), slab);
  else
    answer(parse_block_request(bytes), slab);
  return pool_.share(std::move(slab));
}

void MovieServer::answer(const SoundRange& request, net::SlabBuffer& slab) {
  const MoviePtr movie = this->movie(request.name);
  const UniqueFd file = open_sound(movie->folder.get(), movie->manifest);
  if (file.empty()) return;
  slab = pool_.take(request.size_bytes);
  std::size_t done = 0;
  while (done < slab.size()) {
    const ssize_t got = retry_eintr([&] {
      return ::pread(file.get(), slab.data() + done, slab.size() - done,
                     static_cast<off_t>(request.offset_bytes + done));
    });
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  slab.resize(done);
}

/// Where the blocks of a request lie.
struct MovieServer::Found {
  BlockAnswerStatus status = BlockAnswerStatus::damaged_frame;
  UniqueFd file;
  std::vector<BlockPlace> places;
  std::vector<std::size_t> at;  // of each block in the answer
  std::size_t answer_bytes = sizeof(BlockAnswerHeader);
};

MovieServer::Found MovieServer::find(const BlockRequest& request) {
  Found found;
  const MoviePtr movie = this->movie(request.name);
  found.status = BlockAnswerStatus::no_frame;
  if (request.level >= movie->manifest.levels) return found;
  found.file = open_below(movie->folder.get(), frame_file_name(request.frame), O_RDONLY);
  if (found.file.empty()) return found;
  found.status = BlockAnswerStatus::damaged_frame;
  FrameIndex index;
  if (!index.load(found.file.get(), movie->manifest, request.level)) return found;
  found.places = places_of(index.blocks(), request.blocks);
  std::size_t total = found.answer_bytes + found.places.size() * sizeof(std::uint32_t);
  for (const BlockPlace& place : found.places) {
    found.at.push_back(total);
    total += place.size_bytes;
  }
  if (total > net::largest_slab_bytes) return found;
  found.status = BlockAnswerStatus::found;
  found.answer_bytes = total;
  return found;
}

std::uint64_t MovieServer::answer_bytes(std::span<const std::byte> request) {
  return asks_for_sound(request) ? parse_sound_range(request).size_bytes
                                 : find(parse_block_request(request)).answer_bytes;
}

void MovieServer::answer(const BlockRequest& request, net::SlabBuffer& slab) {
  Found found = find(request);
  if (found.status != BlockAnswerStatus::found) return answer_status(slab, found.status);
  std::vector<BlockPlace>& places = found.places;
  const std::size_t sizes_at = sizeof(BlockAnswerHeader);
  slab = pool_.take(found.answer_bytes);
  std::vector<std::byte*> to;
  to.reserve(found.at.size());
  for (const std::size_t offset : found.at) to.push_back(slab.data() + offset);
  read_blocks(found.file.get(), places, to);
  // Blocks that a shrinking file has lost now have size 0, and the blocks behind them move up.
  std::size_t end = sizes_at + places.size() * sizeof(std::uint32_t);
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (to[i] != slab.data() + end) std::memmove(slab.data() + end, to[i], places[i].size_bytes);
    std::memcpy(slab.data() + sizes_at + i * sizeof(std::uint32_t), &places[i].size_bytes,
                sizeof(std::uint32_t));
    end += places[i].size_bytes;
  }
  slab.resize(end);
  const BlockAnswerHeader header{block_answer_magic,
                                 static_cast<std::uint32_t>(BlockAnswerStatus::found),
                                 static_cast<std::uint32_t>(places.size()), 0};
  std::memcpy(slab.data(), &header, sizeof header);
}

}  // namespace tilewall::movie

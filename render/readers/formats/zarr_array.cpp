#include "render/readers/formats/zarr_array.hpp"

#include <blosc.h>
#include <fmt/format.h>
#include <libdeflate.h>
#include <zstd.h>

#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include "render/readers/formats/file_root.hpp"
#include "render/readers/formats/text_fields.hpp"
#include "sync/base/file.hpp"
#include "sync/base/handle.hpp"

namespace tilewall::render {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::size_t max_zarr_text = std::size_t{16} << 20;

std::vector<std::int64_t> zarr_lengths(const Json& json, const char* key, const FieldPlace& place) {
  const Json list = json.value(key, Json());
  if (!list.is_array() || list.empty() || list.size() > 8)
    place.refuse("1 to 8 lengths", list.dump().substr(0, 60));
  std::vector<std::int64_t> lengths;
  for (const Json& length : list) {
    if (!length.is_number_integer() || length.get<std::int64_t>() < 1 ||
        length.get<std::int64_t>() > (std::int64_t{1} << 40))
      place.refuse("whole numbers above 0", length.dump().substr(0, 60));
    lengths.push_back(length.get<std::int64_t>());
  }
  return lengths;
}

ZarrCodec zarr_codec(const Json& json, const std::string& file) {
  const Json compressor = json.value("compressor", Json());
  if (compressor.is_null()) return ZarrCodec::none;
  const std::string id = compressor.is_object() ? compressor.value("id", "") : "";
  for (const auto& [word, codec] : {std::pair{"zlib", ZarrCodec::zlib},
                                    {"gzip", ZarrCodec::gzip},
                                    {"zstd", ZarrCodec::zstd},
                                    {"blosc", ZarrCodec::blosc}})
    if (id == word) return codec;
  FieldPlace{file, "compressor"}.refuse("null, blosc, zstd, gzip or zlib", in_quotes(id));
}

struct DeflaterTraits {
  using Raw = libdeflate_decompressor*;
  static constexpr Raw null() noexcept { return nullptr; }
  static void close(Raw raw) noexcept { libdeflate_free_decompressor(raw); }
};

}  // namespace

Json read_zarr_json(const fs::path& file) {
  const std::string text = FileRoot::of_process().read_text(file, max_zarr_text);
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) throw InputError({file.string()}, "", "a JSON object", "something else");
  return json;
}

ZarrArray read_zarray(const fs::path& folder) {
  ZarrArray array;
  array.folder = folder;
  array.file = (folder / ".zarray").string();
  const Json json = read_zarr_json(folder / ".zarray");
  const auto place = [&](const char* field) { return FieldPlace{array.file, field}; };
  if (const Json version = json.value("zarr_format", Json()); version != 2)
    place("zarr_format").refuse("2", version.dump().substr(0, 60));
  array.shape = zarr_lengths(json, "shape", place("shape"));
  array.chunks = zarr_lengths(json, "chunks", place("chunks"));
  if (array.chunks.size() != array.shape.size())
    place("chunks").refuse(fmt::format("{} lengths, as shape has", array.shape.size()),
                           fmt::format("{}", array.chunks.size()));
  const Json dtype = json.value("dtype", Json());
  const std::string word = dtype.is_string() ? dtype.get<std::string>() : "";
  const auto bytes =
      word.size() >= 3 ? parse_whole(std::string_view(word).substr(2)) : std::nullopt;
  std::optional<Element> element;
  if (bytes && *bytes <= 8) element = element_of(fmt::format("{}{}", word[1], *bytes * 8));
  if (word == "|b1") element = Element::u8;
  if (!element || (word[0] != '<' && word[0] != '>' && word[0] != '|'))
    place("dtype").refuse("numbers such as \"<u2\"", in_quotes(word));
  array.element = *element;
  array.swapped = word[0] == '>';
  auto chunk_bytes = static_cast<double>(bytes_of(*element));
  for (const std::int64_t side : array.chunks) chunk_bytes *= static_cast<double>(side);
  if (chunk_bytes > static_cast<double>(max_chunk_bytes))
    place("chunks").refuse(fmt::format("chunks of at most {} bytes", max_chunk_bytes),
                           fmt::format("{:.0f} bytes", chunk_bytes));
  const Json order = json.value("order", Json("C"));
  if (order != "C" && order != "F")
    place("order").refuse("\"C\" or \"F\"", order.dump().substr(0, 60));
  array.fortran = order == "F";
  array.codec = zarr_codec(json, array.file);
  if (const Json filters = json.value("filters", Json()); filters.is_array() && !filters.empty())
    place("filters").refuse("none", filters.dump().substr(0, 60));
  const Json separator = json.value("dimension_separator", Json("."));
  if (separator != "." && separator != "/")
    place("dimension_separator").refuse("\".\" or \"/\"", separator.dump().substr(0, 60));
  array.separator = separator.get<std::string>()[0];
  const Json fill = json.value("fill_value", Json());
  array.fill = fill.is_number()   ? fill.get<double>()
               : fill.is_string() ? std::numeric_limits<double>::quiet_NaN()
                                  : 0;
  return array;
}

bool unpack_chunk(ZarrCodec codec, const std::string& packed, std::span<std::byte> chunk) {
  switch (codec) {
    case ZarrCodec::none:
      if (packed.size() != chunk.size()) return false;
      std::memcpy(chunk.data(), packed.data(), chunk.size());
      return true;
    case ZarrCodec::zlib:
    case ZarrCodec::gzip: {
      const UniqueHandle<DeflaterTraits> inflater(libdeflate_alloc_decompressor());
      const auto unpack =
          codec == ZarrCodec::zlib ? libdeflate_zlib_decompress : libdeflate_gzip_decompress;
      return unpack(inflater.get(), packed.data(), packed.size(), chunk.data(), chunk.size(),
                    nullptr) == LIBDEFLATE_SUCCESS;
    }
    case ZarrCodec::zstd:
      return ZSTD_decompress(chunk.data(), chunk.size(), packed.data(), packed.size()) ==
             chunk.size();
    case ZarrCodec::blosc: {
      std::size_t bytes = 0;
      return blosc_cbuffer_validate(packed.data(), packed.size(), &bytes) == 0 &&
             bytes == chunk.size() &&
             blosc_decompress_ctx(packed.data(), chunk.data(), chunk.size(), 1) ==
                 static_cast<int>(chunk.size());
    }
  }
  return false;
}

}  // namespace tilewall::render

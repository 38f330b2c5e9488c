// Reads VTK's image data (.vti), rectilinear grids (.vtr) and collections of them (.pvd): text,
// base64 and appended data, plain or in blocks of zlib, LZ4 or LZMA. Formats: docs.vtk.org, "VTK
// XML file formats".
#include <fmt/format.h>
#include <libdeflate.h>
#include <lz4.h>
#include <lzma.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "render/readers/formats/grid_volume.hpp"
#include "render/readers/formats/resampled_volume.hpp"
#include "render/readers/formats/vtk_xml.hpp"

namespace tilewall::render {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t max_vtk_block = std::uint64_t{1} << 30;

struct InflaterTraits {
  using Raw = libdeflate_decompressor*;
  static constexpr Raw null() noexcept { return nullptr; }
  static void close(Raw raw) noexcept { libdeflate_free_decompressor(raw); }
};

constexpr std::uint64_t lzma_memory = std::uint64_t{256} << 20;  // bytes, for one block

/// The first one means that data are as they are.
enum class VtkCompressor : std::uint8_t { none, zlib, lz4, lzma };

/// Fills `into` from a packed block; false for damaged data, and for another length.
bool unpack_block(VtkCompressor compressor, libdeflate_decompressor* inflater,
                  std::span<const std::byte> packed, std::span<std::byte> into) {
  if (compressor == VtkCompressor::zlib)
    return libdeflate_zlib_decompress(inflater, packed.data(), packed.size(), into.data(),
                                      into.size(), nullptr) == LIBDEFLATE_SUCCESS;
  if (compressor == VtkCompressor::lz4)  // blocks have less than max_vtk_block bytes, an int
    return LZ4_decompress_safe(reinterpret_cast<const char*>(packed.data()),
                               reinterpret_cast<char*>(into.data()),
                               static_cast<int>(std::min<std::size_t>(
                                   packed.size(), std::numeric_limits<int>::max())),
                               static_cast<int>(into.size())) == static_cast<int>(into.size());
  std::uint64_t memory = lzma_memory;
  std::size_t from = 0, to = 0;
  return lzma_stream_buffer_decode(&memory, 0, nullptr,
                                   reinterpret_cast<const std::uint8_t*>(packed.data()), &from,
                                   packed.size(), reinterpret_cast<std::uint8_t*>(into.data()), &to,
                                   into.size()) == LZMA_OK &&
         to == into.size();
}

struct VtkBlock {
  std::uint64_t begin;  // offset among the packed bytes
  std::uint64_t bytes;  // packed size
};

/// Unpacks blocks, all of which but the last have the same unpacked length.
class VtkBlocks final : public ByteSource {
 public:
  VtkBlocks(std::string name, VtkCompressor compressor, ByteSourcePtr packed,
            std::vector<VtkBlock> blocks, std::uint64_t block_bytes, std::uint64_t total)
      : name_(std::move(name)),
        compressor_(compressor),
        packed_(std::move(packed)),
        blocks_(std::move(blocks)),
        block_bytes_(block_bytes),
        total_(total),
        inflater_(libdeflate_alloc_decompressor()) {}

  [[nodiscard]] std::optional<std::uint64_t> size() const override { return total_; }

  void read(std::uint64_t offset, std::span<std::byte> into) override {
    if (offset > total_ || into.size() > total_ - offset)
      throw_bytes_missing(name_, offset + into.size(), total_);
    while (!into.empty()) {
      load(offset / block_bytes_);
      const std::uint64_t at = offset % block_bytes_;
      const auto count =
          static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), block_.size() - at));
      std::memcpy(into.data(), block_.data() + at, count);
      into = into.subspan(count);
      offset += count;
    }
  }

 private:
  void load(std::uint64_t number) {
    if (number == loaded_) return;
    const VtkBlock block = blocks_[static_cast<std::size_t>(number)];
    packed_bytes_.resize(static_cast<std::size_t>(block.bytes));
    packed_->read(block.begin, packed_bytes_);
    loaded_ = blocks_.size();
    block_.resize(static_cast<std::size_t>(std::min(block_bytes_, total_ - number * block_bytes_)));
    if (!unpack_block(compressor_, inflater_.get(), packed_bytes_, block_))
      throw InputError({name_}, fmt::format("block {}", number),
                       fmt::format("a block of {} without damage", name_of(compressor_)), "damage");
    loaded_ = number;
  }

  static const char* name_of(VtkCompressor compressor) noexcept {
    return compressor == VtkCompressor::zlib  ? "zlib"
           : compressor == VtkCompressor::lz4 ? "LZ4"
                                              : "LZMA";
  }

  std::string name_;
  VtkCompressor compressor_;
  ByteSourcePtr packed_;
  std::vector<VtkBlock> blocks_;
  std::uint64_t block_bytes_;
  std::uint64_t total_;
  UniqueHandle<InflaterTraits> inflater_;
  std::vector<std::byte> packed_bytes_;
  std::vector<std::byte> block_;
  std::uint64_t loaded_ = std::numeric_limits<std::uint64_t>::max();  // number of block_
};

struct VtkFile {
  VtkXml xml;
  bool swapped = false;
  std::size_t header_bytes = 4;
  VtkCompressor compressor = VtkCompressor::none;
};

VtkFile read_vti_header(const fs::path& file) {
  VtkFile vtk = {read_vtk_xml(file, {"ImageData", "RectilinearGrid"})};
  const XmlElement& root = vtk.xml.elements[0];
  vtk.swapped = root.text("byte_order") == "BigEndian";
  const std::string header = root.text("header_type");
  if (header == "UInt64")
    vtk.header_bytes = 8;
  else if (!header.empty() && header != "UInt32")
    vtk.xml.place("header_type").refuse("UInt32 or UInt64", in_quotes(header));
  const std::string compressor = root.text("compressor");
  if (compressor == "vtkZLibDataCompressor")
    vtk.compressor = VtkCompressor::zlib;
  else if (compressor == "vtkLZ4DataCompressor")
    vtk.compressor = VtkCompressor::lz4;
  else if (compressor == "vtkLZMADataCompressor")
    vtk.compressor = VtkCompressor::lzma;
  else if (!compressor.empty())
    vtk.xml.place("compressor")
        .refuse("vtkZLibDataCompressor, vtkLZ4DataCompressor or vtkLZMADataCompressor",
                in_quotes(compressor));
  return vtk;
}

// Box of points of a piece, both ends included.
struct VtkExtent {
  std::array<std::int64_t, 3> first;
  std::array<std::int64_t, 3> last;
};

VtkExtent vtk_extent(const VtkXml& xml, const XmlElement& element, const std::string& attribute) {
  const FieldPlace place = xml.place(element.name + " " + attribute);
  const auto n = whole_numbers(element.text(attribute), place, 6);
  for (const std::int64_t number : n)
    if (number < -max_file_side || number > max_file_side)
      place.refuse("small whole numbers", fmt::format("{}", number));
  return {{n[0], n[2], n[4]}, {n[1], n[3], n[5]}};
}

struct VtkArray {
  const XmlElement* element;
  bool of_cells;
};

// Returns the arrays of the file's piece, those of points first.
std::vector<VtkArray> vtk_arrays(const VtkXml& xml) {
  std::vector<VtkArray> arrays;
  for (const char* kind : {"PointData", "CellData"})
    for (const XmlElement& element : xml.elements) {
      if (element.name != "DataArray" || element.parent < 0) continue;
      const XmlElement& parent = xml.elements[static_cast<std::size_t>(element.parent)];
      if (parent.name == kind) arrays.push_back({&element, kind == std::string_view("CellData")});
    }
  if (arrays.empty()) xml.place("PointData").refuse("arrays of points or cells", "none");
  return arrays;
}

// Chooses the array with the given name, else the one that the file declares its scalars, else the
// first.
const VtkArray& choose_array(const VtkXml& xml, const std::vector<VtkArray>& arrays,
                             const VolumeOptions& options, std::vector<std::string>& names) {
  for (const VtkArray& array : arrays) names.push_back(array.element->text("Name"));
  if (!options.dataset.empty() || names.size() == 1)
    return arrays[choose_dataset(names, options, xml.place("DataArray"))];
  for (const VtkArray& array : arrays) {
    const XmlElement& parent = xml.elements[static_cast<std::size_t>(array.element->parent)];
    const std::string scalars = parent.text("Scalars");
    if (!scalars.empty() && scalars == array.element->text("Name")) return array;
  }
  return arrays[0];
}

Element vtk_type(const VtkXml& xml, const XmlElement& array) {
  static const std::map<std::string, Element> words = {
      {"Int8", Element::i8},    {"UInt8", Element::u8},   {"Int16", Element::i16},
      {"UInt16", Element::u16}, {"Int32", Element::i32},  {"UInt32", Element::u32},
      {"Int64", Element::i64},  {"UInt64", Element::u64}, {"Float32", Element::f32},
      {"Float64", Element::f64}};
  const auto found = words.find(array.text("type"));
  if (found == words.end())
    xml.place("DataArray type")
        .refuse("a type such as UInt8 or Float32", in_quotes(array.text("type")));
  return found->second;
}

std::uint64_t header_number(const std::byte* from, std::size_t bytes, bool swapped) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < bytes; ++i)
    number |= std::to_integer<std::uint64_t>(from[swapped ? bytes - 1 - i : i]) << (8 * i);
  return number;
}

/// A range of the file, plain or base64.
class VtkStream {
 public:
  VtkStream(const VtkFile& vtk, std::uint64_t begin, std::uint64_t end, bool base64)
      : vtk_(vtk), begin_(begin), end_(end), base64_(base64) {}

  /// Opens the bytes that begin `at` bytes of the file after the range's beginning.
  [[nodiscard]] ByteSourcePtr from(std::uint64_t at) const {
    const std::uint64_t begin = std::min(begin_ + at, end_);
    if (base64_) return base64_bytes(vtk_.xml.file, begin, end_ - begin);
    return std::make_unique<FileBytes>(vtk_.xml.file, begin, end_ - begin);
  }

  /// Bytes of the file that `bytes` take if they are encoded by themselves.
  [[nodiscard]] std::uint64_t taken_by(std::uint64_t bytes) const noexcept {
    return base64_ ? (bytes + 2) / 3 * 4 : bytes;
  }

  /// Returns `count` numbers of the header at the range's beginning.
  [[nodiscard]] std::vector<std::uint64_t> header(std::size_t count) const {
    std::vector<std::byte> bytes(count * vtk_.header_bytes);
    from(0)->read(0, bytes);
    std::vector<std::uint64_t> numbers;
    for (std::size_t i = 0; i < count; ++i)
      numbers.push_back(
          header_number(bytes.data() + i * vtk_.header_bytes, vtk_.header_bytes, vtk_.swapped));
    return numbers;
  }

 private:
  const VtkFile& vtk_;
  std::uint64_t begin_;
  std::uint64_t end_;
  bool base64_;
};

ByteSourcePtr vtk_blocks(const VtkFile& vtk, const VtkStream& stream, std::uint64_t total) {
  const FieldPlace place = vtk.xml.place("blocks");
  const auto start = stream.header(3);
  const std::uint64_t count = start[0], block_bytes = start[1], last_bytes = start[2];
  if (count == 0 || block_bytes == 0 || block_bytes > max_vtk_block || count > total ||
      last_bytes > block_bytes ||
      (count - 1) * block_bytes + (last_bytes > 0 ? last_bytes : block_bytes) != total)
    place.refuse(fmt::format("blocks of {} bytes together", total),
                 fmt::format("{} of {}, the last of {}", count, block_bytes, last_bytes));
  const auto header = stream.header(static_cast<std::size_t>(count) + 3);
  std::vector<VtkBlock> blocks;
  std::uint64_t at = 0;
  for (std::size_t i = 3; i < header.size(); ++i) {
    if (header[i] > 2 * max_vtk_block)
      place.refuse("small blocks", fmt::format("one of {} bytes", header[i]));
    blocks.push_back({at, header[i]});
    at += header[i];
  }
  // In base64 the header is encoded by itself, and padded.
  ByteSourcePtr packed = stream.from(stream.taken_by(header.size() * vtk.header_bytes));
  return std::make_unique<VtkBlocks>(vtk.xml.file, vtk.compressor, std::move(packed),
                                     std::move(blocks), block_bytes, total);
}

ByteSourcePtr vtk_bytes(const VtkFile& vtk, const XmlElement& array, Element type,
                        std::uint64_t total) {
  const std::string format = array.text("format");
  const FieldPlace place = vtk.xml.place("DataArray format");
  if (format == "ascii")
    return text_numbers(vtk.xml.file, array.content_begin, array.content_end - array.content_begin,
                        type, total / static_cast<std::uint64_t>(bytes_of(type)));
  std::uint64_t begin = array.content_begin;
  std::uint64_t end = array.content_end;
  bool base64 = true;
  if (format == "appended") {
    if (!vtk.xml.appended) place.refuse("AppendedData in the file", "none");
    const auto offset =
        whole_numbers(array.text("offset"), vtk.xml.place("DataArray offset"), 1)[0];
    if (offset < 0)
      vtk.xml.place("DataArray offset").refuse("0 or more", fmt::format("{}", offset));
    begin = *vtk.xml.appended + static_cast<std::uint64_t>(offset);
    end = std::max<std::uint64_t>(fs::file_size(vtk.xml.file), begin);
    base64 = vtk.xml.appended_encoding == "base64";
    if (!base64 && vtk.xml.appended_encoding != "raw")
      vtk.xml.place("AppendedData encoding")
          .refuse("raw or base64", in_quotes(vtk.xml.appended_encoding));
  } else if (format == "binary") {
    // White space precedes the text.
    FileBytes text(vtk.xml.file, begin, end - begin);
    std::array<std::byte, 256> start = {};
    const auto count =
        static_cast<std::size_t>(std::min<std::uint64_t>(start.size(), *text.size()));
    text.read(0, std::span(start).first(count));
    const auto first =
        std::find_if(start.begin(), start.begin() + static_cast<std::ptrdiff_t>(count),
                     [](std::byte b) { return b > std::byte{' '}; });
    begin += static_cast<std::uint64_t>(first - start.begin());
  } else {
    place.refuse("ascii, binary or appended", in_quotes(format));
  }
  const VtkStream stream(vtk, begin, end, base64);
  if (vtk.compressor != VtkCompressor::none) return vtk_blocks(vtk, stream, total);
  const std::uint64_t held = stream.header(1)[0];
  if (held != total)
    vtk.xml.place("data").refuse(fmt::format("{} bytes, as Extent says", total),
                                 fmt::format("{} bytes", held));
  return skipped_bytes(stream.from(0), static_cast<std::int64_t>(vtk.header_bytes), total);
}

void place_vti(const VtkXml& xml, const XmlElement& image, const VtkExtent& extent, bool of_cells,
               VolumeInfo& info) {
  const auto three = [&](const char* attribute, std::array<double, 3> standard) {
    const std::string text = image.text(attribute);
    if (text.empty()) return standard;
    const auto numbers = real_numbers(text, xml.place(attribute), 3);
    return std::array{numbers[0], numbers[1], numbers[2]};
  };
  const auto spacing = three("Spacing", {1, 1, 1});
  const auto start = three("Origin", {0, 0, 0});
  std::vector<double> direction = {1, 0, 0, 0, 1, 0, 0, 0, 1};  // row by row
  if (const std::string text = image.text("Direction"); !text.empty())
    direction = real_numbers(text, xml.place("Direction"), 9);
  std::array<Vec3d, 3> steps;
  Vec3d origin = {start[0], start[1], start[2]};
  for (std::size_t i = 0; i < 3; ++i) {
    steps[i] = checked_spacing(spacing[i], xml.place("Spacing")) *
               Vec3d{direction[i], direction[3 + i], direction[6 + i]};
    // Origin is point (0, 0, 0). A cell's middle lies half a step beyond its first point.
    origin = origin + (static_cast<double>(extent.first[i]) + (of_cells ? 0.5 : 0.0)) * steps[i];
  }
  info.place = place_of_steps(origin, steps, xml.place("Direction"), info.notes);
}

/// The coordinates of a rectilinear grid's axis, which must grow.
std::vector<double> vtk_coordinates(const VtkFile& vtk, const XmlElement& array,
                                    std::int64_t count) {
  const FieldPlace place = vtk.xml.place("Coordinates");
  const bool is_text = array.text("format") == "ascii";
  const Element type = is_text ? Element::f64 : vtk_type(vtk.xml, array);
  if (type != Element::f32 && type != Element::f64)
    place.refuse("Float32 or Float64", name_of(type));
  if (count < 1 || count > max_file_side)
    place.refuse(fmt::format("1 to {} numbers", max_file_side), fmt::format("{}", count));
  const auto width = static_cast<std::size_t>(bytes_of(type));
  std::vector<std::byte> raw(static_cast<std::size_t>(count) * width);
  vtk_bytes(vtk, array, type, raw.size())->read(0, raw);
  std::vector<double> numbers;
  for (std::size_t at = 0; at < raw.size(); at += width) {
    const auto begin = raw.begin() + static_cast<std::ptrdiff_t>(at);
    if (vtk.swapped && !is_text) std::reverse(begin, begin + static_cast<std::ptrdiff_t>(width));
    float single = 0;
    double number = 0;
    if (type == Element::f32) std::memcpy(&single, &raw[at], sizeof single);
    if (type == Element::f64) std::memcpy(&number, &raw[at], sizeof number);
    numbers.push_back(type == Element::f32 ? static_cast<double>(single) : number);
    if (!std::isfinite(numbers.back()) ||
        (numbers.size() > 1 && !(numbers.back() > numbers[numbers.size() - 2])))
      place.refuse("finite numbers that grow", "others");
  }
  return numbers;
}

/// Sets the place of a rectilinear grid; returns the samples for its uneven axes.
std::array<EvenSamples, 3> place_vtr(const VtkFile& vtk, const VtkExtent& extent, bool of_cells,
                                     VolumeInfo& info) {
  constexpr double uneven = 0.01;  // share of the mean gap
  std::vector<const XmlElement*> arrays;
  for (const XmlElement& element : vtk.xml.elements)
    if (element.name == "DataArray" && element.parent >= 0 &&
        vtk.xml.elements[static_cast<std::size_t>(element.parent)].name == "Coordinates")
      arrays.push_back(&element);
  if (arrays.size() != 3)
    vtk.xml.place("Coordinates").refuse("three arrays", fmt::format("{}", arrays.size()));
  std::array<EvenSamples, 3> samples;
  std::array<double, 3> step = {1, 1, 1}, first = {};
  for (std::size_t i = 0; i < 3; ++i) {
    auto at = vtk_coordinates(vtk, *arrays[i], extent.last[i] - extent.first[i] + 1);
    if (of_cells && at.size() > 1) {  // their middles
      for (std::size_t j = 0; j + 1 < at.size(); ++j) at[j] = (at[j] + at[j + 1]) / 2;
      at.pop_back();
    }
    first[i] = at.front();
    if (at.size() < 2) continue;
    step[i] = (at.back() - at.front()) / static_cast<double>(at.size() - 1);
    double deviation = 0;
    for (std::size_t j = 1; j < at.size(); ++j)
      deviation = std::max(deviation, std::abs((at[j] - at[j - 1]) / step[i] - 1));
    if (deviation <= uneven) continue;
    samples[i] = even_samples(at);
    info.notes.push_back(
        fmt::format("{} is uneven, {:g} to {:g}: resampled from {} to {} even steps", "xyz"[i],
                    at.front(), at.back(), at.size(), samples[i].below.size()));
  }
  info.place = place_of_steps({first[0], first[1], first[2]},
                              {Vec3d{step[0], 0, 0}, Vec3d{0, step[1], 0}, Vec3d{0, 0, step[2]}},
                              vtk.xml.place("Coordinates"), info.notes);
  return samples;
}

}  // namespace

VolumeSourcePtr open_vti(const fs::path& file, const VolumeOptions& options) {
  const VtkFile vtk = read_vti_header(file);
  const VtkXml& xml = vtk.xml;
  const bool is_rectilinear = xml.elements[0].text("type") == "RectilinearGrid";
  const XmlElement& image = xml.needed(is_rectilinear ? "RectilinearGrid" : "ImageData");
  const XmlElement& piece = xml.needed("Piece");
  if (std::count_if(xml.elements.begin(), xml.elements.end(),
                    [](const XmlElement& e) { return e.name == "Piece"; }) > 1)
    xml.place("Piece").refuse("one piece", "several");
  VolumeInfo info;
  info.format = is_rectilinear ? "VTR" : "VTI";
  const std::vector<VtkArray> arrays = vtk_arrays(xml);
  const VtkArray& array = choose_array(xml, arrays, options, info.datasets);
  info.dataset = array.element->text("Name");
  const VtkExtent extent = vtk_extent(xml, piece, "Extent");
  std::array<std::int64_t, 3> sides = {};
  for (std::size_t i = 0; i < 3; ++i)
    sides[i] = extent.last[i] - extent.first[i] + (array.of_cells ? 0 : 1);
  std::vector<FileAxis> axes = xyz_axes(checked_size(sides, xml.place("Piece Extent")));
  const std::string components = array.element->text("NumberOfComponents");
  if (!components.empty())
    if (const auto n = whole_numbers(components, xml.place("NumberOfComponents"), 1)[0]; n != 1)
      axes.insert(axes.begin(), {AxisRole::component, n});
  std::array<EvenSamples, 3> samples;
  if (is_rectilinear)
    samples = place_vtr(vtk, extent, array.of_cells, info);
  else
    place_vti(xml, image, extent, array.of_cells, info);
  GridFormat format;
  format.element = vtk_type(xml, *array.element);
  format.swapped = vtk.swapped && array.element->text("format") != "ascii";
  const std::uint64_t total = grid_bytes(axes, format.element, xml.place("Piece Extent"));
  ByteSourcePtr bytes = vtk_bytes(vtk, *array.element, format.element, total);
  return resampled(std::make_unique<GridVolume>(std::move(info), axes, format, std::move(bytes),
                                                options, xml.place("Piece Extent")),
                   std::move(samples));
}

VolumeSourcePtr open_pvd(const fs::path& file, const VolumeOptions& options) {
  const VtkXml xml = read_vtk_xml(file, {"Collection"});
  std::vector<SeriesStep> steps;
  for (const XmlElement& element : xml.elements) {
    if (element.name != "DataSet") continue;
    const std::string part = element.text("part");
    if (!part.empty() && part != "0")
      xml.place("DataSet part").refuse("0: one file a timestep", in_quotes(part));
    const std::string name = element.text("file");
    if (!name.ends_with(".vti") && !name.ends_with(".vtr"))
      xml.place("DataSet file").refuse("a .vti or .vtr file", in_quotes(name));
    std::string time = element.text("timestep");
    if (time.empty()) time = fmt::format("{}", steps.size());
    steps.push_back(
        {file.parent_path() / name, real_numbers(time, xml.place("DataSet timestep"), 1)[0], time});
  }
  if (steps.empty()) xml.place("DataSet").refuse("one or more", "none");
  std::stable_sort(steps.begin(), steps.end(),
                   [](const SeriesStep& a, const SeriesStep& b) { return a.time < b.time; });
  VolumeSourcePtr series = open_series(file.string(), std::move(steps), options);
  return series;
}

}  // namespace tilewall::render

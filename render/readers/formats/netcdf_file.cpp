#include "render/readers/formats/netcdf_file.hpp"

#include <fmt/format.h>

#include <array>
#include <filesystem>

#include "render/readers/formats/hdf5_file.hpp"
#include "sync/base/error.hpp"

namespace tilewall::render {
namespace {

constexpr std::size_t max_attribute = 1 << 16;

}  // namespace

std::optional<Element> nc_element(nc_type type) {
  switch (type) {
    case NC_BYTE:
      return Element::i8;
    case NC_UBYTE:
      return Element::u8;
    case NC_SHORT:
      return Element::i16;
    case NC_USHORT:
      return Element::u16;
    case NC_INT:
      return Element::i32;
    case NC_UINT:
      return Element::u32;
    case NC_INT64:
      return Element::i64;
    case NC_UINT64:
      return Element::u64;
    case NC_FLOAT:
      return Element::f32;
    case NC_DOUBLE:
      return Element::f64;
    default:
      return std::nullopt;
  }
}

std::optional<double> nc_standard_fill(nc_type type) {
  switch (type) {
    case NC_SHORT:
      return NC_FILL_SHORT;
    case NC_USHORT:
      return NC_FILL_USHORT;
    case NC_INT:
      return NC_FILL_INT;
    case NC_UINT:
      return NC_FILL_UINT;
    case NC_FLOAT:
      return static_cast<double>(NC_FILL_FLOAT);
    case NC_DOUBLE:
      return NC_FILL_DOUBLE;
    default:
      return std::nullopt;
  }
}

NcFile::NcFile(const std::string& name)
    : name_(name), opened_(FileRoot::of_process().for_library(name)) {
  check_hdf5_references(name);
  int id = -1;
  check(nc_open(opened_.path.c_str(), NC_NOWRITE, &id), "");
  id_ = UniqueHandle<NcTraits>(id);
  check_length();
}

void NcFile::check_length() const {
  const auto wanted = classic_netcdf_bytes(opened_.path);
  std::error_code error;
  const std::uint64_t there = std::filesystem::file_size(opened_.path, error);
  if (wanted && !error && there < *wanted)
    throw InputError({name_}, "data", fmt::format("{} bytes, as its header says", *wanted),
                     fmt::format("{} bytes", there));
}

void NcFile::check(int status, const std::string& field) const {
  if (status != NC_NOERR) throw InputError({name_}, field, "NetCDF", nc_strerror(status));
}

std::string NcFile::text(int variable, const char* attribute) const {
  nc_type type = NC_NAT;
  std::size_t length = 0;
  if (nc_inq_att(id(), variable, attribute, &type, &length) != NC_NOERR || length > max_attribute)
    return "";
  if (type == NC_STRING && length == 1) {
    char* value = nullptr;
    if (nc_get_att_string(id(), variable, attribute, &value) != NC_NOERR || value == nullptr)
      return "";
    std::string copy(value);
    nc_free_string(1, &value);
    return copy;
  }
  if (type != NC_CHAR) return "";
  std::string value(length, '\0');
  if (nc_get_att_text(id(), variable, attribute, value.data()) != NC_NOERR) return "";
  return value.substr(0, value.find('\0'));
}

std::vector<double> NcFile::numbers(int variable, const char* attribute) const {
  nc_type type = NC_NAT;
  std::size_t length = 0;
  if (nc_inq_att(id(), variable, attribute, &type, &length) != NC_NOERR || length > 64 ||
      !nc_element(type))
    return {};
  std::vector<double> values(length);
  if (nc_get_att_double(id(), variable, attribute, values.data()) != NC_NOERR) return {};
  return values;
}

std::vector<NcVariable> NcFile::variables() const {
  int count = 0;
  check(nc_inq_nvars(id(), &count), "");
  std::vector<NcVariable> list;
  for (int i = 0; i < count; ++i) {
    NcVariable variable;
    variable.id = i;
    std::array<char, NC_MAX_NAME + 1> name = {};
    int rank = 0;
    check(nc_inq_varndims(id(), i, &rank), "");
    variable.dimensions.resize(static_cast<std::size_t>(rank));
    check(nc_inq_var(id(), i, name.data(), &variable.type, &rank, variable.dimensions.data(),
                     nullptr),
          "");
    variable.name = name.data();
    list.push_back(std::move(variable));
  }
  return list;
}

}  // namespace tilewall::render

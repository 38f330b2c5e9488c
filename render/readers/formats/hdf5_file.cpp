#include "render/readers/formats/hdf5_file.hpp"

#include <algorithm>
#include <exception>
#include <string_view>

#include "render/readers/formats/file_root.hpp"
#include "sync/base/error.hpp"

namespace tilewall::render {
namespace {

constexpr std::size_t max_hdf5_objects = 100'000;
constexpr hssize_t max_attribute_values = 64;
constexpr std::size_t max_attribute_text = 4096;
constexpr std::size_t max_file_name = 4096;  // PATH_MAX

// Element to which numbers of a type are converted when read; empty for other types.
std::optional<Element> element_of_type(hid_t type) {
  const H5T_class_t kind = H5Tget_class(type);
  const std::size_t bytes = H5Tget_size(type);
  if (kind == H5T_FLOAT) return bytes <= 4 ? Element::f32 : Element::f64;
  if (kind != H5T_INTEGER) return std::nullopt;
  const bool has_sign = H5Tget_sign(type) == H5T_SGN_2;
  switch (bytes) {
    case 1:
      return has_sign ? Element::i8 : Element::u8;
    case 2:
      return has_sign ? Element::i16 : Element::u16;
    case 4:
      return has_sign ? Element::i32 : Element::u32;
    case 8:
      return has_sign ? Element::i64 : Element::u64;
    default:
      return std::nullopt;
  }
}

// Opening an array reads nothing of the files that it refers to.
void note_references(const Hdf5SetId& set, const std::string& file, const std::string& path) {
  const Hdf5ListId list(H5Dget_create_plist(set.get()));
  if (list.empty()) throw InputError({file}, path, "an array", "a damaged one");
  std::array<char, max_file_name> name = {};
  const int parts = H5Pget_external_count(list.get());
  for (int i = 0; i < parts; ++i) {
    off_t offset = 0;
    hsize_t size = 0;
    if (H5Pget_external(list.get(), static_cast<unsigned>(i), name.size() - 1, name.data(), &offset,
                        &size) >= 0)
      FileRoot::of_process().note_reference(file, path, name.data());
  }
  std::size_t mappings = 0;
  if (H5Pget_layout(list.get()) != H5D_VIRTUAL || H5Pget_virtual_count(list.get(), &mappings) < 0)
    return;
  for (std::size_t i = 0; i < mappings; ++i)
    if (H5Pget_virtual_filename(list.get(), i, name.data(), name.size()) >= 0 &&
        std::string_view(name.data()) != ".")
      FileRoot::of_process().note_reference(file, path, name.data());
}

std::optional<Hdf5Array> array_at(hid_t file, const std::string& name, const std::string& path) {
  const Hdf5SetId set(H5Dopen2(file, path.c_str(), H5P_DEFAULT));
  if (set.empty()) return std::nullopt;
  note_references(set, name, path);
  const Hdf5SpaceId space(H5Dget_space(set.get()));
  const Hdf5TypeId type(H5Dget_type(set.get()));
  if (space.empty() || type.empty()) return std::nullopt;
  const auto element = element_of_type(type.get());
  const int rank = H5Sget_simple_extent_ndims(space.get());
  if (!element || rank < 1 || rank > H5S_MAX_RANK) return std::nullopt;
  Hdf5Array array = {path, std::vector<hsize_t>(static_cast<std::size_t>(rank)), *element};
  if (H5Sget_simple_extent_dims(space.get(), array.sides.data(), nullptr) != rank)
    return std::nullopt;
  return array;
}

struct Hdf5Visit {
  std::string name;
  std::vector<Hdf5Array> arrays;
  std::exception_ptr error;
  herr_t status = 0;  // negative: a damaged file; positive: too many objects
  std::size_t objects = 0;
};

herr_t visit_object(hid_t file, const char* name, const H5O_info_t* info, void* user) {
  auto& visit = *static_cast<Hdf5Visit*>(user);
  if (++visit.objects > max_hdf5_objects) return 1;
  if (info->type != H5O_TYPE_DATASET) return 0;
  try {
    if (auto array = array_at(file, visit.name, std::string("/") + name))
      visit.arrays.push_back(std::move(*array));
  } catch (const std::exception&) {  // exceptions must not pass through C code
    visit.error = std::current_exception();
    return -1;
  }
  return 0;
}

/// Visits all arrays, and passes on what was thrown meanwhile.
Hdf5Visit visit_arrays(hid_t file, const std::string& name) {
  Hdf5Visit visit;
  visit.name = name;
  visit.status =
      H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_NATIVE, visit_object, &visit, H5O_INFO_BASIC);
  if (visit.error) std::rethrow_exception(visit.error);
  return visit;
}

Hdf5FileId try_open_hdf5(const std::string& path) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  if (FileRoot::of_process().is_confined()) H5Lunregister(H5L_TYPE_EXTERNAL);
  return Hdf5FileId(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
}

Hdf5AttributeId attribute_of(hid_t file, const std::string& object, const std::string& attribute) {
  return Hdf5AttributeId(
      H5Aopen_by_name(file, object.c_str(), attribute.c_str(), H5P_DEFAULT, H5P_DEFAULT));
}

// Number of an attribute's values; 0 if there are too many.
std::size_t count_of(const Hdf5AttributeId& attribute) {
  const Hdf5SpaceId space(H5Aget_space(attribute.get()));
  const hssize_t count = space.empty() ? 0 : H5Sget_simple_extent_npoints(space.get());
  return count < 1 || count > max_attribute_values ? 0 : static_cast<std::size_t>(count);
}

}  // namespace

Hdf5FileId open_hdf5_file(const std::string& file) {
  const FileRoot::ForLibrary opened = FileRoot::of_process().for_library(file);
  Hdf5FileId id = try_open_hdf5(opened.path);
  if (id.empty()) throw InputError({file}, "", "HDF5", "a file that libhdf5 cannot open");
  return id;
}

void check_hdf5_references(const std::string& file) {
  const FileRoot::ForLibrary opened = FileRoot::of_process().for_library(file);
  if (H5Fis_hdf5(opened.path.c_str()) <= 0) return;
  const Hdf5FileId id = try_open_hdf5(opened.path);
  if (id.empty()) return;  // nor can others open it
  // Arrays behind a damaged one, or behind too many others, were not looked at.
  if (visit_arrays(id.get(), file).status != 0 && FileRoot::of_process().is_confined())
    throw InputError({file}, "", "HDF5 whose arrays can all be looked at", "a damaged file");
}

std::vector<Hdf5Array> hdf5_arrays(hid_t file, const std::string& name) {
  Hdf5Visit visit = visit_arrays(file, name);
  if (visit.status < 0 && visit.arrays.empty())
    throw InputError({name}, "", "HDF5", "a damaged file");
  return std::move(visit.arrays);
}

std::vector<double> hdf5_numbers(hid_t file, const std::string& object,
                                 const std::string& attribute) {
  const Hdf5AttributeId id = attribute_of(file, object, attribute);
  if (id.empty()) return {};
  const Hdf5TypeId type(H5Aget_type(id.get()));
  if (type.empty() || !element_of_type(type.get())) return {};
  std::vector<double> numbers(count_of(id));
  if (numbers.empty() || H5Aread(id.get(), H5T_NATIVE_DOUBLE, numbers.data()) < 0) return {};
  return numbers;
}

std::vector<std::string> hdf5_texts(hid_t file, const std::string& object,
                                    const std::string& attribute) {
  const Hdf5AttributeId id = attribute_of(file, object, attribute);
  if (id.empty()) return {};
  const Hdf5TypeId type(H5Aget_type(id.get()));
  const std::size_t count = count_of(id);
  if (type.empty() || count == 0 || H5Tget_class(type.get()) != H5T_STRING) return {};
  std::vector<std::string> texts;
  if (H5Tis_variable_str(type.get()) > 0) {
    std::vector<char*> pointers(count, nullptr);
    const Hdf5TypeId memory(H5Tcopy(type.get()));
    if (H5Aread(id.get(), memory.get(), pointers.data()) < 0) return {};
    for (char* text : pointers) {
      texts.emplace_back(text != nullptr ? text : "");
      H5free_memory(text);
    }
    return texts;
  }
  const std::size_t bytes = H5Tget_size(type.get());
  if (bytes == 0 || bytes > max_attribute_text) return {};
  std::string all(bytes * count, '\0');
  if (H5Aread(id.get(), type.get(), all.data()) < 0) return {};
  for (std::size_t i = 0; i < count; ++i) {
    const std::string text = all.substr(i * bytes, bytes);
    texts.push_back(text.substr(0, std::min(text.find('\0'), text.find_last_not_of(' ') + 1)));
  }
  return texts;
}

hid_t hdf5_memory_type(Element element) {
  switch (element) {
    case Element::i8:
      return H5T_NATIVE_INT8;
    case Element::u8:
      return H5T_NATIVE_UINT8;
    case Element::i16:
      return H5T_NATIVE_INT16;
    case Element::u16:
      return H5T_NATIVE_UINT16;
    case Element::i32:
      return H5T_NATIVE_INT32;
    case Element::u32:
      return H5T_NATIVE_UINT32;
    case Element::i64:
      return H5T_NATIVE_INT64;
    case Element::u64:
      return H5T_NATIVE_UINT64;
    case Element::f64:
      return H5T_NATIVE_DOUBLE;
    default:
      return H5T_NATIVE_FLOAT;
  }
}

}  // namespace tilewall::render

// A thin layer over libhdf5 with owned handles. Missing objects and attributes give empty results.
//
// Threads: one, as libhdf5 is not thread-safe.
#pragma once

#include <hdf5.h>

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "render/readers/formats/element.hpp"
#include "sync/base/handle.hpp"

namespace tilewall::render {

template <herr_t (*close_it)(hid_t)>
struct Hdf5Traits {
  using Raw = hid_t;
  static constexpr hid_t null() noexcept { return -1; }
  static void close(hid_t raw) noexcept { close_it(raw); }
};
using Hdf5FileId = UniqueHandle<Hdf5Traits<H5Fclose>>;
using Hdf5SetId = UniqueHandle<Hdf5Traits<H5Dclose>>;
using Hdf5SpaceId = UniqueHandle<Hdf5Traits<H5Sclose>>;
using Hdf5TypeId = UniqueHandle<Hdf5Traits<H5Tclose>>;
using Hdf5AttributeId = UniqueHandle<Hdf5Traits<H5Aclose>>;
using Hdf5ListId = UniqueHandle<Hdf5Traits<H5Pclose>>;

/// An array of numbers (dataset) in a file.
struct Hdf5Array {
  std::string path;                ///< "/data/1/meshes/B/x"
  std::vector<hsize_t> sides;      ///< slowest axis first
  Element element = Element::f32;  ///< type to which its numbers are converted when read
};

/// Opens a file for reading, and turns off libhdf5's messages on standard error. Throws InputError
/// if it cannot be opened.
[[nodiscard]] Hdf5FileId open_hdf5_file(const std::string& file);

/// Looks at all arrays of a file, and notes in the process's FileRoot the other files that hold
/// data of theirs (external storage, virtual arrays), which refuses them where it is confined. Does
/// nothing for a file that is not HDF5.
void check_hdf5_references(const std::string& file);

/// Returns all arrays of numbers, at any depth, and checks their references like
/// check_hdf5_references(). Throws InputError if the file is damaged and none is found.
[[nodiscard]] std::vector<Hdf5Array> hdf5_arrays(hid_t file, const std::string& name);

/// Returns the values of an object's attribute, at most 64. Empty if it is missing, has more
/// values, or is not of this kind.
[[nodiscard]] std::vector<double> hdf5_numbers(hid_t file, const std::string& object,
                                               const std::string& attribute);
[[nodiscard]] std::vector<std::string> hdf5_texts(hid_t file, const std::string& object,
                                                  const std::string& attribute);

/// Returns libhdf5's type for an element in this machine's memory.
[[nodiscard]] hid_t hdf5_memory_type(Element element);

}  // namespace tilewall::render

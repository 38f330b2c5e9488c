// A thin layer over libhdf5: what it opens is closed, what it says no to is an empty answer.
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

/// Array of numbers in a file.
struct Hdf5Array {
  std::string path;  ///< "/data/1/meshes/B/x"
  std::vector<hsize_t> sides;
  Element element = Element::f32;  ///< as which its numbers are read
};

/// Opens for reading, without a word on standard error. Throws InputError.
[[nodiscard]] Hdf5FileId open_hdf5_file(const std::string& file);

/// All arrays of numbers. Throws InputError where the file is damaged.
[[nodiscard]] std::vector<Hdf5Array> hdf5_arrays(hid_t file, const std::string& name);

/// Of an object's attribute; empty where there is none, or not of this kind.
[[nodiscard]] std::vector<double> hdf5_numbers(hid_t file, const std::string& object,
                                               const std::string& attribute);
[[nodiscard]] std::vector<std::string> hdf5_texts(hid_t file, const std::string& object,
                                                  const std::string& attribute);

/// The type of this machine's memory for an element.
[[nodiscard]] hid_t hdf5_memory_type(Element element);

}  // namespace tilewall::render

// The XML of VTK's files: elements, and where the text between their tags lies. Data are left where
// they are, so a header costs little memory however large its arrays.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "render/readers/formats/text_fields.hpp"

namespace tilewall::render {

struct XmlElement {
  std::string name;
  std::map<std::string, std::string> attributes;
  int parent = -1;  ///< -1: the root
  std::uint64_t content_begin = 0;
  std::uint64_t content_end = 0;

  /// "" where it has none.
  [[nodiscard]] std::string text(const std::string& attribute) const {
    const auto found = attributes.find(attribute);
    return found == attributes.end() ? std::string() : found->second;
  }
};

struct VtkXml {
  std::string file;
  std::vector<XmlElement> elements;       ///< in the file's order; the root first
  std::optional<std::uint64_t> appended;  ///< where appended data begin, after their "_"
  std::string appended_encoding;          ///< "raw" or "base64"

  [[nodiscard]] FieldPlace place(const std::string& field) const { return {file, field}; }
  /// The first of that name. Throws InputError where there is none.
  [[nodiscard]] const XmlElement& needed(const std::string& name) const;
};

/// Reads up to the appended data. Throws InputError where it is no XML, or no VTKFile of `type`.
[[nodiscard]] VtkXml read_vtk_xml(const std::filesystem::path& file, const std::string& type);

}  // namespace tilewall::render

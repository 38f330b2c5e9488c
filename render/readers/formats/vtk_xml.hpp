// Parses the XML of VTK's files into elements with the offsets of their contents. The contents stay
// in the file, so a header takes little memory however large its arrays are.
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
  int parent = -1;                  ///< index of the enclosing element; -1: this is the root
  std::uint64_t content_begin = 0;  ///< offset in the file behind the start tag
  std::uint64_t content_end = 0;    ///< offset in the file of the end tag

  /// Value of an attribute; "" if it is missing.
  [[nodiscard]] std::string text(const std::string& attribute) const {
    const auto found = attributes.find(attribute);
    return found == attributes.end() ? std::string() : found->second;
  }
};

struct VtkXml {
  std::string file;
  std::vector<XmlElement> elements;       ///< in the file's order; the root is first
  std::optional<std::uint64_t> appended;  ///< offset of appended data, behind their "_"
  std::string appended_encoding;          ///< "raw" or "base64"

  [[nodiscard]] FieldPlace place(const std::string& field) const { return {file, field}; }
  /// Returns the first element of that name. Throws InputError if there is none.
  [[nodiscard]] const XmlElement& needed(const std::string& name) const;
};

/// Parses a file up to its appended data. Throws InputError if it is not XML, or no VTKFile of one
/// of `types`.
[[nodiscard]] VtkXml read_vtk_xml(const std::filesystem::path& file,
                                  const std::vector<std::string>& types);

}  // namespace tilewall::render

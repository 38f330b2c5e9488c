#include "render/readers/formats/vtk_xml.hpp"

#include <expat.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "render/readers/formats/byte_source.hpp"

namespace tilewall::render {
namespace {

constexpr std::size_t max_xml_elements = 1 << 20;

struct XmlParserTraits {
  using Raw = XML_Parser;
  static constexpr XML_Parser null() noexcept { return nullptr; }
  static void close(XML_Parser parser) noexcept { XML_ParserFree(parser); }
};
using XmlParser = UniqueHandle<XmlParserTraits>;

struct XmlState {
  XML_Parser parser;
  VtkXml* xml;
  int open = -1;
  bool too_many = false;
};

void on_start(void* user, const XML_Char* name, const XML_Char** attributes) {
  auto& state = *static_cast<XmlState*>(user);
  auto& elements = state.xml->elements;
  if (elements.size() >= max_xml_elements) {
    state.too_many = true;
    XML_StopParser(state.parser, XML_FALSE);
    return;
  }
  XmlElement element;
  element.name = name;
  for (; *attributes != nullptr; attributes += 2)
    element.attributes.emplace(attributes[0], attributes[1]);
  element.parent = state.open;
  element.content_begin = static_cast<std::uint64_t>(XML_GetCurrentByteIndex(state.parser)) +
                          static_cast<std::uint64_t>(XML_GetCurrentByteCount(state.parser));
  if (element.name == "AppendedData") {  // raw data follow, which are not XML
    state.xml->appended = element.content_begin;
    state.xml->appended_encoding = element.text("encoding");
    XML_StopParser(state.parser, XML_FALSE);
    return;
  }
  state.open = static_cast<int>(elements.size());
  elements.push_back(std::move(element));
}

void on_end(void* user, const XML_Char*) {
  auto& state = *static_cast<XmlState*>(user);
  if (state.open < 0) return;
  XmlElement& element = state.xml->elements[static_cast<std::size_t>(state.open)];
  element.content_end = static_cast<std::uint64_t>(XML_GetCurrentByteIndex(state.parser));
  state.open = element.parent;
}

// Moves `appended` behind the underscore that precedes the data.
void skip_underscore(VtkXml& xml, FileBytes& bytes) {
  std::array<std::byte, 64> start = {};
  const auto left = std::min<std::uint64_t>(start.size(), *bytes.size() - *xml.appended);
  bytes.read(*xml.appended, std::span(start).first(static_cast<std::size_t>(left)));
  const auto mark = std::find(start.begin(), start.end(), std::byte{'_'});
  if (mark == start.end()) xml.place("AppendedData").refuse("\"_\" before the data", "none");
  *xml.appended += static_cast<std::uint64_t>(mark - start.begin()) + 1;
}

}  // namespace

const XmlElement& VtkXml::needed(const std::string& name) const {
  for (const XmlElement& element : elements)
    if (element.name == name) return element;
  place(name).refuse("this element", "none");
}

VtkXml read_vtk_xml(const std::filesystem::path& file, const std::vector<std::string>& types) {
  VtkXml xml;
  xml.file = file.string();
  FileBytes bytes(file);
  const XmlParser parser(XML_ParserCreate(nullptr));
  XmlState state = {parser.get(), &xml};
  XML_SetUserData(parser.get(), &state);
  XML_SetElementHandler(parser.get(), on_start, on_end);
  std::array<std::byte, 65536> piece;
  for (std::uint64_t at = 0; !xml.appended;) {
    const auto count =
        static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), *bytes.size() - at));
    bytes.read(at, std::span(piece).first(count));
    at += count;
    const bool last = at == *bytes.size();
    const XML_Status status = XML_Parse(parser.get(), reinterpret_cast<const char*>(piece.data()),
                                        static_cast<int>(count), last ? 1 : 0);
    if (state.too_many)
      xml.place("XML").refuse(fmt::format("at most {} elements", max_xml_elements), "more");
    if (status == XML_STATUS_ERROR && !xml.appended)
      throw InputError({xml.file, static_cast<int>(XML_GetCurrentLineNumber(parser.get()))}, "",
                       "XML", XML_ErrorString(XML_GetErrorCode(parser.get())));
    if (last) break;
  }
  if (xml.elements.empty() || xml.elements[0].name != "VTKFile" ||
      std::find(types.begin(), types.end(), xml.elements[0].text("type")) == types.end())
    xml.place("VTKFile").refuse(
        fmt::format("type=\"{}\"", fmt::join(types, "\" or type=\"")),
        xml.elements.empty() ? "no element" : in_quotes(xml.elements[0].text("type")));
  if (xml.appended) skip_underscore(xml, bytes);
  return xml;
}

}  // namespace tilewall::render

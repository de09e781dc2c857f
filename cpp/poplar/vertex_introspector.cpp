#include <popir/Codelet.hpp>
#include <poplar/VertexIntrospector.hpp>
#include <poplar/exceptions.hpp>

#include "poplar/graph_impl.hpp"

namespace poplar {

VertexFieldInfo::Row VertexFieldInfo::operator[](std::size_t i) const {
  if (i >= rows_.size())
    throw index_error("VertexFieldInfo: row " + std::to_string(i) + " given, the field has " +
                      std::to_string(rows_.size()));
  return rows_[i];
}

void VertexFieldInfo::getValues(Type type, std::size_t valueBytes, void* to, std::size_t n) const {
  if (values_.empty() && n > 0)
    throw graph_connection_error("VertexFieldInfo: the field has no initial value");
  if (valueBytes == 8 && type == INT) type = LONGLONG;  // the host's `long` has 8 bytes
  if (valueBytes == 8 && type == UNSIGNED_INT) type = UNSIGNED_LONGLONG;
  popir::convertValues(type_, values_.data(), type, to, n);
}

VertexFieldInfo VertexIntrospector::getFieldInfo(StringRef name) const {
  const auto& vertex = graph_->vertices[vertex_];
  std::string known;
  for (std::size_t i = 0; i < vertex.codelet->numFields; ++i) {
    const auto& field = vertex.codelet->fields[i];
    known += (known.empty() ? "" : ", ") + std::string(field.name);
    if (name.str() != field.name) continue;
    using Shape = popir::CodeletField::Shape;
    const auto& content = vertex.fields[i];
    const Type type(field.type);
    std::vector<VertexFieldInfo::Row> rows;
    std::size_t size = 1;
    if (field.shape == Shape::Scalars || field.shape == Shape::Vectors) {
      for (const auto& t : content.tensors) rows.emplace_back(t.valid() ? t.numElements() : 0);
      size = rows.size();
    } else if (field.shape == Shape::Vector && !content.tensors.empty()) {
      size = content.tensors.front().numElements();
    } else if (field.shape == Shape::Vector) {
      size = type == Type() ? 0 : content.values.size() / type.sizeInBytes();
    }
    return VertexFieldInfo(type, std::move(rows), size, content.values);
  }
  throw graph_connection_error("VertexIntrospector: " + popir::vertexText(*graph_, vertex_) +
                               " has no field '" + name.str() + "'; its fields: " + known);
}

}  // namespace poplar

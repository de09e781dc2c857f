#include <popir/Codelet.hpp>
#include <poplar/VertexIntrospector.hpp>
#include <poplar/exceptions.hpp>

#include "poplar/graph_impl.hpp"

namespace poplar {

FieldData::SizeT FieldData::operator[](std::size_t i) const {
  if (i >= rows_.size())
    throw index_error("FieldData: row " + std::to_string(i) + " given, the field has " +
                      std::to_string(rows_.size()));
  return rows_[i];
}

void FieldData::getValues(Type type, std::size_t valueBytes, void* to, std::size_t n) const {
  if (values_.empty() && n > 0)
    throw graph_connection_error("FieldData: the field has no initial value");
  if (valueBytes == 8 && type == INT) type = LONGLONG;  // the host's `long` has 8 bytes
  if (valueBytes == 8 && type == UNSIGNED_INT) type = UNSIGNED_LONGLONG;
  popir::convertValues(type_, values_.data(), type, to, n);
}

layout::Vector FieldData::getProfilerVectorLayout(std::size_t dimension) const {
  if (dimension >= rank_)
    throw index_error("FieldData: dimension " + std::to_string(dimension) + " of '" + name_ +
                      "' given, which has " + std::to_string(rank_));
  return layout::Vector::Span;
}
layout::VectorList FieldData::getProfilerVectorListLayout() const {
  return rank_ == 2 ? layout::VectorList::DeltaN : layout::VectorList::NotAVector;
}

namespace {

/// The number of a vertex's field.
std::size_t fieldOf(const popir::GraphImpl& graph, unsigned vertex, StringRef name) {
  const auto& codelet = *graph.vertices[vertex].codelet;
  std::string known;
  for (std::size_t i = 0; i < codelet.numFields; ++i) {
    if (name.str() == codelet.fields[i].name) return i;
    known += (known.empty() ? "" : ", ") + std::string(codelet.fields[i].name);
  }
  throw graph_connection_error("VertexIntrospector: " + popir::vertexText(graph, vertex) +
                               " has no field '" + name.str() + "'; its fields: " + known);
}

}  // namespace

FieldData VertexIntrospector::getFieldInfo(StringRef name) const {
  using Shape = popir::CodeletField::Shape;
  const auto& vertex = graph_->vertices[vertex_];
  const auto i = fieldOf(*graph_, vertex_, name);
  const auto& field = vertex.codelet->fields[i];
  const auto& content = vertex.fields[i];
  const Type type(field.type);
  const unsigned rank = field.shape == Shape::Scalar ? 0 : field.shape == Shape::Vectors ? 2 : 1;
  std::vector<FieldData::SizeT> rows;
  std::size_t size = 1;
  if (field.shape == Shape::Scalars || field.shape == Shape::Vectors) {
    for (const auto& t : content.tensors) rows.emplace_back(t.valid() ? t.numElements() : 0);
    size = rows.size();
  } else if (field.shape == Shape::Vector && !content.tensors.empty()) {
    size = content.tensors.front().numElements();
  } else if (field.shape == Shape::Vector) {
    size = type == Type() ? 0 : content.values.size() / type.sizeInBytes();
  }
  return FieldData(field.name, type, rank, std::move(rows), size, content.values);
}

std::vector<VertexEdgeInfo> VertexIntrospector::getEdgeInfo(StringRef name) const {
  std::vector<VertexEdgeInfo> edges;
  for (const auto& t : graph_->vertices[vertex_].fields[fieldOf(*graph_, vertex_, name)].tensors) {
    auto& edge = edges.emplace_back();
    if (!t.valid()) continue;
    for (const auto& region : t.getVarRegions())
      edge.storage.push_back({region.var, region.interval});
  }
  return edges;
}

}  // namespace poplar

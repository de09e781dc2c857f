// TensorFlow's small types, as far as operators of Habana's API need them.
#include <habana/tf/registration.hpp>

#include <algorithm>

namespace tensorflow {
namespace {

struct TypeRow {
  DataType type;
  const char* name;
  int size;
};
const TypeRow types[] = {
    {DT_FLOAT, "float", 4},       {DT_DOUBLE, "double", 8},       {DT_INT32, "int32", 4},
    {DT_UINT8, "uint8", 1},       {DT_INT16, "int16", 2},         {DT_INT8, "int8", 1},
    {DT_STRING, "string", 0},     {DT_INT64, "int64", 8},         {DT_BOOL, "bool", 1},
    {DT_BFLOAT16, "bfloat16", 2}, {DT_UINT16, "uint16", 2},       {DT_HALF, "half", 2},
    {DT_RESOURCE, "resource", 0}, {DT_VARIANT, "variant", 0},     {DT_UINT32, "uint32", 4},
    {DT_UINT64, "uint64", 8},     {DT_COMPLEX64, "complex64", 8}, {DT_COMPLEX128, "complex128", 16},
};

const char* const codeNames[] = {
    "OK",
    "Cancelled",
    "Unknown",
    "Invalid argument",
    "Deadline exceeded",
    "Not found",
    "Already exists",
    "Permission denied",
    "Resource exhausted",
    "Failed precondition",
    "Aborted",
    "Out of range",
    "Unimplemented",
    "Internal",
    "Unavailable",
    "Data loss",
    "Unauthenticated",
};

/// The value of an attribute as alternative `T`, converted by `convert`.
template <class T, class To, class Convert>
Status read(const NodeDef& node, StringPiece name, const char* kind, To* to,
            const Convert& convert) {
  const auto found = node.attr().find(std::string(name));
  if (found == node.attr().end())
    return errors::NotFound("no attribute '", name, "' in the operator ", node.op());
  const auto* value = std::get_if<T>(&found->second.value);
  if (value == nullptr || found->second.kind != kind)
    return errors::InvalidArgument("the attribute '", name, "' is of type ", found->second.kind,
                                   ", and asked for as ", kind);
  *to = convert(*value);
  return OkStatus();
}

template <class To>
struct As {
  template <class From>
  To operator()(const From& from) const {
    return static_cast<To>(from);
  }
};
template <class E>
struct Each {
  template <class From>
  std::vector<E> operator()(const std::vector<From>& from) const {
    return std::vector<E>(from.begin(), from.end());
  }
};

}  // namespace

const char* codeName(error::Code code) {
  return code >= 0 && code <= error::UNAUTHENTICATED ? codeNames[code] : "Unknown";
}

std::string DataTypeString(DataType type) {
  for (const auto& row : types)
    if (row.type == type) return row.name;
  return "type " + std::to_string(static_cast<int>(type));
}
DataType DataTypeNamed(StringPiece name) {
  for (const auto& row : types)
    if (name == row.name) return row.type;
  return name == "float16" ? DT_HALF : name == "float32" ? DT_FLOAT : DT_INVALID;
}
int DataTypeSize(DataType type) {
  for (const auto& row : types)
    if (row.type == type) return row.size;
  return 0;
}

void Tensor::check(DataType asked) const {
  const auto other = asked == DT_INT64 && type_ == DT_UINT64;
  if (asked != type_ && !other)
    throw std::runtime_error("a tensor of " + DataTypeString(type_) + " is read as one of " +
                             DataTypeString(asked));
}

Status readAttr(const NodeDef& node, StringPiece name, std::int64_t* value) {
  return read<std::int64_t>(node, name, "int", value, As<std::int64_t>());
}
Status readAttr(const NodeDef& node, StringPiece name, long long* value) {
  return read<std::int64_t>(node, name, "int", value, As<long long>());
}
Status readAttr(const NodeDef& node, StringPiece name, int* value) {
  std::int64_t wide = 0;
  TF_RETURN_IF_ERROR(readAttr(node, name, &wide));
  if (wide != static_cast<int>(wide))
    return errors::InvalidArgument("the attribute '", name, "' has the value ", wide,
                                   ", which does not fit an int32");
  *value = static_cast<int>(wide);
  return OkStatus();
}
Status readAttr(const NodeDef& node, StringPiece name, float* value) {
  return read<double>(node, name, "float", value, As<float>());
}
Status readAttr(const NodeDef& node, StringPiece name, bool* value) {
  return read<bool>(node, name, "bool", value, As<bool>());
}
Status readAttr(const NodeDef& node, StringPiece name, std::string* value) {
  return read<std::string>(node, name, "string", value, As<std::string>());
}
Status readAttr(const NodeDef& node, StringPiece name, DataType* value) {
  return read<std::int64_t>(node, name, "type", value, As<DataType>());
}
Status readAttr(const NodeDef& node, StringPiece name, TensorShape* value) {
  return read<std::vector<std::int64_t>>(
      node, name, "shape", value,
      [](const std::vector<std::int64_t>& sizes) { return TensorShape(sizes); });
}
Status readAttr(const NodeDef& node, StringPiece name, std::vector<std::int64_t>* value) {
  return read<std::vector<std::int64_t>>(node, name, "list(int)", value, Each<std::int64_t>());
}
Status readAttr(const NodeDef& node, StringPiece name, std::vector<int>* value) {
  return read<std::vector<std::int64_t>>(node, name, "list(int)", value, Each<int>());
}
Status readAttr(const NodeDef& node, StringPiece name, std::vector<float>* value) {
  return read<std::vector<double>>(node, name, "list(float)", value, Each<float>());
}
Status readAttr(const NodeDef& node, StringPiece name, std::vector<std::string>* value) {
  return read<std::vector<std::string>>(node, name, "list(string)", value, Each<std::string>());
}

namespace shape_inference {

Status InferenceContext::Merge(const ShapeHandle& a, const ShapeHandle& b, ShapeHandle* out) const {
  if (!a.known || !b.known) {
    *out = a.known ? a : b;
    return OkStatus();
  }
  if (a.sizes.size() != b.sizes.size())
    return errors::InvalidArgument("Shapes must be equal rank, but are ", Rank(a), " and ",
                                   Rank(b));
  ShapeHandle merged = a;
  for (std::size_t i = 0; i < a.sizes.size(); ++i) {
    if (a.sizes[i] >= 0 && b.sizes[i] >= 0 && a.sizes[i] != b.sizes[i])
      return errors::InvalidArgument("Dimension ", i, " in both shapes must be equal, but are ",
                                     a.sizes[i], " and ", b.sizes[i], ". Shapes are ",
                                     DebugString(a), " and ", DebugString(b));
    if (a.sizes[i] < 0) merged.sizes[i] = b.sizes[i];
  }
  *out = merged;
  return OkStatus();
}
Status InferenceContext::Concatenate(const ShapeHandle& a, const ShapeHandle& b,
                                     ShapeHandle* out) const {
  *out = {a.known && b.known, a.sizes};
  out->sizes.insert(out->sizes.end(), b.sizes.begin(), b.sizes.end());
  return OkStatus();
}
Status InferenceContext::Subshape(const ShapeHandle& s, std::int64_t start, std::int64_t end,
                                  ShapeHandle* out) const {
  if (!s.known) {
    *out = {};
    return OkStatus();
  }
  const auto rank = static_cast<std::int64_t>(s.sizes.size());
  if (start < 0) start += rank;
  if (end < 0) end += rank;
  start = std::min(start, rank);
  end = std::min(end, rank);
  if (start < 0 || end < start)
    return errors::InvalidArgument("Subshape must have computed start <= end, but is ", start,
                                   " and ", end, " (computed from shape ", DebugString(s), ")");
  *out = {true, std::vector<std::int64_t>(s.sizes.begin() + start, s.sizes.begin() + end)};
  return OkStatus();
}
Status InferenceContext::Subshape(const ShapeHandle& s, std::int64_t start,
                                  ShapeHandle* out) const {
  return Subshape(s, start, s.known ? static_cast<std::int64_t>(s.sizes.size()) : 0, out);
}
Status InferenceContext::ReplaceDim(const ShapeHandle& s, std::int64_t i, DimensionHandle dim,
                                    ShapeHandle* out) const {
  ShapeHandle made = s;
  if (s.known) {
    const auto rank = static_cast<std::int64_t>(s.sizes.size());
    const auto at = i < 0 ? i + rank : i;
    if (at < 0 || at >= rank)
      return errors::InvalidArgument("Out of range dim_index ", i, " for shape with ", rank,
                                     " dimensions");
    made.sizes[static_cast<std::size_t>(at)] = dim.size;
  }
  *out = made;
  return OkStatus();
}
std::string InferenceContext::DebugString(const ShapeHandle& s) const {
  if (!s.known) return "?";
  std::string text = "[";
  for (std::size_t i = 0; i < s.sizes.size(); ++i)
    text += (i ? "," : "") + (s.sizes[i] < 0 ? std::string("?") : std::to_string(s.sizes[i]));
  return text + "]";
}

Status UnchangedShape(InferenceContext* context) {
  context->set_output(0, context->input(0));
  return OkStatus();
}
Status UnchangedShapeWithRank(InferenceContext* context, std::int32_t rank) {
  ShapeHandle out;
  TF_RETURN_IF_ERROR(context->WithRank(context->input(0), rank, &out));
  context->set_output(0, out);
  return OkStatus();
}
Status UnchangedShapeWithRankAtLeast(InferenceContext* context, std::int32_t rank) {
  ShapeHandle out;
  TF_RETURN_IF_ERROR(context->WithRankAtLeast(context->input(0), rank, &out));
  context->set_output(0, out);
  return OkStatus();
}
Status ScalarShape(InferenceContext* context) {
  context->set_output(0, context->Scalar());
  return OkStatus();
}
Status UnknownShape(InferenceContext* context) {
  for (int i = 0; i < context->num_outputs(); ++i) context->set_output(i, {});
  return OkStatus();
}
Status NoOutputs(InferenceContext*) { return OkStatus(); }
Status MergeBothInputsShapeFn(InferenceContext* context) {
  ShapeHandle out;
  TF_RETURN_IF_ERROR(context->Merge(context->input(0), context->input(1), &out));
  context->set_output(0, out);
  return OkStatus();
}
Status BroadcastBinaryOpShapeFn(InferenceContext* context) {
  const ShapeHandle a = context->input(0), b = context->input(1);
  if (!a.known || !b.known) return UnknownShape(context);
  const ShapeHandle& longer = a.sizes.size() < b.sizes.size() ? b : a;
  const ShapeHandle& shorter = a.sizes.size() < b.sizes.size() ? a : b;
  ShapeHandle out = longer;
  const auto offset = longer.sizes.size() - shorter.sizes.size();
  for (std::size_t i = 0; i < shorter.sizes.size(); ++i) {
    auto& size = out.sizes[offset + i];
    const auto other = shorter.sizes[i];
    if (size == 1)
      size = other;
    else if (size >= 0 && other > 1 && size != other)
      return errors::InvalidArgument("Incompatible shapes for broadcasting: ",
                                     context->DebugString(a), " and ", context->DebugString(b));
    else if (size < 0 && other > 1)
      size = other;
  }
  context->set_output(0, out);
  return OkStatus();
}
Status MatMulShape(InferenceContext* context) {
  ShapeHandle a, b;
  TF_RETURN_IF_ERROR(context->WithRank(context->input(0), 2, &a));
  TF_RETURN_IF_ERROR(context->WithRank(context->input(1), 2, &b));
  bool first = false, second = false;
  context->GetAttr("transpose_a", &first).IgnoreError();
  context->GetAttr("transpose_b", &second).IgnoreError();
  DimensionHandle merged;
  TF_RETURN_IF_ERROR(
      context->Merge(context->Dim(a, first ? 0 : 1), context->Dim(b, second ? 1 : 0), &merged));
  context->set_output(
      0, context->Matrix(context->Dim(a, first ? 1 : 0), context->Dim(b, second ? 0 : 1)));
  return OkStatus();
}

}  // namespace shape_inference
}  // namespace tensorflow

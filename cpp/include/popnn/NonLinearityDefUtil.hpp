// Activation functions as text. After popnn/NonLinearityDefUtil.hpp of PopLibs 3.
#ifndef popnn_NonLinearityDefUtil_hpp
#define popnn_NonLinearityDefUtil_hpp

#include <popnn/NonLinearityDef.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>

#include <istream>
#include <ostream>
#include <string>

namespace popnn {
namespace detail {

struct NonLinearityNames {
  NonLinearityType type;
  const char* message;   ///< asString()
  const char* token;     ///< what operator>> reads
  const char* argument;  ///< of a vertex; null if there is no such vertex
};

inline const NonLinearityNames* nonLinearityNames() {
  static const NonLinearityNames rows[] = {
      {NonLinearityType::SIGMOID, "sigmoid", "sigmoid", "SIGMOID"},
      {NonLinearityType::HARD_SIGMOID, "hard sigmoid", "hard_sigmoid", "HARD_SIGMOID"},
      {NonLinearityType::RELU, "relu", "relu", "RELU"},
      {NonLinearityType::TANH, "tanh", "tanh", "TANH"},
      {NonLinearityType::GELU, "gelu", "gelu", "GELU"},
      {NonLinearityType::GELU_ERF, "gelu_erf", "gelu_erf", "GELU_ERF"},
      {NonLinearityType::SWISH, "swish", "swish", "SWISH"},
      {NonLinearityType::SOFTMAX, "softmax", "softmax", nullptr},
      {NonLinearityType::SOFTMAX_STABLE, "softmax (stable)", "softmax_stable", nullptr},
      {NonLinearityType::SOFTMAX_SCALED, "softmax (scaled, stable)", "softmax_scaled", nullptr},
      {NonLinearityType::SIGMOID, nullptr, nullptr, nullptr}};
  return rows;
}

inline const NonLinearityNames& namesOf(NonLinearityType type) {
  for (const NonLinearityNames* row = nonLinearityNames(); row->message != nullptr; ++row)
    if (row->type == type) return *row;
  throw poputil::poplibs_error("there is no non-linearity " +
                               std::to_string(static_cast<int>(type)));
}

}  // namespace detail

inline const char* asString(const NonLinearityType& type) { return detail::namesOf(type).message; }

inline std::ostream& operator<<(std::ostream& os, const NonLinearityType& type) {
  return os << asString(type);
}

/// Reads "relu", "hard_sigmoid", "softmax_stable", ...
/// \throws poputil::poplibs_error for an unknown name
inline std::istream& operator>>(std::istream& in, NonLinearityType& type) {
  std::string token;
  in >> token;
  for (const auto* row = detail::nonLinearityNames(); row->message != nullptr; ++row)
    if (token == row->token) {
      type = row->type;
      return in;
    }
  throw poputil::poplibs_error("there is no non-linearity '" + token + "'");
}

}  // namespace popnn

namespace poputil {

/// An activation function as an argument of a vertex: "popnn::NonLinearityType::RELU".
/// \throws poplibs_error for softmax, which has no vertex
template <>
struct VertexTemplateToString<popnn::NonLinearityType> {
  static std::string to_string(const popnn::NonLinearityType& type) {
    const auto& names = popnn::detail::namesOf(type);
    if (names.argument == nullptr)
      throw poplibs_error(std::string("there is no vertex for ") + names.message);
    return std::string("popnn::NonLinearityType::") + names.argument;
  }
};

}  // namespace poputil

#endif

// The choices of casts to small floats, as text. After popfloat/experimental/GfloatExprUtil.hpp of
// PopLibs 3.
#ifndef popfloat_experimental_GfloatExprUtil_hpp
#define popfloat_experimental_GfloatExprUtil_hpp

#include <popfloat/experimental/GfloatExpr.hpp>
#include <poplar/Type.hpp>
#include <poputil/VertexTemplates.hpp>

#include <string>

#pragma GCC visibility push(default)

namespace popfloat {
namespace experimental {

/// The enumerator's name.
/// \throws poputil::poplibs_error for what is no enumerator
std::string roundTypeToString(RoundType rmode);
std::string formatTypeToString(FormatType fmt);
std::string srDensityTypeToString(SRDensityType dist);
std::string specTypeToString(SpecType specType);
/// The element type that keeps a result.
/// \throws poputil::poplibs_error for AUTO
poplar::Type specTypeToPoplarType(SpecType specType);

}  // namespace experimental
}  // namespace popfloat

namespace poputil {

#define POPIR_GFLOAT_ARGUMENT(TYPE, TEXT)                                                 \
  template <>                                                                             \
  struct VertexTemplateToString<popfloat::experimental::TYPE> {                           \
    static std::string to_string(const popfloat::experimental::TYPE& value) {             \
      return "popfloat::experimental::" #TYPE "::" + popfloat::experimental::TEXT(value); \
    }                                                                                     \
  };
POPIR_GFLOAT_ARGUMENT(RoundType, roundTypeToString)
POPIR_GFLOAT_ARGUMENT(FormatType, formatTypeToString)
POPIR_GFLOAT_ARGUMENT(SRDensityType, srDensityTypeToString)
POPIR_GFLOAT_ARGUMENT(SpecType, specTypeToString)
#undef POPIR_GFLOAT_ARGUMENT

}  // namespace poputil

#pragma GCC visibility pop

#endif

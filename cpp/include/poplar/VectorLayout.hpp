// Memory layouts of vertex fields on a tile. On the host every field is a pointer and a length; the
// layout only decides which functions a codelet may call.
// After poplar/VectorLayout.hpp of the Poplar SDK 3.
#ifndef poplar_VectorLayout_hpp
#define poplar_VectorLayout_hpp

#include <string>

#pragma GCC visibility push(default)

namespace poplar {

/// Layouts of vector fields. SPAN and SHORT_SPAN know their size, the others do not.
enum class VectorLayout {
  SPAN,
  ONE_PTR,
  SHORT_SPAN,
  SCALED_PTR32,
  SCALED_PTR64,
  SCALED_PTR128,
  COMPACT_PTR
};

/// Layouts of lists of vectors. ONE_PTR knows no sizes.
enum class VectorListLayout { ONE_PTR, DELTAN, DELTANELEMENTS, COMPACT_DELTAN };

/// The same layouts as estimators of cycles are told of them (VertexIntrospector).
namespace layout {

enum class Vector { NotAVector, Span, ShortSpan, OnePtr, ScaledPtr32, ScaledPtr64, ScaledPtr128 };
enum class VectorList {
  NotAVector,
  OnePtr,
  ScaledPtr32,
  ScaledPtr64,
  ScaledPtr128,
  DeltaN,
  DeltaNElements
};

/// The name of the enumerator.
inline std::string to_string(Vector layout) {
  const char* const names[] = {"NotAVector",  "Span",        "ShortSpan",   "OnePtr",
                               "ScaledPtr32", "ScaledPtr64", "ScaledPtr128"};
  return names[static_cast<int>(layout)];
}
inline std::string to_string(VectorList layout) {
  const char* const names[] = {"NotAVector",   "OnePtr", "ScaledPtr32",   "ScaledPtr64",
                               "ScaledPtr128", "DeltaN", "DeltaNElements"};
  return names[static_cast<int>(layout)];
}

}  // namespace layout
}  // namespace poplar

#pragma GCC visibility pop

#endif

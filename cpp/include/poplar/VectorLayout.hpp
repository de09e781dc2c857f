// Memory layouts of vertex fields on a tile. On the host every field is a pointer and a length; the
// layout only decides which functions a codelet may call.
// After poplar/VectorLayout.hpp of the Poplar SDK 3.
#ifndef poplar_VectorLayout_hpp
#define poplar_VectorLayout_hpp

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

}  // namespace poplar

#endif

// poplar/VectorLayout.hpp: how a tile would keep the pointers of a vertex's fields. The host keeps
// a pointer and a length whatever the layout is; only what a codelet may ask of it differs.
#ifndef poplar_VectorLayout_hpp
#define poplar_VectorLayout_hpp

namespace poplar {

/// A vector field: SPAN and SHORT_SPAN know their size, the others do not.
enum class VectorLayout {
  SPAN,
  ONE_PTR,
  SHORT_SPAN,
  SCALED_PTR32,
  SCALED_PTR64,
  SCALED_PTR128,
  COMPACT_PTR
};

/// A field that is a list of vectors; ONE_PTR knows no sizes.
enum class VectorListLayout { ONE_PTR, DELTAN, DELTANELEMENTS, COMPACT_DELTAN };

}  // namespace poplar

#endif

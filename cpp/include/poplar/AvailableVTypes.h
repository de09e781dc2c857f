// Layouts of vectors that fields may have. After poplar/AvailableVTypes.h of the Poplar SDK 3.
#ifndef poplar_AvailableVTypes_h
#define poplar_AvailableVTypes_h

#define VECTOR_AVAIL_SHORT_SPAN
#define VECTOR_AVAIL_SCALED_PTR32
#define VECTOR_AVAIL_SCALED_PTR64
#define VECTOR_AVAIL_SCALED_PTR128
#define VECTORLIST_AVAIL_DELTAN

#endif

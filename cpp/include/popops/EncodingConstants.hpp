// popops/EncodingConstants.hpp: values with a meaning among labels.
#ifndef popops_EncodingConstants_hpp
#define popops_EncodingConstants_hpp

/// A label that stands for no class.
#define MASKED_LABEL_CODE 0xFFFFFFFFU

#endif

// Label values with a special meaning. After popops/EncodingConstants.hpp of PopLibs 3.
#ifndef popops_EncodingConstants_hpp
#define popops_EncodingConstants_hpp

/// A label that belongs to no class; its sample is ignored.
#define MASKED_LABEL_CODE 0xFFFFFFFFU

#endif

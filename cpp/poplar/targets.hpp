// Targets that are made of others.
#ifndef popir_poplar_targets_hpp
#define popir_poplar_targets_hpp

#include <poplar/Target.hpp>

namespace popir {

/// A target with the figures of `spec`, and `ipus` IPUs.
__attribute__((visibility("default"))) poplar::Target withIPUs(const TargetSpec& spec,
                                                               unsigned ipus);

}  // namespace popir

#endif

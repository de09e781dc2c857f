// Orders of operators and tensors that do not depend on addresses. After
// popart/pointercomparators.hpp of PopART 3.
#ifndef popart_pointercomparators_hpp
#define popart_pointercomparators_hpp

#include <popart/op.hpp>
#include <popart/tensor.hpp>

#include <utility>

namespace popart {

/// Operators by id.
struct POpCmp {
  bool operator()(const Op* a, const Op* b) const { return a->id < b->id; }
};
/// Tensors by id.
struct PTensorCmp {
  bool operator()(const Tensor* a, const Tensor* b) const { return a->id < b->id; }
};

}  // namespace popart

#endif

// Orders of operators and tensors that do not depend on addresses. After
// popart/pointercomparators.hpp of PopART 3. POpCmp, operators by id, is in popart/names.hpp, and
// PTensorCmp in popart/tensorindex.hpp.
#ifndef popart_pointercomparators_hpp
#define popart_pointercomparators_hpp

#include <popart/names.hpp>
#include <popart/op.hpp>
#include <popart/tensor.hpp>
#include <popart/tensorindex.hpp>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {
class ICreatorCandidate;
}

/// Lists of tensors, by the first id that differs.
struct VectorPTensorCmp {
  bool operator()(const std::vector<Tensor*>& a, const std::vector<Tensor*>& b) const {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), PTensorCmp());
  }
};
/// Pairs by the operator's id, then by what goes with it.
struct POpBoolCmp {
  bool operator()(const std::pair<Op*, bool>& a, const std::pair<Op*, bool>& b) const {
    return std::make_pair(a.first->id, a.second) < std::make_pair(b.first->id, b.second);
  }
};
struct POpIntCmp {
  bool operator()(const std::pair<Op*, int>& a, const std::pair<Op*, int>& b) const {
    return std::make_pair(a.first->id, a.second) < std::make_pair(b.first->id, b.second);
  }
};
/// Candidates (popart/popx/creatorx.hpp) as ICreatorCandidate::greaterThan() has them.
struct PICreatorCandidateCmp {
  bool operator()(const popx::ICreatorCandidate* a, const popx::ICreatorCandidate* b) const;
};
struct ICreatorCandidatePtrCmp {
  bool operator()(const std::shared_ptr<popx::ICreatorCandidate> a,
                  const std::shared_ptr<popx::ICreatorCandidate> b) const;
};

}  // namespace popart

#pragma GCC visibility pop

#endif

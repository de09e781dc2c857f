#include <popart/popx/creatorx.hpp>

#include <tuple>
#include <utility>

namespace popart {

bool PICreatorCandidateCmp::operator()(const popx::ICreatorCandidate* a,
                                       const popx::ICreatorCandidate* b) const {
  const auto weight = [](const popx::ICreatorCandidate& c) {
    return std::make_tuple(c.getMaxCreatorPriority(), c.getNumElems(), -c.getScheduleIndex());
  };
  return weight(*a) > weight(*b);
}

bool ICreatorCandidatePtrCmp::operator()(const popx::ICreatorCandidatePtr a,
                                         const popx::ICreatorCandidatePtr b) const {
  return PICreatorCandidateCmp()(a.get(), b.get());
}

namespace popx {

bool ICreatorCandidate::greaterThan(ICreatorCandidatePtr a, ICreatorCandidatePtr b) {
  return ICreatorCandidatePtrCmp()(std::move(a), std::move(b));
}

}  // namespace popx
}  // namespace popart

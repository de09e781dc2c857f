// The base class of a Builder's opsets. After popart/domainopset.hpp of PopART 3.
#ifndef popart_domainopset_hpp
#define popart_domainopset_hpp

#include <memory>
#include <utility>

#pragma GCC visibility push(default)

namespace popart {

/// The operators of one opset of a domain, as methods that add them to a Builder's model.
class DomainOpSet {
 public:
  /// `opset` is the compiler's object. A Builder makes it.
  explicit DomainOpSet(std::shared_ptr<void> opset) : opset_(std::move(opset)) {}

  const std::shared_ptr<void>& handle() const { return opset_; }

 private:
  std::shared_ptr<void> opset_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif

// The same for SGD with two states. After popart/op/sgd2acclupdate.hpp of PopART 3.
#ifndef popart_op_sgd2acclupdate_hpp
#define popart_op_sgd2acclupdate_hpp

#include <popart/op/sgd1acclupdate.hpp>

#include <memory>

#pragma GCC visibility push(default)

namespace popart {

class SGD2PartialAcclUpdateOp : public SGD1AcclUpdateOp {
 public:
  using SGD1AcclUpdateOp::SGD1AcclUpdateOp;
  ~SGD2PartialAcclUpdateOp() override;
  std::unique_ptr<Op> clone() const override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif

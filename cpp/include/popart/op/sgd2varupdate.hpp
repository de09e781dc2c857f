// SGD with two states: the weight's step. After popart/op/sgd2varupdate.hpp of PopART 3.
#ifndef popart_op_sgd2varupdate_hpp
#define popart_op_sgd2varupdate_hpp

#include <popart/op/sgd1varupdate.hpp>

#include <memory>

#pragma GCC visibility push(default)

namespace popart {

class SGD2VarUpdateOp : public SGD1VarUpdateOp {
 public:
  using SGD1VarUpdateOp::SGD1VarUpdateOp;
  ~SGD2VarUpdateOp() override;
  std::unique_ptr<Op> clone() const override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif

// Operators whose results are computed while a graph is compiled. After popart/ces/constexpr.hpp of
// PopART 3.
#ifndef popart_ces_constexpr_hpp
#define popart_ces_constexpr_hpp

#include <popart/error.hpp>
#include <popart/names.hpp>
#include <popart/op.hpp>
#include <popart/typefunctor.hpp>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class Graph;
class Tensor;
class TensorInfo;

/// What an operator with known inputs gives. The operator must outlive it.
class ConstExprOp {
 public:
  explicit ConstExprOp(Op* op) : op_(op) {}
  virtual ~ConstExprOp();
  /// The elements of output 0, in row-major order.
  virtual std::vector<char> compute() = 0;

 protected:
  /// What the compiler computes of the operator.
  /// \throws error if it does not compute operators of this type, or an input has no value
  std::vector<char> computedByCompiler() const;
  Tensor* inTensor(InIndex index) const { return op_->inTensor(index); }
  const TensorInfo& inInfo(InIndex index) const;
  const Shape& inShape(InIndex index) const;
  const TensorInfo& outInfo0() const;
  const Op* getBaseOp() const { return op_; }
  /// \throws error for an operator of another class
  template <class OP>
  OP& getOp() const {
    if (OP* op = dynamic_cast<OP*>(op_)) return *op;
    throw error("{} is of another class than its ConstExprOp is for", op_->debugName());
  }
  /// A functor's result for an element type: typefunctor::get().
  template <typename OpFunctor, typename... Args>
  static std::vector<char> callOpFunctor(DataType dtype, Args&&... args) {
    return typefunctor::get<OpFunctor, std::vector<char>>(dtype, std::forward<Args>(args)...);
  }

 private:
  Op* op_;
};

/// One that gives what the compiler computes.
class CompilerConstExprOp : public ConstExprOp {
 public:
  using ConstExprOp::ConstExprOp;
  ~CompilerConstExprOp() override;
  std::vector<char> compute() override;
};

/// Puts constants in the place of operators, in graphs that a program makes. The compiler does so
/// with those of a model when it imports it.
class ConstExprUtil {
 public:
  /// Whether there is a ConstExprOp for it and all its inputs have values: constants, and variables
  /// where the graph is not trained.
  static bool isComputable(Op* op, Graph& graph);
  /// Whether it should: with the option `enableConstantFoldingOfMultipleConsumers` always, else if
  /// nothing else reads its inputs.
  static bool shouldBeFolded(Op* op, Graph& graph);
  /// Puts a constant in its place.
  /// \throws error if there is no ConstExprOp for it
  static void processOp(Op* op, Graph& graph);
  /// Does so with all that are computable and should be, until there is none left.
  static void foldConstants(Graph& graph);
};

/// The ConstExprOps, by the types of their operators.
class ConstExprOpManager {
 public:
  using ConstExprOpFactoryFunc = std::function<std::unique_ptr<ConstExprOp>(Op* op)>;

  /// One that is there for the type is replaced. The compiler computes operators of libraries by
  /// it, too.
  static void registerConstExprOp(const std::string& type, ConstExprOpFactoryFunc func);
  /// \throws error if there is none for its type
  static std::unique_ptr<ConstExprOp> createConstExprOp(Op* op);
  static bool hasConstExprOp(Op* op);
};

/// Registers one when its library is loaded: define a static object of this type.
template <class OP>
class ConstExprOpCreator {
 public:
  ConstExprOpCreator(const std::string& type) {
    ConstExprOpManager::registerConstExprOp(
        type, [](Op* op) { return std::unique_ptr<ConstExprOp>(new OP(op)); });
  }
};

}  // namespace popart

#pragma GCC visibility pop

#endif

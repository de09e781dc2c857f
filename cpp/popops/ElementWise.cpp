#include <popops/ElementWise.hpp>
#include <popops/ElementWiseUtil.hpp>
#include <poputil/Broadcast.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <functional>
#include <memory>
#include <sstream>

#include "kernels/elementwise/expression.hpp"
#include "poplar/bulk_vertex.hpp"
#include "poplar/library_options.hpp"
#include "poplar/view.hpp"
#include "popops/compile_expressions.hpp"

namespace popops {
namespace {

using popir::Access;
using popir::MapProgram;
using poplar::Tensor;
using Expressions = std::vector<const expr::Expr*>;

/// True if two tensors of one shape refer to the same elements in the same order.
bool sameView(const Tensor& a, const Tensor& b) {
  return a == b || a.view().sameElements(b.view());
}

/// One call of map(), mapInPlace() or mapWithOutput(): compiles the expressions and adds the
/// vertex.
class Mapping {
 public:
  Mapping(poplar::Graph& graph, const char* function, const Expressions& exprs,
          const std::vector<Tensor>& ts, poplar::program::Sequence& prog,
          const poplar::DebugContext& debugContext,
          popir::Activation activation = popir::Activation::None)
      : graph_(graph), prog_(prog), debugContext_(debugContext), activation_(activation) {
    const std::string path = debugContext.getPathName();
    who_ = std::string("popops::") + function + (path.empty() ? "" : " '" + path + "'");
    std::vector<poplar::Type> types;
    for (std::size_t i = 0; i < ts.size(); ++i) {
      if (!ts[i].valid()) fail("tensor " + std::to_string(i) + " is not a valid tensor");
      types.push_back(ts[i].elementType());
    }
    compiled_ = popir::compileExpressions(exprs, types, who_);
    inputs_.resize(compiled_.program.inputCount());
    for (const MapProgram::Value& v : compiled_.program.values())
      if (v.kind == MapProgram::Kind::Input) inputs_[v.data] = ts[v.data];
  }

  std::vector<Tensor> toNewTensors() {
    matchInputs();
    std::vector<Tensor> candidates, outs;
    for (const Tensor& t : inputs_)
      if (t.valid()) candidates.push_back(t);
    if (candidates.empty()) fail("the expression uses no tensor, so there is no shape for it");
    for (const poplar::Type& type : compiled_.types)
      outs.push_back(createOutputForElementWiseOp(graph_, candidates, type, debugContext_));
    addVertex(outs);
    return outs;
  }

  void toTensors(const std::vector<Tensor>& outs) {
    for (std::size_t k = 0; k < outs.size(); ++k) {
      if (outs[k].elementType() != compiled_.types[k])
        fail("the result has type " + compiled_.types[k].toString() +
             ", the tensor to be written " + outs[k].elementType().toString());
      if (outs[k].shape() != outs.front().shape())
        fail("the tensors to be written have shapes " + outs.front().shapeToString() + " and " +
             outs[k].shapeToString());
      for (std::size_t j = 0; j < k; ++j)
        if (outs[j].intersectsWith(outs[k])) fail("two of the tensors to be written overlap");
    }
    // Leading dimensions of 1 add no element.
    for (Tensor& t : inputs_)
      while (t.valid() && t.rank() > outs.front().rank() && t.dim(0) == 1) t = t[0];
    const auto original = inputs_;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      if (!inputs_[i].valid()) continue;
      try {
        poputil::broadcastToMatch(inputs_[i], outs.front().shape());
      } catch (const poputil::poplibs_error&) {
        fail("tensor _" + std::to_string(i + 1) + " has shape " + inputs_[i].shapeToString() +
             ", the tensor to be written " + outs.front().shapeToString());
      }
      // If an output partly overlaps an input, read the input from a copy.
      const bool overlaps = std::any_of(outs.begin(), outs.end(), [&](const Tensor& out) {
        return !sameView(inputs_[i], out) && inputs_[i].intersectsWith(out);
      });
      if (!overlaps) continue;
      inputs_[i] = graph_.clone(original[i], {debugContext_, "overlap"});
      prog_.add(poplar::program::Copy(original[i], inputs_[i], false, debugContext_));
      poputil::broadcastToMatch(inputs_[i], outs.front().shape());
    }
    addVertex(outs);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw poputil::poplibs_error(who_ + ": " + what);
  }

  void matchInputs() {
    Tensor* first = nullptr;
    for (Tensor& t : inputs_) {
      if (!t.valid()) continue;
      if (first) match(*first, t);
      if (!first) first = &t;
    }
    // The first input has the common shape now. Broadcast the others to it.
    for (Tensor& t : inputs_)
      if (t.valid()) poputil::broadcastToMatch(t, first->shape());
  }

  void match(Tensor& a, Tensor& b) const {
    try {
      poputil::broadcastToMatch(a, b);
    } catch (const poputil::poplibs_error& e) {
      fail(e.what());
    }
  }

  void addVertex(const std::vector<Tensor>& outs) {
    std::vector<popir::BulkOperand> operands;
    std::vector<std::size_t> inputs(inputs_.size()), outputs;
    for (const Tensor& out : outs) {
      outputs.push_back(operands.size());
      operands.push_back({out, Access::Write});
    }
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      if (!inputs_[i].valid()) continue;
      std::size_t o = 0;
      while (o < outs.size() && !sameView(inputs_[i], outs[o])) ++o;
      inputs[i] = o < outs.size() ? o : operands.size();
      if (o < outs.size())
        operands[o].access = Access::ReadWrite;
      else
        operands.push_back({inputs_[i], Access::Read});
    }
    auto kernel = std::make_shared<popir::MapKernel>(
        std::move(compiled_.program), std::move(inputs), std::move(outputs), activation_);
    popir::addBulkVertex(graph_, prog_, std::move(kernel), std::move(operands), debugContext_);
  }

  poplar::Graph& graph_;
  poplar::program::Sequence& prog_;
  const poplar::DebugContext& debugContext_;
  popir::Activation activation_;
  std::string who_;
  popir::CompiledExpressions compiled_;
  /// By placeholder; invalid if unused.
  std::vector<Tensor> inputs_;
};

/// What the option costedAs says that the expressions are.
/// \throws poplar::invalid_option if several expressions, which are one vertex, are to be one
/// activation
popir::Activation costedAs(const char* function, const poplar::OptionFlags& options,
                           std::size_t expressions = 1) {
  std::string given = "expression";
  for (const auto& [name, value] : options)
    if (name == "costedAs") given = value;
  std::istringstream names(popir::kActivationNames);
  int found = 0;
  for (std::string name; names >> name && name != given;) ++found;
  const auto activation = static_cast<popir::Activation>(found);
  if (activation != popir::Activation::None && expressions > 1)
    throw poplar::invalid_option(std::string("popops::") + function + ": costedAs is '" + given +
                                 "' for " + std::to_string(expressions) +
                                 " expressions, which are one vertex; expected is one expression");
  return activation;
}

Expressions pointers(const std::vector<expr::Any>& exprs) {
  Expressions p;
  for (const expr::Any& e : exprs) p.push_back(&static_cast<const expr::Expr&>(e));
  return p;
}

void checkCount(const char* function, bool fits, std::size_t expressions, std::size_t tensors) {
  if (!fits || expressions == 0)
    throw poputil::poplibs_error(std::string("popops::") + function + ": " +
                                 std::to_string(expressions) + " expressions for " +
                                 std::to_string(tensors) + " tensors to be written");
}

}  // namespace

Tensor map(poplar::Graph& graph, const expr::Expr& expr, const std::vector<Tensor>& ts,
           poplar::program::Sequence& prog, const poplar::DebugContext& debugContext,
           const poplar::OptionFlags& options) {
  popir::checkLibraryOptions("popops::map", popir::Library::Map, options);
  return Mapping(graph, "map", {&expr}, ts, prog, debugContext, costedAs("map", options))
      .toNewTensors()
      .front();
}

std::vector<Tensor> map(poplar::Graph& graph, const std::vector<expr::Any>& exprs,
                        const std::vector<Tensor>& ts, poplar::program::Sequence& prog,
                        const poplar::DebugContext& debugContext,
                        const poplar::OptionFlags& options) {
  std::vector<Tensor> outs;
  for (const expr::Any& e : exprs) outs.push_back(map(graph, e, ts, prog, debugContext, options));
  return outs;
}

void mapInPlace(poplar::Graph& graph, const expr::Expr& expr, const std::vector<Tensor>& ts,
                poplar::program::Sequence& prog, const poplar::DebugContext& debugContext,
                const poplar::OptionFlags& options) {
  popir::checkLibraryOptions("popops::mapInPlace", popir::Library::Map, options);
  checkCount("mapInPlace", !ts.empty(), 1, ts.size());
  Mapping(graph, "mapInPlace", {&expr}, ts, prog, debugContext, costedAs("mapInPlace", options))
      .toTensors({ts.front()});
}

void mapInPlace(poplar::Graph& graph, const std::vector<expr::Any>& exprs,
                const std::vector<Tensor>& ts, poplar::program::Sequence& prog,
                const poplar::DebugContext& debugContext, const poplar::OptionFlags& options) {
  popir::checkLibraryOptions("popops::mapInPlace", popir::Library::Map, options);
  checkCount("mapInPlace", exprs.size() <= ts.size(), exprs.size(), ts.size());
  const auto end = ts.begin() + static_cast<std::ptrdiff_t>(exprs.size());
  Mapping(graph, "mapInPlace", pointers(exprs), ts, prog, debugContext,
          costedAs("mapInPlace", options, exprs.size()))
      .toTensors({ts.begin(), end});
}

void mapWithOutput(poplar::Graph& graph, const expr::Expr& expr, const std::vector<Tensor>& ts,
                   const Tensor& out, poplar::program::Sequence& prog,
                   const poplar::DebugContext& debugContext, const poplar::OptionFlags& options) {
  popir::checkLibraryOptions("popops::mapWithOutput", popir::Library::Map, options);
  Mapping(graph, "mapWithOutput", {&expr}, ts, prog, debugContext,
          costedAs("mapWithOutput", options))
      .toTensors({out});
}

void mapWithOutput(poplar::Graph& graph, const std::vector<expr::Any>& exprs,
                   const std::vector<Tensor>& ts, const std::vector<Tensor>& outs,
                   poplar::program::Sequence& prog, const poplar::DebugContext& debugContext,
                   const poplar::OptionFlags& options) {
  popir::checkLibraryOptions("popops::mapWithOutput", popir::Library::Map, options);
  checkCount("mapWithOutput", exprs.size() == outs.size(), exprs.size(), outs.size());
  Mapping(graph, "mapWithOutput", pointers(exprs), ts, prog, debugContext,
          costedAs("mapWithOutput", options, exprs.size()))
      .toTensors(outs);
}

namespace {

/// `op` of a tensor and one number, in a type that may differ from theirs. It is worked out in the
/// wider type of the two.
poplar::Tensor inType(poplar::Graph& graph, const char* function, expr::BinaryOpType op,
                      const Tensor& src, const Tensor& epsilon, poplar::program::Sequence& prog,
                      const poplar::Type& dstType, const poplar::Type& other,
                      const poplar::DebugContext& debugContext) {
  const auto fail = [&](const std::string& why) {
    throw poputil::poplibs_error(std::string("popops::") + function + ": " + why);
  };
  if (!src.valid() || !epsilon.valid()) fail("src or epsilon is not a valid tensor");
  const poplar::Type type = src.elementType();
  if (dstType != type && dstType != other)
    fail("the result of " + type.toString() + " has that type or " + other.toString() +
         "; given was " + dstType.toString());
  if (epsilon.elementType() != type)
    fail("epsilon has the type of src, " + type.toString() + "; given was " +
         epsilon.elementType().toString());
  if (epsilon.numElements() != 1)
    fail("epsilon has one element; given was the shape " + epsilon.shapeToString());
  const Tensor one = epsilon.reshape({});
  if (dstType == type)
    return map(graph, expr::BinaryOp(op, expr::_1, expr::_2), {src, one}, prog, debugContext);
  if (dstType != poplar::FLOAT)
    return map(graph, expr::Cast(expr::BinaryOp(op, expr::_1, expr::_2), dstType), {src, one}, prog,
               debugContext);
  const expr::Cast a(expr::_1, dstType), b(expr::_2, dstType);
  return map(graph, expr::BinaryOp(op, a, b), {src, one}, prog, debugContext);
}

/// A constant of the type of `src`.
Tensor numberFor(poplar::Graph& graph, const Tensor& src, float number,
                 const poplar::DebugContext& debugContext) {
  const Tensor constant = graph.addConstant(src.elementType(), {}, number, debugContext);
  graph.setTileMapping(constant, 0);
  return constant;
}

}  // namespace

Tensor varianceToInvStdDev(poplar::Graph& graph, const Tensor& src, const Tensor& epsilon,
                           poplar::program::Sequence& prog, const poplar::Type dstType,
                           const poplar::DebugContext& debugContext) {
  return inType(graph, "varianceToInvStdDev", expr::BinaryOpType::VARIANCE_TO_INV_STD_DEV, src,
                epsilon, prog, dstType, poplar::HALF, debugContext);
}
Tensor varianceToInvStdDev(poplar::Graph& graph, const Tensor& src, const float epsilon,
                           poplar::program::Sequence& prog, const poplar::Type dstType,
                           const poplar::DebugContext& debugContext) {
  return varianceToInvStdDev(graph, src, numberFor(graph, src, epsilon, debugContext), prog,
                             dstType, debugContext);
}
Tensor invStdDevToVariance(poplar::Graph& graph, const Tensor& src, const Tensor& epsilon,
                           poplar::program::Sequence& prog, const poplar::Type dstType,
                           const poplar::DebugContext& debugContext) {
  return inType(graph, "invStdDevToVariance", expr::BinaryOpType::INV_STD_DEV_TO_VARIANCE, src,
                epsilon, prog, dstType, poplar::FLOAT, debugContext);
}
Tensor invStdDevToVariance(poplar::Graph& graph, const Tensor& src, const float epsilon,
                           poplar::program::Sequence& prog, const poplar::Type dstType,
                           const poplar::DebugContext& debugContext) {
  return invStdDevToVariance(graph, src, numberFor(graph, src, epsilon, debugContext), prog,
                             dstType, debugContext);
}

}  // namespace popops

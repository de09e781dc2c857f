#include <popart/op/castthenpow2scale.hpp>
#include <popart/op/pow2scalethencast.hpp>
#include <popart/util/float8util.hpp>

#include "popart/builtins.hpp"
#include "popart/op/copy_of.hpp"

namespace popart {

Pow2ScaleThenCastOp::~Pow2ScaleThenCastOp() = default;
CastThenPow2ScaleOp::~CastThenPow2ScaleOp() = default;
std::unique_ptr<Op> Pow2ScaleThenCastOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> CastThenPow2ScaleOp::clone() const { return copyOf(*this); }

void Pow2ScaleThenCastOp::setup() {
  if (link() != nullptr && popir::builtinClass(*this) != nullptr) return builtin::setup(*this);
  if (!isFloat8(to_)) throw error("{}: to {}; expected is an 8-bit float", debugName(), to_);
  outInfo(getOutIndex()) = {to_, inShape(getInIndex())};
}

void CastThenPow2ScaleOp::setup() {
  if (link() != nullptr && popir::builtinClass(*this) != nullptr) return builtin::setup(*this);
  if (!isFloat8(inInfo(getInIndex()).dataType()))
    throw error("{}: from {}; expected is an 8-bit float", debugName(),
                inInfo(getInIndex()).dataType());
  outInfo(getOutIndex()) = {to_, inShape(getInIndex())};
}

}  // namespace popart

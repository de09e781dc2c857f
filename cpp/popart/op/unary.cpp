// The classes of element-wise operators with one input that have nothing of their own.
#include <popart/op/abs.hpp>
#include <popart/op/ceil.hpp>
#include <popart/op/cos.hpp>
#include <popart/op/erf.hpp>
#include <popart/op/exp.hpp>
#include <popart/op/floor.hpp>
#include <popart/op/log.hpp>
#include <popart/op/reciprocal.hpp>
#include <popart/op/sigmoid.hpp>
#include <popart/op/sign.hpp>
#include <popart/op/sin.hpp>
#include <popart/op/softsign.hpp>
#include <popart/op/sqrt.hpp>
#include <popart/op/tan.hpp>
#include <popart/op/tanh.hpp>

#include "popart/op/copy_of.hpp"

namespace popart {

SqrtOp::~SqrtOp() = default;
ExpOp::~ExpOp() = default;
LogOp::~LogOp() = default;
AbsOp::~AbsOp() = default;
TanhOp::~TanhOp() = default;
SigmoidOp::~SigmoidOp() = default;
SinOp::~SinOp() = default;
CosOp::~CosOp() = default;
TanOp::~TanOp() = default;
FloorOp::~FloorOp() = default;
CeilOp::~CeilOp() = default;
ReciprocalOp::~ReciprocalOp() = default;
ErfOp::~ErfOp() = default;
SignOp::~SignOp() = default;
SoftSignOp::~SoftSignOp() = default;

std::unique_ptr<Op> SqrtOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> ExpOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> LogOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> AbsOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> TanhOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> SigmoidOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> SinOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> CosOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> TanOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> FloorOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> CeilOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> ReciprocalOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> ErfOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> SignOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> SoftSignOp::clone() const { return copyOf(*this); }

}  // namespace popart

#include "kernels/reduction/softmax_rows.hpp"

#include "kernels/vector/isa.hpp"

namespace popir {

const SoftmaxRows* softmaxRows() { return isa() == Isa::Avx512 ? &avx512::kSoftmaxRows : nullptr; }

}  // namespace popir

#include "popart/link.hpp"

namespace popir {

OpLink::~OpLink() = default;
GraphLink::~GraphLink() = default;
TensorLink::~TensorLink() = default;

}  // namespace popir

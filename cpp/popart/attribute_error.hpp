// Thrown for an attribute that is missing or has the wrong type. In Python: OperatorAttributeError.
#ifndef popir_popart_attribute_error_hpp
#define popir_popart_attribute_error_hpp

#include <popart/error.hpp>

namespace popir {

class __attribute__((visibility("default"))) AttributeError : public popart::error {
 public:
  using popart::error::error;
  ~AttributeError() override;
};

}  // namespace popir

#endif

// The records behind the registered operators and kernels.
#ifndef popir_foreign_habana_registry_hpp
#define popir_foreign_habana_registry_hpp

#include <habana/tf/registration.hpp>

#include <string>
#include <vector>

namespace popir::foreign::habana {

struct RegisteredOp {
  std::string library;
  tensorflow::OpDefBuilder definition;
};
struct RegisteredKernel {
  std::string library;
  tensorflow::KernelDefBuilder definition;
  tensorflow::FunctorFactory functor;
  std::size_t number;
  bool forgotten;
};

/// Notes what a static object at `from` registers.
void note(const void* from, const tensorflow::OpDefBuilder& definition);
void note(const void* from, const tensorflow::KernelDefBuilder& definition,
          tensorflow::FunctorFactory functor);

/// Null if there is no kernel of that number.
tensorflow::FunctorFactory functorOf(std::size_t kernel);
/// Null if the operator has none.
tensorflow::OpShapeInferenceFn shapeFunctionOf(const std::string& library, const std::string& op);

}  // namespace popir::foreign::habana

#endif

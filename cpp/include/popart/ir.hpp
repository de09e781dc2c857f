// popart/ir.hpp: the whole program that a graph belongs to.
#ifndef popart_ir_hpp
#define popart_ir_hpp

#include <popart/names.hpp>

#pragma GCC visibility push(default)

namespace popart {

class Ir {
 public:
  Ir() = default;
  Ir(const Ir&) = delete;
  Ir& operator=(const Ir&) = delete;

  Graph& getMainGraph() { return *main_; }
  const Graph& getMainGraph() const { return *main_; }
  /// A name that no tensor of the main graph has, made from `base`; another one each time.
  TensorId createIntermediateTensorId(const TensorId& base);
  /// The version of a domain's operators that the model asks for; 0 where it asks for none.
  int getOpSetVersionFromModel(const std::string& domain) const;

 private:
  friend class Graph;
  Graph* main_ = nullptr;
  unsigned made_ = 0;
};

}  // namespace popart

#pragma GCC visibility pop

#endif

// Links from C++ objects of the IR to the compiler's objects. The bindings derive from these
// classes.
//
// The compiler's object owns its C++ object. The link refers back. Exception: C++ code may hold an
// Op in a unique_ptr for a while; during that time its link keeps the compiler's object alive.
#ifndef popir_popart_link_hpp
#define popir_popart_link_hpp

#include <popart/names.hpp>
#include <popart/tensordata.hpp>
#include <popart/tensorinfo.hpp>
#include <popart/variablesettings.hpp>

#include <memory>
#include <vector>

namespace popir {

#pragma GCC visibility push(default)

class OpLink {
 public:
  virtual ~OpLink();
};

class GraphLink {
 public:
  virtual ~GraphLink();
};

class TensorLink {
 public:
  virtual ~TensorLink();
  /// Type and shape as known to the compiler.
  popart::TensorInfo known;
  /// The value of a constant, fetched when C++ code first asks for it.
  std::unique_ptr<popart::TensorData> data;
  /// True if the tensor is in touchedTensors().
  bool touched = false;
  /// Of a tensor beside the graph that was given some.
  std::unique_ptr<popart::VariableSettings> settings;
  /// False for a tensor beside the graph, which the compiler does not know.
  bool isInGraph = true;
};

/// Records that C++ code gets write access to the tensor's info.
void touch(popart::Tensor& tensor);
/// The tensors touched since forgetTouched(). Their infos may have changed.
const std::vector<popart::Tensor*>& touchedTensors();
void forgetTouched();

/// What the compiler had of the operator that this one is a copy of, IrCalls::origin; null if it is
/// no copy of one that the compiler has.
std::shared_ptr<void> originOf(const popart::Op& op);

/// Number of existing operators, for tests of ownership.
long liveOps();

#pragma GCC visibility pop

}  // namespace popir

#endif

// What ties a C++ object of the IR to the compiler's own. The bindings derive from these.
//
// The compiler's object owns its C++ side for life; the links know the way back. An Op alone may be
// owned from C++ for a while, by a unique_ptr: its link then keeps the compiler's object.
#ifndef popir_popart_link_hpp
#define popir_popart_link_hpp

#include <popart/names.hpp>
#include <popart/tensordata.hpp>
#include <popart/tensorinfo.hpp>

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
  /// The info that the compiler has.
  popart::TensorInfo known;
  /// The value of a constant that C++ code has asked for.
  std::unique_ptr<popart::TensorData> data;
  /// Whether the tensor is one of touchedTensors().
  bool touched = false;
};

/// C++ code is about to be given a way to write the tensor's info.
void touch(popart::Tensor& tensor);
/// The tensors whose infos C++ code may have written since forgetTouched().
const std::vector<popart::Tensor*>& touchedTensors();
void forgetTouched();

/// How many operators live, for tests of who owns what.
long liveOps();

#pragma GCC visibility pop

}  // namespace popir

#endif

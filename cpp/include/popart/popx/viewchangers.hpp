// Views between a tensor as it is created and as the model has it. After popart/popx/viewchangers.hpp
// of PopART 3.
#ifndef popart_popx_viewchangers_hpp
#define popart_popx_viewchangers_hpp

#include <poplar/Tensor.hpp>
#include <snap/Tensor.hpp>

#include <memory>
#include <typeinfo>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

/// A view of a tensor; by default the tensor itself.
class ViewChanger {
 public:
  virtual ~ViewChanger() {}
  virtual poplar::Tensor apply(poplar::Tensor tensor) const {
    return apply(snap::Tensor(tensor)).getPoplarTensor();
  }
  /// What a view for PopART 2.3 to 3.1 overrides instead.
  virtual snap::Tensor apply(snap::Tensor tensor) const { return tensor; }
  virtual bool containsAllDataRegions() const { return true; }
  virtual bool operator==(const ViewChanger& other) const { return typeid(*this) == typeid(other); }
  virtual bool operator!=(const ViewChanger& other) const { return !(*this == other); }
};

/// Several views, one after the other.
class ViewChangers {
 public:
  ViewChangers() = default;
  ViewChangers(std::vector<std::shared_ptr<ViewChanger>> viewChangers)
      : all_(std::move(viewChangers)) {}

  poplar::Tensor apply(poplar::Tensor tensor) const {
    for (const auto& one : all_) tensor = one->apply(tensor);
    return tensor;
  }
  snap::Tensor apply(snap::Tensor tensor) const {
    const poplar::Tensor view = apply(tensor.getPoplarTensor());
    return tensor.graph() == nullptr ? snap::Tensor(view) : snap::Tensor(view, *tensor.graph());
  }
  bool empty() const { return all_.empty(); }
  bool operator==(const ViewChangers& other) const {
    if (all_.size() != other.all_.size()) return false;
    for (std::size_t i = 0; i < all_.size(); ++i)
      if (*all_[i] != *other.all_[i]) return false;
    return true;
  }
  bool operator!=(const ViewChangers& other) const { return !(*this == other); }

 private:
  std::vector<std::shared_ptr<ViewChanger>> all_;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif

// Ids of inputs and outputs with the functions that a node of ONNX has. After popart/pbwrap.hpp of PopART 3.
#ifndef popart_pbwrap_hpp
#define popart_pbwrap_hpp

#include <popart/names.hpp>

#include <map>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// A list of ids, which outlives this.
class InputVecWrapper {
 public:
  explicit InputVecWrapper(const std::vector<TensorId>& inputs) : ids_(inputs) {}
  int input_size() const { return static_cast<int>(ids_.size()); }
  /// \throws std::out_of_range for a place that there is not
  const TensorId& input(int index) const { return ids_.at(static_cast<std::size_t>(index)); }

 private:
  const std::vector<TensorId>& ids_;
};

class OutputVecWrapper {
 public:
  explicit OutputVecWrapper(const std::vector<TensorId>& outputs) : ids_(outputs) {}
  int output_size() const { return static_cast<int>(ids_.size()); }
  /// \throws std::out_of_range for a place that there is not
  const TensorId& output(int index) const { return ids_.at(static_cast<std::size_t>(index)); }

 private:
  const std::vector<TensorId>& ids_;
};

/// Ids by index, which outlive this. One that is left out is empty.
class IOMapWrapper {
 public:
  explicit IOMapWrapper(const std::map<int, TensorId>& ids) : ids_(ids) {}
  const TensorId& idAt(int index) const {
    const auto found = ids_.find(index);
    return found == ids_.end() ? none_ : found->second;
  }
  /// The last index, and one.
  int get_size() const { return ids_.empty() ? 0 : ids_.rbegin()->first + 1; }

 private:
  const std::map<int, TensorId>& ids_;
  const TensorId none_;
};

class InputMapWrapper : public IOMapWrapper {
 public:
  using IOMapWrapper::IOMapWrapper;
  const TensorId& input(int index) const { return idAt(index); }
  int input_size() const { return get_size(); }
};

class OutputMapWrapper : public IOMapWrapper {
 public:
  using IOMapWrapper::IOMapWrapper;
  const TensorId& output(int index) const { return idAt(index); }
  int output_size() const { return get_size(); }
};

}  // namespace popart

#pragma GCC visibility pop

#endif

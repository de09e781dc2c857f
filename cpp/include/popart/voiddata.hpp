// A host buffer with the type and shape of its contents. After popart/voiddata.hpp of PopART 3.
#ifndef popart_voiddata_hpp
#define popart_voiddata_hpp

#include <popart/tensorinfo.hpp>

#include <memory>
#include <utility>
#include <vector>

namespace popart {

/// A read-only buffer, which is not owned unless store() gave it.
class ConstVoidData {
 public:
  ConstVoidData() = default;
  ConstVoidData(const void* data_, const TensorInfo& info_) : data(data_), info(info_) {}

  /// Keeps a buffer, as long as there is this or a copy of it.
  void store(std::vector<char>&& bytes, const TensorInfo& info_) {
    stored_ = std::make_shared<const std::vector<char>>(std::move(bytes));
    data = stored_->data();
    info = info_;
  }
  bool storesData() const { return stored_ != nullptr; }

  const void* data = nullptr;
  TensorInfo info;

 private:
  std::shared_ptr<const std::vector<char>> stored_;
};

/// A writable buffer. Not owned.
class MutableVoidData {
 public:
  void* data = nullptr;
  TensorInfo info;
};

}  // namespace popart

#endif

// Interface of arrays on the host. After popart/iarray.hpp of PopART 3.
#ifndef popart_iarray_hpp
#define popart_iarray_hpp

#include <popart/datatype.hpp>
#include <popart/names.hpp>

#include <cstddef>

namespace popart {

/// An array on the host: elements in row-major order, their type and shape.
class IArray {
 public:
  IArray() = default;
  virtual ~IArray() = default;

  virtual void* data() = 0;
  virtual DataType dataType() const = 0;
  virtual std::size_t rank() const = 0;
  virtual int64_t dim(std::size_t index) const = 0;
  virtual std::size_t nelms() const = 0;
  virtual const Shape shape() const = 0;
};

}  // namespace popart

#endif

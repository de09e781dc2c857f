#include "engine/print_tensor.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sstream>

#include "poplar/graph_impl.hpp"

namespace popir {
namespace {

using Format = poplar::PrintTensorFmt;
using FloatFormat = Format::FloatFormat;

bool isFloating(poplar::Type type) {
  return type == poplar::HALF || type == poplar::FLOAT || type == poplar::DOUBLE ||
         type == poplar::BFLOAT16 || type == poplar::QUARTER;
}

class Printer {
 public:
  Printer(poplar::Type type, const void* values, const std::vector<std::int64_t>& shape,
          const Format& format)
      : type_(type), shape_(shape), format_(format) {
    std::size_t n = 1;
    for (const auto d : shape) n *= static_cast<std::size_t>(d);
    summarised_ = n > format.summariseThreshold;
    values_.resize(n);
    integers_.resize(isFloating(type) ? 0 : n);
    if (isFloating(type)) {
      convertValues(type, values, poplar::DOUBLE, values_.data(), n);
      chooseFloat();
    } else {
      convertValues(type, values, poplar::LONGLONG, integers_.data(), n);
      // One width for all values, so that they are aligned.
      for (std::size_t i = 0; i < n; ++i) width_ = std::max(width_, integer(i).size());
    }
  }

  std::string text() {
    print(0, 0);
    return os_.str();
  }

 private:
  // One number format for all values, so that their decimal points are aligned.
  void chooseFloat() {
    double largest = 0, smallest = INFINITY;
    for (const double v : values_) {
      if (!std::isfinite(v) || v == 0) continue;
      largest = std::max(largest, std::fabs(v));
      smallest = std::min(smallest, std::fabs(v));
    }
    const int digits = static_cast<int>(std::max(format_.digits, 1u));
    const int before = largest < 1 ? 1 : static_cast<int>(std::floor(std::log10(largest))) + 1;
    scientific_ = format_.floatFormat == FloatFormat::Scientific ||
                  (format_.floatFormat == FloatFormat::Auto &&
                   (before >= digits || (largest > 0 && smallest < std::pow(10, -digits / 2))));
    decimals_ = scientific_ ? digits - 1 : std::max(digits - before, 0);
  }

  std::string integer(std::size_t i) const {
    if (type_ == poplar::UNSIGNED_LONGLONG)
      return std::to_string(static_cast<std::uint64_t>(integers_[i]));
    return std::to_string(integers_[i]);
  }

  std::string element(std::size_t i) const {
    if (!isFloating(type_)) {
      const auto text = integer(i);
      return std::string(width_ - text.size(), ' ') + text;
    }
    const double v = values_[i];
    if (std::isnan(v)) return "nan";
    if (std::isinf(v)) return v > 0 ? "inf" : "-inf";
    if (format_.floatFormat == FloatFormat::None) {
      std::ostringstream os;
      os << v;
      return os.str();
    }
    char text[400];
    std::snprintf(text, sizeof text, scientific_ ? "%.*e" : "%.*f", decimals_, v);
    return text;
  }

  // Indices of the elements of a dimension to print; -1 stands for the elements left out.
  std::vector<std::int64_t> shown(std::size_t dimension) const {
    const auto n = shape_[dimension], edge = static_cast<std::int64_t>(format_.edgeItems);
    std::vector<std::int64_t> which;
    for (std::int64_t i = 0; i < n; ++i) {
      if (!summarised_ || i < edge || i >= n - edge)
        which.push_back(i);
      else if (i == edge)
        which.push_back(-1);
    }
    return which;
  }

  void row(std::size_t dimension, std::size_t first) {
    const std::string indent(dimension + 1, ' ');
    std::size_t width = dimension + 1;
    bool start = true;
    for (const auto i : shown(dimension)) {
      const auto text = i < 0 ? "..." : element(first + static_cast<std::size_t>(i));
      if (!start && format_.maxLineWidth > 0 && width + text.size() + 1 > format_.maxLineWidth) {
        os_ << "\n" << indent;
        width = indent.size();
      } else if (!start) {
        os_ << format_.separator;
        ++width;
      }
      os_ << text;
      width += text.size();
      start = false;
    }
  }

  void print(std::size_t dimension, std::size_t first) {
    if (dimension == shape_.size()) {
      os_ << element(first);
      return;
    }
    os_ << format_.openBracket;
    if (dimension + 1 == shape_.size()) {
      row(dimension, first);
    } else {
      std::size_t step = 1;
      for (std::size_t d = dimension + 1; d < shape_.size(); ++d)
        step *= static_cast<std::size_t>(shape_[d]);
      for (const auto i : shown(dimension)) {
        os_ << "\n" << std::string(dimension + 1, ' ');
        if (i < 0)
          os_ << "...";
        else
          print(dimension + 1, first + static_cast<std::size_t>(i) * step);
      }
      os_ << "\n" << std::string(dimension, ' ');
    }
    os_ << format_.closeBracket;
  }

  const poplar::Type type_;
  const std::vector<std::int64_t>& shape_;
  const Format& format_;
  std::vector<double> values_;
  std::vector<std::int64_t> integers_;
  bool summarised_ = false, scientific_ = false;
  int decimals_ = 0;
  std::size_t width_ = 0;
  std::ostringstream os_;
};

}  // namespace

std::string tensorText(poplar::Type type, const void* values,
                       const std::vector<std::int64_t>& shape, const Format& format) {
  return Printer(type, values, shape, format).text();
}

}  // namespace popir

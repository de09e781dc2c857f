// Pickling and equality of classes that are plain values.
#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <tuple>
#include <utility>

namespace popir {

/// Pickles and copies a value as the tuple of `members`, from which its constructor makes it.
template <class T, class... Members>
auto pickled(Members T::*... members) {
  return pybind11::pickle(
      [members...](const T& value) { return std::make_tuple(value.*members...); },
      [](std::tuple<Members...> state) {
        return std::apply([](Members&... each) { return T{std::move(each)...}; }, state);
      });
}

/// Adds == and != to a class. An object of another class is not equal.
template <class T>
pybind11::class_<T> withEquality(pybind11::class_<T> c) {
  const auto isEqual = [](const T& value, pybind11::handle other) {
    return pybind11::isinstance<T>(other) && value == other.cast<const T&>();
  };
  c.def("__eq__", isEqual, pybind11::arg("other"))
      .def(
          "__ne__",
          [isEqual](const T& value, pybind11::handle other) { return !isEqual(value, other); },
          pybind11::arg("other"));
  return c;
}

}  // namespace popir

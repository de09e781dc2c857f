#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <tuple>
#include <utility>

namespace popir {

/// For pickle and copy: a value that is its members, in the order of its constructor.
template <class T, class... Members>
auto pickled(Members T::*... members) {
  return pybind11::pickle(
      [members...](const T& value) { return std::make_tuple(value.*members...); },
      [](std::tuple<Members...> state) {
        return std::apply([](Members&... each) { return T{std::move(each)...}; }, state);
      });
}

/// A value equals what is of its class and has the same members.
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

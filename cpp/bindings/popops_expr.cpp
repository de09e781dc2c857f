// popir.popops: expressions and element-wise functions.
//
// There are three Python classes of operators: UnaryOp, BinaryOp and TernaryOp. Add, Tanh, ... are
// functions that make such nodes; a node has its operator in `opType`. Arguments that are
// expressions may also be numbers. Long, because each group of functions has its words for Python.
#include <pybind11/functional.h>
#include <pybind11/stl.h>
#include <popops/ElementWise.hpp>
#include <popops/ElementWiseUtil.hpp>

#include <cctype>
#include <sstream>

#include "bindings/module.hpp"
#include "bindings/signatures.hpp"

namespace popir {
namespace {

namespace py = pybind11;
namespace pe = popops::expr;
using poplar::DebugContext;
using poplar::Graph;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::program::Sequence;

/// An expression, or a number in its place.
using Operand = OneOf<pe::Expr, double>;

template <class Op>
struct Row {
  const char* node;
  const char* enumerator;
  const char* function;
  Op op;
};
#define POPIR_UNARY_ROW(NODE, OP, FUNCTION) {#NODE, #OP, #FUNCTION, pe::UnaryOpType::OP},
#define POPIR_BINARY_ROW(NODE, OP, FUNCTION) {#NODE, #OP, #FUNCTION, pe::BinaryOpType::OP},
#define POPIR_TERNARY_ROW(NODE, OP, FUNCTION) {#NODE, #OP, #FUNCTION, pe::TernaryOpType::OP},
const Row<pe::UnaryOpType> kUnaryRows[] = {POPOPS_EXPR_UNARY_OPS(POPIR_UNARY_ROW)};
const Row<pe::BinaryOpType> kBinaryRows[] = {POPOPS_EXPR_BINARY_OPS(POPIR_BINARY_ROW)};
const Row<pe::TernaryOpType> kTernaryRows[] = {POPOPS_EXPR_TERNARY_OPS(POPIR_TERNARY_ROW)};

/// The operator's name in words, such as "count leading zeros".
template <class Op>
std::string wordsOf(const Row<Op>& row) {
  std::string words = row.enumerator;
  for (char& c : words) c = c == '_' ? ' ' : static_cast<char>(std::tolower(c));
  return words;
}

template <class Op>
std::string nodeWords(const Row<Op>& row) {
  return "An expression: the operator '" + wordsOf(row) + "' of its operands.";
}

template <class Op>
std::string functionWords(const Row<Op>& row) {
  return "The operator '" + wordsOf(row) + "' of each element, expr." + row.node;
}

/// A Python float keeps its precision of double, for expressions of DOUBLE. Without other operands
/// it is FLOAT.
pe::Const constantOf(py::handle x) {
  const bool numpy = py::hasattr(x, "dtype") && py::hasattr(x, "ndim");
  const bool scalar = !numpy || x.attr("ndim").cast<int>() == 0;
  if (py::isinstance<py::bool_>(x) ||
      (numpy && scalar && x.attr("dtype").attr("kind").cast<std::string>() == "b"))
    return pe::Const(x.cast<bool>());
  if (scalar && py::hasattr(x, "__index__")) {
    const auto i = py::reinterpret_steal<py::object>(PyNumber_Index(x.ptr()));
    if (i) {
      const int bits = i.attr("bit_length")().cast<int>();
      if (bits < 32) return pe::Const(i.cast<int>());
      if (bits < 64 || i < py::int_(0)) return pe::Const(i.cast<long long>());
      return pe::Const(i.cast<unsigned long long>());
    }
    PyErr_Clear();  // Numpy arrays without dimensions have __index__ whatever their dtype.
  }
  if (scalar && py::hasattr(x, "__float__")) {
    const double value = PyFloat_AsDouble(x.ptr());
    if (!PyErr_Occurred()) return pe::Const(poplar::FLOAT, value);
    PyErr_Clear();  // Numpy arrays of text have __float__ too.
  }
  throw py::type_error("an expression or a number is expected, not " +
                       std::string(py::str(py::type::handle_of(x))));
}

pe::Any expressionOf(py::handle x) {
  if (py::isinstance<pe::Expr>(x)) return x.cast<const pe::Expr&>();
  return constantOf(x);
}

/// A node as an object of its Python class.
py::object nodeOf(const pe::Expr& e) {
  switch (e.kind()) {
    case pe::Expr::Kind::Const: return py::cast(*e.getAs<pe::Const>());
    case pe::Expr::Kind::Cast: return py::cast(*e.getAs<pe::Cast>());
    case pe::Expr::Kind::PlaceHolder: return py::cast(*e.getAs<pe::PlaceHolder>());
    case pe::Expr::Kind::Unary: return py::cast(*e.getAs<pe::UnaryOp>());
    case pe::Expr::Kind::Binary: return py::cast(*e.getAs<pe::BinaryOp>());
    case pe::Expr::Kind::Ternary: return py::cast(*e.getAs<pe::TernaryOp>());
  }
  return py::none();
}

std::string text(const pe::Expr& e) {
  std::ostringstream os;
  os << e;
  return os.str();
}

void bindOperators(py::class_<pe::Expr>& c) {
  const auto unary = [&](const char* name, pe::UnaryOpType op) {
    c.def(name, [op](const pe::Expr& a) { return pe::UnaryOp(op, a); });
  };
  const auto binary = [&](const char* name, pe::BinaryOpType op) {
    c.def(
        name,
        [op](const pe::Expr& a, const Operand& b) { return pe::BinaryOp(op, a, expressionOf(b)); },
        py::arg("other"));
  };
  const auto reflected = [&](const char* name, pe::BinaryOpType op) {
    c.def(
        name,
        [op](const pe::Expr& b, const Operand& a) { return pe::BinaryOp(op, expressionOf(a), b); },
        py::arg("other"));
  };
  unary("__neg__", pe::UnaryOpType::NEGATE);
  unary("__invert__", pe::UnaryOpType::BITWISE_NOT);
  unary("__abs__", pe::UnaryOpType::ABSOLUTE);
  const std::pair<const char*, pe::BinaryOpType> symbols[] = {
      {"add", pe::BinaryOpType::ADD},           {"sub", pe::BinaryOpType::SUBTRACT},
      {"mul", pe::BinaryOpType::MULTIPLY},      {"truediv", pe::BinaryOpType::DIVIDE},
      {"mod", pe::BinaryOpType::REMAINDER},     {"pow", pe::BinaryOpType::POWER},
      {"and", pe::BinaryOpType::BITWISE_AND},   {"or", pe::BinaryOpType::BITWISE_OR},
      {"xor", pe::BinaryOpType::BITWISE_XOR},   {"lshift", pe::BinaryOpType::SHIFT_LEFT},
      {"rshift", pe::BinaryOpType::SHIFT_RIGHT}};
  for (const auto& s : symbols) {
    binary((std::string("__") + s.first + "__").c_str(), s.second);
    reflected((std::string("__r") + s.first + "__").c_str(), s.second);
  }
  binary("__lt__", pe::BinaryOpType::LESS_THAN);
  binary("__le__", pe::BinaryOpType::LESS_THAN_EQUAL);
  binary("__gt__", pe::BinaryOpType::GREATER_THAN);
  binary("__ge__", pe::BinaryOpType::GREATER_THAN_EQUAL);
  binary("__eq__", pe::BinaryOpType::EQUAL);
  binary("__ne__", pe::BinaryOpType::NOT_EQUAL);
  c.def("__bool__", [](const pe::Expr& e) -> bool {
    throw py::type_error(text(e) +
                         " has no truth value; combine expressions by expr.And, expr.Or and "
                         "expr.Not, and compare trees by deepEquals");
  });
  c.def("__hash__", [](py::handle self) {
    return py::hash(py::int_(reinterpret_cast<std::uintptr_t>(self.ptr())));
  });
}

using Nodes = py::typing::Tuple<pe::Expr, py::ellipsis>;
using Number = OneOf<bool, long long, double>;

void bindNodes(py::module_& m) {
  py::class_<pe::Expr> base(
      m, "Expr",
      "The base class of expressions over the elements of tensors. Python's operators make\n"
      "expressions too: _1 * 2 is Mul(_1, 2).");
  base.def("__repr__", &text)
      .def("deepEquals", &pe::Expr::deepEquals, py::arg("other"),
           "Whether both are the same tree, with the same operators and with constants of the\n"
           "same values and types. `==` makes an expression.");

  py::enum_<pe::UnaryOpType> unaryOps(m, "UnaryOpType", "Operators of one operand.");
  py::enum_<pe::BinaryOpType> binaryOps(m, "BinaryOpType", "Operators of two operands.");
  py::enum_<pe::TernaryOpType> ternaryOps(m, "TernaryOpType", "Operators of three operands.");
  for (const auto& r : kUnaryRows) unaryOps.value(r.enumerator, r.op);
  for (const auto& r : kBinaryRows) binaryOps.value(r.enumerator, r.op);
  for (const auto& r : kTernaryRows) ternaryOps.value(r.enumerator, r.op);

  py::class_<pe::UnaryOp, pe::Expr> unary(m, "UnaryOp", "An operator and its one operand.");
  py::class_<pe::BinaryOp, pe::Expr> binary(m, "BinaryOp", "An operator and its two operands.");
  py::class_<pe::TernaryOp, pe::Expr> ternary(m, "TernaryOp",
                                              "An operator and its three operands.");
  bindOperators(base);
  py::class_<pe::Const, pe::Expr>(
      m, "Const",
      "A number. It takes the type of the other operands around it, and must be\n"
      "representable in that type. Without such operands its type is `type`, or by default\n"
      "that of the Python value: BOOL, INT, a 64-bit integer if INT is too small, or FLOAT.\n"
      "Raises TypeError for a value that is no number.")
      .def(py::init(&constantOf), py::arg("value"))
      .def(py::init([](const OneOf<double>& x, const poplar::Type& type) {
             const pe::Const c = constantOf(x);
             if (!c.isIntegral()) return pe::Const(type, c.getDataAsDouble());
             const std::uint64_t bits = c.getDataForUnsignedIntegral();
             return c.isNegative() ? pe::Const(type, static_cast<long long>(bits))
                                   : pe::Const(type, static_cast<unsigned long long>(bits));
           }),
           py::arg("value"), py::arg("type"))
      .def_property_readonly("type", &pe::Const::getType, "The type of the number.")
      .def_property_readonly(
          "value",
          [](const pe::Const& c) -> Number {
            if (c.getType() == poplar::BOOL) return py::bool_(c.getDataAsDouble() != 0);
            if (!c.isIntegral()) return py::float_(c.getDataAsDouble());
            const std::uint64_t bits = c.getDataForUnsignedIntegral();
            if (c.isNegative()) return py::int_(static_cast<long long>(bits));
            return py::int_(bits);
          },
          "The number as a bool, int or float.");
  py::class_<pe::PlaceHolder, pe::Expr>(
      m, "PlaceHolder",
      "Stands for tensor number `index`, counted from 1. _1 to _20 are such objects.")
      .def(py::init<unsigned>(), py::arg("index"))
      .def_property_readonly("index", &pe::PlaceHolder::getIndex,
                             "The number of the tensor that it stands for, counted from 1.");
  py::class_<pe::Cast, pe::Expr>(m, "Cast",
                                 "An expression converted to another type, as popops.cast() does.")
      .def(py::init([](const Operand& a, const poplar::Type& type) {
             return pe::Cast(expressionOf(a), type);
           }),
           py::arg("a"), py::arg("type"))
      .def_property_readonly(
          "args", [](const pe::Cast& e) -> Nodes { return py::make_tuple(nodeOf(e.getLHS())); },
          "The expression that is converted.")
      .def_property_readonly("type", &pe::Cast::getRHSType, "The type that it is converted to.");
  unary
      .def(py::init([](pe::UnaryOpType op, const Operand& a) {
             return pe::UnaryOp(op, expressionOf(a));
           }),
           py::arg("opType"), py::arg("a"))
      .def_property_readonly("opType", &pe::UnaryOp::getOpType, "The operator of the node.")
      .def_property_readonly(
          "args", [](const pe::UnaryOp& e) -> Nodes { return py::make_tuple(nodeOf(e.getArg())); },
          "The operands, in their order.");
  binary
      .def(py::init([](pe::BinaryOpType op, const Operand& a, const Operand& b) {
             return pe::BinaryOp(op, expressionOf(a), expressionOf(b));
           }),
           py::arg("opType"), py::arg("a"), py::arg("b"))
      .def_property_readonly("opType", &pe::BinaryOp::getOpType, "The operator of the node.")
      .def_property_readonly(
          "args",
          [](const pe::BinaryOp& e) -> Nodes {
            return py::make_tuple(nodeOf(e.getLHS()), nodeOf(e.getRHS()));
          },
          "The operands, in their order.");
  ternary
      .def(py::init([](pe::TernaryOpType op, const Operand& a, const Operand& b, const Operand& c) {
             return pe::TernaryOp(op, expressionOf(a), expressionOf(b), expressionOf(c));
           }),
           py::arg("opType"), py::arg("a"), py::arg("b"), py::arg("c"))
      .def_property_readonly("opType", &pe::TernaryOp::getOpType, "The operator of the node.")
      .def_property_readonly(
          "args",
          [](const pe::TernaryOp& e) -> Nodes {
            return py::make_tuple(nodeOf(e.getArg0()), nodeOf(e.getArg1()), nodeOf(e.getArg2()));
          },
          "The operands, in their order.");

  for (const auto& r : kUnaryRows)
    m.def(
        r.node, [op = r.op](const Operand& a) { return pe::UnaryOp(op, expressionOf(a)); },
        py::arg("a"), nodeWords(r).c_str());
  for (const auto& r : kBinaryRows)
    m.def(
        r.node,
        [op = r.op](const Operand& a, const Operand& b) {
          return pe::BinaryOp(op, expressionOf(a), expressionOf(b));
        },
        py::arg("a"), py::arg("b"), nodeWords(r).c_str());
  for (const auto& r : kTernaryRows)
    m.def(
        r.node,
        [op = r.op](const Operand& a, const Operand& b, const Operand& c) {
          return pe::TernaryOp(op, expressionOf(a), expressionOf(b), expressionOf(c));
        },
        py::arg("a"), py::arg("b"), py::arg("c"), nodeWords(r).c_str());
  m.def(
      "ConstHalf", [](float x) { return pe::Const(poplar::HALF, x); }, py::arg("value"),
      "A Const of the type HALF.");
  for (unsigned i = 1; i <= 20; ++i) m.attr(("_" + std::to_string(i)).c_str()) = pe::PlaceHolder(i);
  py::list names;  // includes the placeholders _1, _2, ..., which "import *" would leave out
  for (const auto& item : m.attr("__dict__").cast<py::dict>())
    if (item.first.cast<std::string>().rfind("__", 0) != 0) names.append(item.first);
  m.attr("__all__") = names;
}

/// A list of expressions and numbers, from Python.
using Expressions = py::typing::List<Operand>;
std::vector<pe::Any> expressionsOf(const Expressions& list) {
  std::vector<pe::Any> exprs;
  for (py::handle x : list) exprs.push_back(expressionOf(x));
  return exprs;
}

#define POPIR_TAIL py::arg("prog"), debugContext(), py::arg_v("options", OptionFlags(), "{}")

void bindMaps(py::module_& m) {
  using Tensors = std::vector<Tensor>;
  m.def(
      "map",
      [](Graph& graph, const Expressions& exprs, const Tensors& ts, Sequence& prog,
         const DebugContext& context, const OptionFlags& options) {
        return popops::map(graph, expressionsOf(exprs), ts, prog, context, options);
      },
      py::arg("graph"), py::arg("exprs"), py::arg("ts"), POPIR_TAIL,
      "A list of new tensors, one for each expression over `ts`. Tensors, shapes, types and\n"
      "errors are those of the form for one expression.");
  m.def(
      "map",
      [](Graph& graph, const Operand& expr, const Tensors& ts, Sequence& prog,
         const DebugContext& context, const OptionFlags& options) {
        const pe::Any e = expressionOf(expr);
        return popops::map(graph, e, ts, prog, context, options);
      },
      py::arg("graph"), py::arg("expr"), py::arg("ts"), POPIR_TAIL,
      "A new tensor: `expr` computed for each element of `ts`, where _1 stands for ts[0].\n"
      "Its shape is that of the tensors in the expression, broadcast by numpy's rules; its\n"
      "type follows from `expr`.\n"
      "`options`: those of popops.map in `popir options`.\n"
      "Raises poplibs_exception for shapes that do not match, operands of different\n"
      "types (use Cast), a constant that its type cannot represent, and an\n"
      "expression without tensors.\n"
      "Raises poplar_invalid_option for invalid options.");
  m.def(
      "mapInPlace",
      [](Graph& graph, const Expressions& exprs, const Tensors& ts, Sequence& prog,
         const DebugContext& context, const OptionFlags& options) {
        popops::mapInPlace(graph, expressionsOf(exprs), ts, prog, context, options);
      },
      py::arg("graph"), py::arg("exprs"), py::arg("ts"), POPIR_TAIL,
      "Writes the result of expression i to ts[i]; all expressions read the old values.\n"
      "Raises poplibs_exception as for one expression, and for more\n"
      "expressions than tensors.");
  m.def(
      "mapInPlace",
      [](Graph& graph, const Operand& expr, const Tensors& ts, Sequence& prog,
         const DebugContext& context, const OptionFlags& options) {
        const pe::Any e = expressionOf(expr);
        popops::mapInPlace(graph, e, ts, prog, context, options);
      },
      py::arg("graph"), py::arg("expr"), py::arg("ts"), POPIR_TAIL,
      "The same as map(), with the result written to ts[0], which must\n"
      "have its type and shape.\n"
      "Raises poplibs_exception if it does not.");
  m.def(
      "mapWithOutput",
      [](Graph& graph, const Expressions& exprs, const Tensors& ts, const Tensors& outs,
         Sequence& prog, const DebugContext& context, const OptionFlags& options) {
        popops::mapWithOutput(graph, expressionsOf(exprs), ts, outs, prog, context, options);
      },
      py::arg("graph"), py::arg("exprs"), py::arg("ts"), py::arg("outs"), POPIR_TAIL,
      "Writes the result of expression i to outs[i]; all expressions read the old values.\n"
      "Raises poplibs_exception as for one expression, for another number of tensors, and\n"
      "for tensors that overlap.");
  m.def(
      "mapWithOutput",
      [](Graph& graph, const Operand& expr, const Tensors& ts, const Tensor& out, Sequence& prog,
         const DebugContext& context, const OptionFlags& options) {
        const pe::Any e = expressionOf(expr);
        popops::mapWithOutput(graph, e, ts, out, prog, context, options);
      },
      py::arg("graph"), py::arg("expr"), py::arg("ts"), py::arg("out"), POPIR_TAIL,
      "The same as map(), with the result written to `out`, which must\n"
      "have its type and shape.\n"
      "Raises poplibs_exception if it does not.");
  m.def("createOutputForElementWiseOp", &popops::createOutputForElementWiseOp, py::arg("graph"),
        py::arg("inputs"), py::arg("outputType"), debugContext(),
        "A new variable of the shape that all inputs have, with the tile mapping of\n"
        "one of them: the one that is spread best, without aliases. If all have\n"
        "aliases it is mapped linearly.\n"
        "Raises poplibs_exception if there are no inputs or their shapes differ.");
}

using TensorOrNumber = OneOf<Tensor, double>;

/// The operands of a named function: tensors become placeholders, numbers constants.
struct Operands {
  std::vector<Tensor> tensors;

  pe::Any add(py::handle x) {
    if (!py::isinstance<Tensor>(x)) return constantOf(x);
    tensors.push_back(x.cast<Tensor>());
    return pe::PlaceHolder(static_cast<unsigned>(tensors.size()));
  }
};

void bindUnary(py::module_& m, const Row<pe::UnaryOpType>& r) {
  const std::string name = r.function;
  const std::string words = functionWords(r);
  m.def(
      name.c_str(),
      [op = r.op](Graph& graph, const Tensor& a, Sequence& prog, const DebugContext& context,
                  const OptionFlags& options) {
        return popops::map(graph, op, a, prog, context, options);
      },
      py::arg("graph"), py::arg("A"), POPIR_TAIL,
      (words + ": a new tensor.\n"
               "Shapes, types and errors are those of map().")
          .c_str());
  m.def((name + "InPlace").c_str(),
        [op = r.op](Graph& graph, const Tensor& a, Sequence& prog, const DebugContext& context,
                    const OptionFlags& options) {
          popops::mapInPlace(graph, op, a, prog, context, options);
        },
        py::arg("graph"), py::arg("A"), POPIR_TAIL,
        (words + ", written to `A`.\n"
                 "Shapes, types and errors are those of mapInPlace().")
            .c_str());
  m.def((name + "WithOutput").c_str(),
        [op = r.op](Graph& graph, const Tensor& a, const Tensor& out, Sequence& prog,
                    const DebugContext& context, const OptionFlags& options) {
          popops::mapWithOutput(graph, op, a, out, prog, context, options);
        },
        py::arg("graph"), py::arg("A"), py::arg("out"), POPIR_TAIL,
        (words + ", written to `out`.\n"
                 "Shapes, types and errors are those of mapWithOutput().")
            .c_str());
}

void bindBinary(py::module_& m, const Row<pe::BinaryOpType>& r) {
  const std::string name = r.function;
  const std::string words = functionWords(r);
  m.def(
      name.c_str(),
      [op = r.op](Graph& graph, const TensorOrNumber& a, const TensorOrNumber& b, Sequence& prog,
                  const DebugContext& context, const OptionFlags& options) {
        Operands operands;
        const pe::Any x = operands.add(a), y = operands.add(b);
        return popops::map(graph, pe::BinaryOp(op, x, y), operands.tensors, prog, context, options);
      },
      py::arg("graph"), py::arg("A"), py::arg("B"), POPIR_TAIL,
      (words + ": a new tensor.\n"
               "Shapes, types and errors are those of map().")
          .c_str());
  m.def((name + "InPlace").c_str(),
        [op = r.op](Graph& graph, const Tensor& a, const TensorOrNumber& b, Sequence& prog,
                    const DebugContext& context, const OptionFlags& options) {
          Operands operands{{a}};
          const pe::Any y = operands.add(b);
          popops::mapInPlace(graph, pe::BinaryOp(op, pe::_1, y), operands.tensors, prog, context,
                             options);
        },
        py::arg("graph"), py::arg("A"), py::arg("B"), POPIR_TAIL,
        (words + ", written to `A`.\n"
                 "Shapes, types and errors are those of mapInPlace().")
            .c_str());
  m.def(
      (name + "WithOutput").c_str(),
      [op = r.op](Graph& graph, const TensorOrNumber& a, const TensorOrNumber& b, const Tensor& out,
                  Sequence& prog, const DebugContext& context, const OptionFlags& options) {
        Operands operands;
        const pe::Any x = operands.add(a), y = operands.add(b);
        popops::mapWithOutput(graph, pe::BinaryOp(op, x, y), operands.tensors, out, prog, context,
                              options);
      },
      py::arg("graph"), py::arg("A"), py::arg("B"), py::arg("out"), POPIR_TAIL,
      (words + ", written to `out`.\n"
               "Shapes, types and errors are those of mapWithOutput().")
          .c_str());
}

void bindTernary(py::module_& m, const Row<pe::TernaryOpType>& r) {
  const std::string name = r.function;
  const std::string words = functionWords(r);
  m.def(
      name.c_str(),
      [op = r.op](Graph& graph, const Tensor& a, const Tensor& b, const Tensor& c, Sequence& prog,
                  const DebugContext& context, const OptionFlags& options) {
        return popops::map(graph, op, a, b, c, prog, context, options);
      },
      py::arg("graph"), py::arg("A"), py::arg("B"), py::arg("C"), POPIR_TAIL,
      (words + ": a new tensor.\n"
               "Shapes, types and errors are those of map().")
          .c_str());
  m.def((name + "InPlace").c_str(),
        [op = r.op](Graph& graph, const Tensor& a, const Tensor& b, const Tensor& c, Sequence& prog,
                    const DebugContext& context, const OptionFlags& options) {
          popops::mapInPlace(graph, op, a, b, c, prog, context, options);
        },
        py::arg("graph"), py::arg("A"), py::arg("B"), py::arg("C"), POPIR_TAIL,
        (words + ", written to `A`.\n"
                 "Shapes, types and errors are those of mapInPlace().")
            .c_str());
  m.def((name + "WithOutput").c_str(),
        [op = r.op](Graph& graph, const Tensor& a, const Tensor& b, const Tensor& c,
                    const Tensor& out, Sequence& prog, const DebugContext& context,
                    const OptionFlags& options) {
          popops::mapWithOutput(graph, op, a, b, c, out, prog, context, options);
        },
        py::arg("graph"), py::arg("A"), py::arg("B"), py::arg("C"), py::arg("out"), POPIR_TAIL,
        (words + ", written to `out`.\n"
                 "Shapes, types and errors are those of mapWithOutput().")
            .c_str());
}

}  // namespace

void bindPopopsExpr(py::module_& m) {
  auto e = m.def_submodule(
      "expr",
      "Expressions over the elements of tensors, for popops.map() (PopLibs:\n"
      "popops/Expr.hpp, popops/ExprOp.hpp). An example, a leaky ReLU:\n"
      "Select(_1 * 0.1, _1, _1 < 0).\n"
      "Operands have one type; comparisons, logical operators and IS_FINITE,\n"
      "IS_INF, IS_NAN give BOOL, the others the type of their operands. HALF and\n"
      "BFLOAT16 are computed in FLOAT.\n"
      "The operands of Clamp are (value, lower, upper), those of Select (value if true,\n"
      "value if false, condition). InvStdDevToVariance(a, b) is 1 / a^2 - b,\n"
      "VarianceToInvStdDev(a, b) is 1 / sqrt(a + b).\n"
      "Integers wrap. Integer division and remainder by 0 give 0. Rem has the sign of its\n"
      "left operand. Round rounds ties away from zero, NearbyInt to even. Max, Min, Relu\n"
      "and Clamp propagate NaN. Shr shifts in zeros, ShrSE copies of the sign.");
  bindNodes(e);
  bindMaps(m);
  for (const auto& r : kUnaryRows) bindUnary(m, r);
  for (const auto& r : kBinaryRows) bindBinary(m, r);
  for (const auto& r : kTernaryRows) bindTernary(m, r);
  m.def(
      "addCodelets", [](Graph&) {}, py::arg("graph"), "Does nothing: kernels are built in.");
}

}  // namespace popir

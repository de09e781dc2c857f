// Rows of the table of classes: of operators that models have. An operator a row with what makes its
// class and what its attributes are: as long as there are classes.
#include <popart/op/abort.hpp>
#include <popart/op/argextrema.hpp>
#include <popart/op/argmax.hpp>
#include <popart/op/argmin.hpp>
#include <popart/op/averagepool.hpp>
#include <popart/op/basesort.hpp>
#include <popart/op/bitwise.hpp>
#include <popart/op/bucketize.hpp>
#include <popart/op/ctc.hpp>
#include <popart/op/ctcbeamsearch.hpp>
#include <popart/op/cumsum.hpp>
#include <popart/op/expand.hpp>
#include <popart/op/globalaveragepool.hpp>
#include <popart/op/globalmaxpool.hpp>
#include <popart/op/instancenorm.hpp>
#include <popart/op/logsoftmax.hpp>
#include <popart/op/maxpool.hpp>
#include <popart/op/nop.hpp>
#include <popart/op/normalize_image.hpp>
#include <popart/op/onehot.hpp>
#include <popart/op/prelu.hpp>
#include <popart/op/randomnormal.hpp>
#include <popart/op/randomuniform.hpp>
#include <popart/op/reducemedian.hpp>
#include <popart/op/reverse.hpp>
#include <popart/op/roialign.hpp>
#include <popart/op/scatter.hpp>
#include <popart/op/sequenceslice.hpp>
#include <popart/op/shapeddropout.hpp>
#include <popart/op/shapeorlike.hpp>
#include <popart/op/sort.hpp>
#include <popart/op/splinebasis.hpp>
#include <popart/op/splineweighting.hpp>
#include <popart/op/split.hpp>
#include <popart/op/subsample.hpp>
#include <popart/op/tensorremap.hpp>
#include <popart/op/tile.hpp>
#include <popart/op/topk.hpp>
#include <popart/op/upsample.hpp>
#include <popart/op/where.hpp>

#include <string>

#include "popart/builtin_rows.hpp"

namespace popir {
namespace {

using popart::Attributes;
using popart::Op;
using popart::OperatorIdentifier;
using Made = std::unique_ptr<Op>;

template <class OP>
BuiltinClass extremum(const char* type) {
  return {onnx, type, typeid(OP),
          [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
            return Made(new OP(opid, a.getAttribute<Attributes::Int>("axis", 0),
                               a.getAttribute<Attributes::Int>("keepdims", 1), settings));
          },
          [](const Op& op) {
            const auto& made = static_cast<const OP&>(op);
            Attributes a;
            a.setAttribute("axis", Attributes::Int(made.getAxis()));
            a.setAttribute("keepdims", Attributes::Int(made.getKeepDims()));
            return a;
          }};
}

BuiltinClass scatterRow(const char* type) {
  return {onnx, type, typeid(popart::ScatterOp),
          [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
            return Made(
                new popart::ScatterOp(opid, a.getAttribute<Attributes::Int>("axis", 0), settings));
          },
          [](const Op& op) {
            Attributes a;
            a.setAttribute("axis",
                           Attributes::Int(static_cast<const popart::ScatterOp&>(op).getAxis()));
            return a;
          }};
}

/// The type of random numbers, if a node names one.
popart::OptionalDataType dtype(const Attributes& a) {
  if (!a.hasAttribute("dtype")) return {};
  return typeOf(a.getAttribute<Attributes::Int>("dtype"));
}

BuiltinClass topK() {
  return {onnx, "TopK", typeid(popart::TopKOp),
          [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
            return Made(new popart::TopKOp(opid, a.getAttribute<Attributes::Int>("k", 0),
                                           a.getAttribute<Attributes::Int>("axis", -1),
                                           a.getAttribute<Attributes::Int>("largest", 1) != 0,
                                           a.getAttribute<Attributes::Int>("sorted", 1) != 0,
                                           settings));
          },
          [](const Op& op) {
            const auto& made = static_cast<const popart::TopKOp&>(op);
            Attributes a;
            a.setAttribute("axis", Attributes::Int(made.getAxis()));
            if (op.opid.version < 10 || !op.hasInput(1))
              a.setAttribute("k", Attributes::Int(made.getK()));
            if (op.opid.version >= 11) {
              a.setAttribute("largest", Attributes::Int(made.getLargest() ? 1 : 0));
              a.setAttribute("sorted", Attributes::Int(made.getSorted() ? 1 : 0));
            }
            return a;
          }};
}

BuiltinClass sortRow() {
  return {graphcore, "Sort", typeid(popart::SortOp),
          [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
            return Made(new popart::SortOp(opid, a.getAttribute<Attributes::Int>("axis", -1), 0,
                                           a.getAttribute<Attributes::Int>("descending", 0) != 0,
                                           a.getAttribute<Attributes::Int>("stable", 0) != 0,
                                           settings));
          },
          [](const Op& op) {
            const auto& made = static_cast<const popart::SortOp&>(op);
            Attributes a;
            a.setAttribute("axis", Attributes::Int(made.getAxis()));
            a.setAttribute("descending", Attributes::Int(made.getLargest() ? 1 : 0));
            a.setAttribute("stable", Attributes::Int(made.getStable() ? 1 : 0));
            return a;
          }};
}

BuiltinClass bucketize() {
  return {graphcore, "Bucketize", typeid(popart::BucketizeOp),
          [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
            return Made(new popart::BucketizeOp(
                opid, a.getAttribute<Attributes::Int>("right", 0) != 0, settings));
          },
          [](const Op& op) {
            const auto& made = static_cast<const popart::BucketizeOp&>(op);
            Attributes a;
            a.setAttribute("right", Attributes::Int(made.isRight() ? 1 : 0));
            return a;
          }};
}

BuiltinClass onehot() {
  return {onnx, "OneHot", typeid(popart::OnehotOp),
          [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
            return Made(
                new popart::OnehotOp(opid, a.getAttribute<Attributes::Int>("axis", -1), settings));
          },
          [](const Op& op) {
            const auto& made = static_cast<const popart::OnehotOp&>(op);
            Attributes a;
            a.setAttribute("axis", Attributes::Int(made.getAxis()));
            return a;
          }};
}

BuiltinClass cumSum() {
  return {onnx, "CumSum", typeid(popart::CumSumOp),
          [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
            return Made(
                new popart::CumSumOp(opid, a.getAttribute<Attributes::Int>("exclusive", 0) != 0,
                                     a.getAttribute<Attributes::Int>("reverse", 0) != 0, settings));
          },
          [](const Op& op) {
            const auto& made = static_cast<const popart::CumSumOp&>(op);
            Attributes a;
            a.setAttribute("exclusive", Attributes::Int(made.getExclusive() ? 1 : 0));
            a.setAttribute("reverse", Attributes::Int(made.getReverse() ? 1 : 0));
            return a;
          }};
}

BuiltinClass averagePool() {
  return {
      onnx, "AveragePool", typeid(popart::AveragePoolOp),
      [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
        popart::HasReceptiveFieldOp::ReceptiveOpAttributes given;
        given.setFromAttributes(a);
        const auto window = a.getAttribute<Attributes::Ints>("kernel_shape");
        const auto count = a.getAttribute<Attributes::Int>("count_include_pad", 0);
        return Made(new popart::AveragePoolOp(opid, count, window, given, settings));
      },
      [](const Op& op) { return static_cast<const popart::AveragePoolOp&>(op).nodeAttributes(); }};
}

BuiltinClass maxPool() {
  return {onnx, "MaxPool", typeid(popart::MaxPoolOp),
          [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
            popart::HasReceptiveFieldOp::ReceptiveOpAttributes given;
            given.setFromAttributes(a);
            const auto window = a.getAttribute<Attributes::Ints>("kernel_shape");
            const auto count = a.getAttribute<Attributes::Int>("storage_order", 0);
            return Made(new popart::MaxPoolOp(opid, window, count, given, settings));
          },
          [](const Op& op) { return static_cast<const popart::MaxPoolOp&>(op).nodeAttributes(); }};
}

BuiltinClass roiAlign() {
  return {onnx, "RoiAlign", typeid(popart::RoiAlignOp),
          [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
            return Made(new popart::RoiAlignOp(
                opid, settings, a.getAttribute<Attributes::Float>("spatial_scale", 1.0f),
                static_cast<unsigned>(a.getAttribute<Attributes::Int>("sampling_ratio", 0)),
                static_cast<unsigned>(a.getAttribute<Attributes::Int>("output_height", 1)),
                static_cast<unsigned>(a.getAttribute<Attributes::Int>("output_width", 1))));
          },
          [](const Op& op) {
            const auto& made = static_cast<const popart::RoiAlignOp&>(op);
            Attributes a;
            a.setAttribute("spatial_scale", made.getSpatialScale());
            a.setAttribute("sampling_ratio", Attributes::Int(made.getSamplingRatio()));
            a.setAttribute("output_height", Attributes::Int(made.getAlignedHeight()));
            a.setAttribute("output_width", Attributes::Int(made.getAlignedWidth()));
            return a;
          }};
}

BuiltinClass splitRow() {
  return {
      onnx, "Split", typeid(popart::SplitOp),
      [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
        return Made(new popart::SplitOp(opid, a.getAttribute<Attributes::Int>("axis", 0),
                                        a.getAttribute<Attributes::Ints>("split", {}), settings));
      },
      [](const Op& op) {
        const auto& made = static_cast<const popart::SplitOp&>(op);
        Attributes a;
        a.setAttribute("axis", Attributes::Int(made.getAxis()));
        if (made.givenSizes().empty()) return a;
        if (op.opid.version >= 13)
          throw popart::error("{}: {} has its sizes as an input, not as an attribute",
                              op.debugName(), op.opid);
        a.setAttribute("split", made.givenSizes());
        return a;
      }};
}

BuiltinClass reverseRow() {
  return {graphcore, "Reverse", typeid(popart::ReverseOp),
          [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
            return Made(new popart::ReverseOp(opid, settings,
                                              a.getAttribute<Attributes::Ints>("dimensions", {})));
          },
          [](const Op& op) {
            const auto& made = static_cast<const popart::ReverseOp&>(op);
            Attributes a;
            a.setAttribute("dimensions", made.getDimensions());
            return a;
          }};
}

BuiltinClass subsample() {
  return {graphcore, "Subsample", typeid(popart::SubsampleOp),
          [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
            return Made(new popart::SubsampleOp(opid, a.getAttribute<Attributes::Ints>("strides"),
                                                settings));
          },
          [](const Op& op) {
            const auto& made = static_cast<const popart::SubsampleOp&>(op);
            Attributes a;
            a.setAttribute("strides", made.getStrides());
            return a;
          }};
}

BuiltinClass sequenceSlice() {
  return {graphcore, "SequenceSlice", typeid(popart::SequenceSliceOp),
          [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
            return Made(new popart::SequenceSliceOp(
                opid, a.getAttribute<Attributes::Int>("zeroUnused", 0) != 0, settings));
          },
          [](const Op& op) {
            const auto& made = static_cast<const popart::SequenceSliceOp&>(op);
            Attributes a;
            a.setAttribute("zeroUnused", Attributes::Int(made.zeroesUnused() ? 1 : 0));
            return a;
          }};
}

BuiltinClass tensorRemap() {
  return {
      graphcore, "TensorRemap", typeid(popart::TensorRemapOp),
      [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
        const auto type = a.getAttribute<Attributes::Int>("remap_type", 0);
        return Made(
            new popart::TensorRemapOp(opid, static_cast<popart::TensorRemapType>(type), settings));
      },
      [](const Op& op) {
        const auto& made = static_cast<const popart::TensorRemapOp&>(op);
        Attributes a;
        a.setAttribute("remap_type", Attributes::Int(static_cast<int>(made.getTensorRemapType())));
        return a;
      }};
}

BuiltinClass upsample() {
  return {onnx, "Upsample", typeid(popart::UpsampleOp),
          [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
            const auto mode = a.getAttribute<Attributes::String>("mode", "nearest");
            return Made(new popart::UpsampleOp(
                opid, settings,
                mode == "nearest" ? popart::UpsampleMode::Nearest : popart::UpsampleMode::Linear,
                a.getAttribute<Attributes::Floats>("scales", {})));
          },
          [](const Op& op) {
            const auto& made = static_cast<const popart::UpsampleOp&>(op);
            Attributes a;
            a.setAttribute("mode", toString(made.getMode()));
            if (op.opid.version < 9 || !made.getScales().empty())
              a.setAttribute("scales", made.getScales());
            return a;
          }};
}

BuiltinClass logSoftmax() {
  return {
      onnx, "LogSoftmax", typeid(popart::LogSoftmaxOp),
      [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
        return Made(new popart::LogSoftmaxOp(
            opid, a.getAttribute<Attributes::Int>("axis", opid.version < 13 ? 1 : -1), settings));
      },
      [](const Op& op) {
        const auto& made = static_cast<const popart::LogSoftmaxOp&>(op);
        Attributes a;
        a.setAttribute("axis", Attributes::Int(made.getAxis()));
        return a;
      }};
}

BuiltinClass instanceNorm() {
  return {onnx, "InstanceNormalization", typeid(popart::InstanceNormOp),
          [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
            return Made(new popart::InstanceNormOp(
                opid, a.getAttribute<Attributes::Float>("epsilon", 1e-5f), settings));
          },
          [](const Op& op) {
            const auto& made = static_cast<const popart::InstanceNormOp&>(op);
            Attributes a;
            a.setAttribute("epsilon", made.getEpsilon());
            return a;
          }};
}

BuiltinClass normalizeImage() {
  return {graphcore, "NormalizeImage", typeid(popart::NormalizeImageOp),
          [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
            return Made(new popart::NormalizeImageOp(
                opid, settings, a.getAttribute<Attributes::Float>("scale", 1.0f)));
          },
          [](const Op& op) {
            const auto& made = static_cast<const popart::NormalizeImageOp&>(op);
            Attributes a;
            a.setAttribute("scale", made.getScale());
            return a;
          }};
}

BuiltinClass splineBasis() {
  return {graphcore, "SplineBasis", typeid(popart::SplineBasisOp),
          [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
            return Made(new popart::SplineBasisOp(opid, a.getAttribute<Attributes::Int>("degree"),
                                                  settings));
          },
          [](const Op& op) {
            const auto& made = static_cast<const popart::SplineBasisOp&>(op);
            Attributes a;
            a.setAttribute("degree", Attributes::Int(made.getDegree()));
            return a;
          }};
}

BuiltinClass reduceMedian() {
  return {graphcore, "ReduceMedian", typeid(popart::ReduceMedianOp),
          [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
            nonstd::optional<std::vector<int64_t>> axes;
            if (a.hasAttribute("axes")) axes = a.getAttribute<Attributes::Ints>("axes");
            return Made(new popart::ReduceMedianOp(
                opid, axes, a.getAttribute<Attributes::Int>("keepdims", 1), settings));
          },
          [](const Op& op) {
            const auto& made = static_cast<const popart::ReduceMedianOp&>(op);
            Attributes a;
            if (made.hasAxes()) a.setAttribute("axes", made.getAxes());
            a.setAttribute("keepdims", Attributes::Int(made.getKeepDims() ? 1 : 0));
            return a;
          }};
}

BuiltinClass ctcBeamSearchDecoder() {
  return {graphcore, "CtcBeamSearchDecoder", typeid(popart::CtcBeamSearchDecoderOp),
          [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
            return Made(new popart::CtcBeamSearchDecoderOp(
                opid, static_cast<unsigned>(a.getAttribute<Attributes::Int>("blank", 0)),
                static_cast<unsigned>(a.getAttribute<Attributes::Int>("beam_width", 100)),
                static_cast<unsigned>(a.getAttribute<Attributes::Int>("top_paths", 1)), settings));
          },
          [](const Op& op) {
            const auto& made = static_cast<const popart::CtcBeamSearchDecoderOp&>(op);
            Attributes a;
            a.setAttribute("blank", Attributes::Int(made.getBlankClass()));
            a.setAttribute("beam_width", Attributes::Int(made.getBeamWidth()));
            a.setAttribute("top_paths", Attributes::Int(made.getTopPaths()));
            return a;
          }};
}

BuiltinClass ctc() {
  return {graphcore, "Ctc", typeid(popart::CtcOp),
          [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
            const auto reduction = popart::LossOp::reductionTypeFromString(
                a.getAttribute<Attributes::String>("reduction", "Mean"));
            return Made(new popart::CtcOp(
                opid, reduction, static_cast<unsigned>(a.getAttribute<Attributes::Int>("blank", 0)),
                a.getAttribute<Attributes::Int>("zeroInfinity", 0) != 0, settings, false,
                typeOf(a.getAttribute<Attributes::Int>("outDataType", 0))));
          },
          [](const Op& op) {
            const auto& made = static_cast<const popart::CtcOp&>(op);
            Attributes a;
            a.setAttribute("reduction",
                           popart::LossOp::reductionTypeToString(made.getReductionType()));
            a.setAttribute("blank", Attributes::Int(made.getBlank()));
            a.setAttribute("zeroInfinity", Attributes::Int(made.getZeroInfinity() ? 1 : 0));
            if (made.getOutDataType() != popart::DataType::UNDEFINED)
              a.setAttribute("outDataType", numberOf(made.getOutDataType()));
            return a;
          }};
}

BuiltinClass randomNormal() {
  return {onnx, "RandomNormal", typeid(popart::RandomNormalOp),
          [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
            return Made(new popart::RandomNormalOp(
                opid, a.getAttribute<Attributes::Ints>("shape"), dtype(a),
                a.getAttribute<Attributes::Float>("mean", 0.0f),
                a.getAttribute<Attributes::Float>("scale", 1.0f), settings));
          },
          [](const Op& op) {
            const auto& made = static_cast<const popart::RandomNormalOp&>(op);
            Attributes a;
            a.setAttribute("shape", made.getShape());
            a.setAttribute("mean", made.getMean());
            a.setAttribute("scale", made.getScale());
            if (made.getDataType()) a.setAttribute("dtype", numberOf(*made.getDataType()));
            return a;
          }};
}

BuiltinClass randomNormalLike() {
  return {onnx, "RandomNormalLike", typeid(popart::RandomNormalLikeOp),
          [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
            return Made(new popart::RandomNormalLikeOp(
                opid, dtype(a), a.getAttribute<Attributes::Float>("mean", 0.0f),
                a.getAttribute<Attributes::Float>("scale", 1.0f), settings));
          },
          [](const Op& op) {
            const auto& made = static_cast<const popart::RandomNormalLikeOp&>(op);
            Attributes a;
            a.setAttribute("mean", made.getMean());
            a.setAttribute("scale", made.getScale());
            if (made.getDataType()) a.setAttribute("dtype", numberOf(*made.getDataType()));
            return a;
          }};
}

BuiltinClass randomUniform() {
  return {onnx, "RandomUniform", typeid(popart::RandomUniformOp),
          [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
            return Made(new popart::RandomUniformOp(
                opid, a.getAttribute<Attributes::Ints>("shape"), dtype(a),
                a.getAttribute<Attributes::Float>("high", 1.0f),
                a.getAttribute<Attributes::Float>("low", 0.0f), settings));
          },
          [](const Op& op) {
            const auto& made = static_cast<const popart::RandomUniformOp&>(op);
            Attributes a;
            a.setAttribute("shape", made.getShape());
            a.setAttribute("high", made.getHigh());
            a.setAttribute("low", made.getLow());
            if (made.getDataType()) a.setAttribute("dtype", numberOf(*made.getDataType()));
            return a;
          }};
}

BuiltinClass randomUniformLike() {
  return {onnx, "RandomUniformLike", typeid(popart::RandomUniformLikeOp),
          [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
            return Made(new popart::RandomUniformLikeOp(
                opid, dtype(a), a.getAttribute<Attributes::Float>("high", 1.0f),
                a.getAttribute<Attributes::Float>("low", 0.0f), settings));
          },
          [](const Op& op) {
            const auto& made = static_cast<const popart::RandomUniformLikeOp&>(op);
            Attributes a;
            a.setAttribute("high", made.getHigh());
            a.setAttribute("low", made.getLow());
            if (made.getDataType()) a.setAttribute("dtype", numberOf(*made.getDataType()));
            return a;
          }};
}

BuiltinClass shapedDropout() {
  return {graphcore, "ShapedDropout", typeid(popart::ShapedDropoutOp),
          [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
            return Made(
                new popart::ShapedDropoutOp(opid, a.getAttribute<Attributes::Float>("ratio", 0.5f),
                                            a.getAttribute<Attributes::Ints>("shape"), settings));
          },
          [](const Op& op) {
            const auto& made = static_cast<const popart::ShapedDropoutOp&>(op);
            Attributes a;
            a.setAttribute("ratio", made.getRatio());
            a.setAttribute("shape", made.getShape());
            return a;
          }};
}

}  // namespace

std::vector<BuiltinClass> modelRows() {
  return {topK(),
          sortRow(),
          extremum<popart::ArgMaxOp>("ArgMax"),
          extremum<popart::ArgMinOp>("ArgMin"),
          bucketize(),
          onehot(),
          cumSum(),
          averagePool(),
          maxPool(),
          plainRow<popart::GlobalAveragePoolOp>("GlobalAveragePool"),
          plainRow<popart::GlobalMaxPoolOp>("GlobalMaxPool"),
          roiAlign(),
          plainRow<popart::TileOp>("Tile"),
          plainRow<popart::ExpandOp>("Expand"),
          plainRow<popart::WhereOp>("Where"),
          splitRow(),
          scatterRow("Scatter"),
          scatterRow("ScatterElements"),
          reverseRow(),
          subsample(),
          sequenceSlice(),
          tensorRemap(),
          upsample(),
          logSoftmax(),
          plainRow<popart::PReluOp>("PRelu"),
          plainRow<popart::NopOp>("Nop", graphcore),
          plainRow<popart::BitwiseNotOp>("BitwiseNot"),
          plainRow<popart::BitwiseBinaryOp>("BitwiseAnd"),
          plainRow<popart::BitwiseBinaryOp>("BitwiseOr"),
          plainRow<popart::BitwiseBinaryOp>("BitwiseXor"),
          plainRow<popart::BitwiseNotOp>("BitwiseNot", graphcore),
          plainRow<popart::BitwiseBinaryOp>("BitwiseAnd", graphcore),
          plainRow<popart::BitwiseBinaryOp>("BitwiseOr", graphcore),
          plainRow<popart::BitwiseBinaryOp>("BitwiseXor", graphcore),
          instanceNorm(),
          normalizeImage(),
          splineBasis(),
          plainRow<popart::SplineWeightingOp>("SplineWeighting", graphcore),
          plainRow<popart::AbortOp>("Abort", graphcore),
          reduceMedian(),
          ctcBeamSearchDecoder(),
          ctc(),
          randomNormal(),
          randomNormalLike(),
          randomUniform(),
          randomUniformLike(),
          shapedDropout()};
}

}  // namespace popir

"""SessionOptions."""

import pytest

from popir import DataFlow, DeviceManager, InferenceSession, SessionOptions, SyntheticDataMode
from popir.errors import popart_exception
from popir.options import TensorLocation
from popir.types import ReductionType


def test_defaults_are_popart_s() -> None:
    options = SessionOptions()
    assert options.enableOutlining is None  # True on a machine: see tests/test_outlined_models.py
    assert options.constantWeights is True
    assert options.accumulationAndReplicationReductionType is ReductionType.Sum
    assert options.weightTensorLocationSettings.minElementsForOffChip == 2


def test_an_unknown_option_is_an_attribute_error() -> None:
    options = SessionOptions()
    with pytest.raises(
        AttributeError, match=r"no option 'enableOutlinin'. Did you mean 'enableOutlining'"
    ):
        options.enableOutlinin = False  # type: ignore[attr-defined]


def test_settings_and_maps_are_their_own() -> None:
    one, other = SessionOptions(), SessionOptions()
    one.engineOptions["host.numThreads"] = "1"
    one.weightTensorLocationSettings.location = TensorLocation()
    one.automaticLossScalingSettings.updatePeriod = 3
    assert other.engineOptions == {}
    assert other.automaticLossScalingSettings.updatePeriod == 1


def test_explicit_ir_sets_three() -> None:
    options = SessionOptions()
    options.enableExplicitIR(True)
    assert options.useHostCopyOps
    assert options.explicitRecomputation
    assert options.enableExplicitMainLoops


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("accumulationFactor", 2),
        ("enableReplicatedGraphs", True),
        ("syntheticDataMode", SyntheticDataMode.Zeros),
    ],
)
def test_what_would_change_results_is_refused(name: str, value: object) -> None:
    options = SessionOptions()
    setattr(options, name, value)
    device = DeviceManager().createCpuDevice()
    with pytest.raises(
        popart_exception, match=rf"SessionOptions.{name} = .* would change what is computed"
    ):
        InferenceSession(b"", DataFlow(1, []), device, userOptions=options)


def test_automatic_loss_scaling_is_refused() -> None:
    options = SessionOptions()
    options.automaticLossScalingSettings.enabled = True
    with pytest.raises(popart_exception, match=r"set lossScaling in the optimizer"):
        options.refuse()

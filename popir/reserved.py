"""Reserved ids of tensors, with PopART's names: ids with these prefixes belong to the compiler.

popir makes tensors with the prefixes of gradients, accumulated gradients, the states and numbers of
optimizers, the loss scaling and the random seed. The other functions are there for programs that
ask for PopART's prefixes.
"""

from __future__ import annotations


def reservedAcclPrefix() -> str:
    """The prefix of the id of SGD's state of a weight, with Combined accumulator and momentum."""
    return "Accl___"


def reservedAccl1Prefix() -> str:
    """The prefix of the id of SGD's state of a weight, with Separate accumulator and momentum."""
    return "Accl1___"


def reservedAccl2Prefix() -> str:
    """The prefix of the id of the second state of a weight, of Adam."""
    return "Accl2___"


def reservedAccl3Prefix() -> str:
    """The prefix of the id of the third state of a weight, of Adaptive."""
    return "Accl3___"


def reservedAcclFinalOutPrefix() -> str:
    """The prefix of the id of a state after its update."""
    return "AcclOutOfAcclUpdate___"


def reservedAcclToReducePrefix() -> str:
    """The prefix of the id of a state that replicas reduce."""
    return "AcclIntoReduce___"


def reservedAcclToUpdatePrefix() -> str:
    """The prefix of the id of a state before its update."""
    return "AcclIntoUpdate___"


def reservedAccumPrefix() -> str:
    """The prefix of the id of the accumulated gradient of a weight."""
    return "Accum___"


def reservedAdamUpdaterPrefix() -> str:
    """The prefix of the id of the step that Adam makes."""
    return "AdamUpdater___"


def reservedAutomaticLossScalePrefix() -> str:
    """The prefix of the id of a loss scaling that adapts itself."""
    return "AutomaticLossScaleProxy___"


def reservedDefaultAdamBeta1Prefix() -> str:
    """The prefix of the id of Adam's beta1, by default."""
    return "adamBeta1___default___"


def reservedDefaultAdamBeta2Prefix() -> str:
    """The prefix of the id of Adam's beta2, by default."""
    return "adamBeta2___default___"


def reservedDefaultAdamEpsPrefix() -> str:
    """The prefix of the id of Adam's epsilon, by default."""
    return "adamEps___default___"


def reservedDefaultDampeningScaleFactor1Prefix() -> str:
    """The prefix of the id of the scale of gradients in SGD's state, by default."""
    return "dampeningScaleFactor1___default___"


def reservedDefaultLearningRatePrefix() -> str:
    """The prefix of the id of the learning rate, by default."""
    return "learningRate___default___"


def reservedDefaultLossScalingPrefix() -> str:
    """The prefix of the id of the loss scaling, by default."""
    return "lossScaling___default___"


def reservedDefaultMaxWeightNormPrefix() -> str:
    """The prefix of the id of Lamb's largest norm of a weight, by default."""
    return "maxWeightNorm___default___"


def reservedDefaultScaledLearningRate0Prefix() -> str:
    """The prefix of the id of the learning rate of SGD without momentum, by default."""
    return "scaledLearningRate0___default___"


def reservedDefaultScaledLearningRate1Prefix() -> str:
    """The prefix of the id of the learning rate of SGD with momentum, by default."""
    return "scaledLearningRate1___default___"


def reservedDefaultScaledMomentum1Prefix() -> str:
    """The prefix of the id of SGD's scaled momentum, by default."""
    return "scaledMomentum1___default___"


def reservedDefaultScaledWeightDecay1Prefix() -> str:
    """The prefix of the id of the weight decay of SGD with momentum, by default."""
    return "scaledWeightDecay1___default___"


def reservedDefaultStepPrefix() -> str:
    """The prefix of the id of Adam's count of steps, by default."""
    return "step___default___"


def reservedDefaultWeightDecayPrefix() -> str:
    """The prefix of the id of the weight decay, by default."""
    return "weightDecay___default___"


def reservedDefaultWeightDecayScaleFactor0Prefix() -> str:
    """The prefix of the id of the weight decay of SGD without momentum, by default."""
    return "weightDecayScaleFactor0___default___"


def reservedFinalReducedGradPrefix() -> str:
    """The prefix of the id of a gradient after all reductions."""
    return "FinalReducedGradient___"


def reservedGradientPrefix() -> str:
    """The prefix of the ids of gradients."""
    return "Gradient___"


def reservedLambR1SqPrefix() -> str:
    """The prefix of the id of the squared norm of a weight, of Lamb."""
    return "LambR1Sq___"


def reservedLambR2SqPrefix() -> str:
    """The prefix of the id of the squared norm of a step, of Lamb."""
    return "LambR2Sq___"


def reservedLossScalingPrefix() -> str:
    """The prefix of the id of the loss scaling."""
    return "lossScaling_"


def reservedRandomSeedPrefix() -> str:
    """The prefix of the id of a random seed."""
    return "randomSeed___"


def reservedRemoteArgPrefix() -> str:
    """The prefix of the id of a place in a remote buffer."""
    return "RemoteArg___"


def reservedRestoredPrefix() -> str:
    """The prefix of the id of an activation that a pipeline restored."""
    return "Restored___"


def reservedSeedModifierPrefix() -> str:
    """The prefix of the id of a number that varies a random seed."""
    return "randomSeedModifier___"


def reservedSpecificAdamBeta1Prefix() -> str:
    """The prefix of the id of Adam's beta1, for one weight."""
    return "adamBeta1___specific___"


def reservedSpecificAdamBeta2Prefix() -> str:
    """The prefix of the id of Adam's beta2, for one weight."""
    return "adamBeta2___specific___"


def reservedSpecificAdamEpsPrefix() -> str:
    """The prefix of the id of Adam's epsilon, for one weight."""
    return "adamEps___specific___"


def reservedSpecificDampeningScaleFactor1Prefix() -> str:
    """The prefix of the id of the scale of gradients in SGD's state, for one weight."""
    return "dampeningScaleFactor1___specific___"


def reservedSpecificLearningRatePrefix() -> str:
    """The prefix of the id of the learning rate, for one weight."""
    return "learningRate___specific___"


def reservedSpecificLossScalingPrefix() -> str:
    """The prefix of the id of the loss scaling, for one weight."""
    return "lossScaling___specific___"


def reservedSpecificMaxWeightNormPrefix() -> str:
    """The prefix of the id of Lamb's largest norm of a weight, for one weight."""
    return "maxWeightNorm___specific___"


def reservedSpecificScaledLearningRate0Prefix() -> str:
    """The prefix of the id of the learning rate of SGD without momentum, for one weight."""
    return "scaledLearningRate0___specific___"


def reservedSpecificScaledLearningRate1Prefix() -> str:
    """The prefix of the id of the learning rate of SGD with momentum, for one weight."""
    return "scaledLearningRate1___specific___"


def reservedSpecificScaledMomentum1Prefix() -> str:
    """The prefix of the id of SGD's scaled momentum, for one weight."""
    return "scaledMomentum1___specific___"


def reservedSpecificScaledWeightDecay1Prefix() -> str:
    """The prefix of the id of the weight decay of SGD with momentum, for one weight."""
    return "scaledWeightDecay1___specific___"


def reservedSpecificStepPrefix() -> str:
    """The prefix of the id of Adam's count of steps, for one weight."""
    return "step___specific___"


def reservedSpecificWeightDecayPrefix() -> str:
    """The prefix of the id of the weight decay, for one weight."""
    return "weightDecay___specific___"


def reservedSpecificWeightDecayScaleFactor0Prefix() -> str:
    """The prefix of the id of the weight decay of SGD without momentum, for one weight."""
    return "weightDecayScaleFactor0___specific___"


def reservedStashedPrefix() -> str:
    """The prefix of the id of an activation that a pipeline stashed."""
    return "Stashed___"


def reservedStepPrefix() -> str:
    """The prefix of the id of the count of steps of a weight, of Adam."""
    return "Step___"


def reservedUpdatedVarPrefix() -> str:
    """The prefix of the id of a weight after its update."""
    return "UpdatedVar___"


RANDOM_SEED = "randomSeed___fromHost"
"""The id of the tensor with the random seed: UINT32[2], the lower word first."""
LOSS_SCALE_FACTOR = "lossScaleUpdateFactor"
"""The id of what automatic loss scaling multiplies the loss scaling by."""
LOSS_SCALE_COUNT = "lossScaleUpdateCount"
"""The id of the count of updates since automatic loss scaling may last have changed the factor."""
OF_SESSION = frozenset({RANDOM_SEED, LOSS_SCALE_FACTOR, LOSS_SCALE_COUNT})
"""The ids of the states that a session has, and not a weight."""
COUNTER = "Counter___"
"""The id of the count of batches since the last update; with parts of a step that run at times of
their own, the prefix of those of single weights.
"""
PREVIOUS_LOSS_SCALING = "PreviousLossScaling_"
"""The prefix of the id of the loss scaling that a weight's state has, of Adam."""
_STATES = (
    *(reservedAcclPrefix(), reservedAccl1Prefix(), reservedAccl2Prefix(), reservedAccl3Prefix()),
    *(reservedStepPrefix(), PREVIOUS_LOSS_SCALING),
)


def weight_of_state(id: str) -> str | None:
    """The weight that `id` is the optimizer state of: "w" for "Accl___w". None for other ids."""
    if not id.startswith(_STATES):
        return None
    return next(id[len(prefix) :] for prefix in _STATES if id.startswith(prefix))

"""What a model says of replicas, in its metadata: which of them share a weight, which inputs all
get, how many there are; and by which tiles and when inputs come.
"""

from __future__ import annotations

from popir import replicas
from popir.dataflow import Exchange
from popir.errors import ModelError
from popir.onnxio.proto import ModelProto
from popir.replicas import VariableSettings

_FACTOR = "__replicationFactor"
"""PopART's name."""
_SETTINGS = "__variableSettings/"
_BROADCAST = "__broadcast/"
_EXCHANGE = "__exchange/"


def set_factor(model: ModelProto, count: int) -> None:
    """Notes the number of replicas."""
    model.metadata_props.add(key=_FACTOR, value=str(count))


def set_settings(model: ModelProto, id: str, settings: VariableSettings) -> None:
    """Notes the settings of a weight."""
    model.metadata_props.add(key=_SETTINGS + id, value=settings.text())


def set_broadcast(model: ModelProto, id: str) -> None:
    """Notes that all replicas get the same values of an input."""
    model.metadata_props.add(key=_BROADCAST + id, value="")


def set_exchange(model: ModelProto, id: str, exchange: Exchange) -> None:
    """Notes by which tiles and when an input comes."""
    text = f"{exchange.tile_set.name} {exchange.strategy.name}"
    model.metadata_props.add(key=_EXCHANGE + id, value=text)


def exchanges_of(model: ModelProto) -> dict[str, Exchange]:
    """By which tiles and when inputs come, by id, where settings say so. Raises ModelError for a
    text that does not say it.
    """
    found: dict[str, Exchange] = {}
    for each in model.metadata_props:
        if each.key.startswith(_EXCHANGE):
            id = each.key.removeprefix(_EXCHANGE)
            try:
                found[id] = Exchange.of_text(f"The input '{id}'", each.value)
            except (ValueError, KeyError):
                raise ModelError(
                    f"The model's metadata of the input '{id}': '{each.value}' is no tile set and "
                    "exchange strategy."
                ) from None
    return found


def settings_of(model: ModelProto) -> dict[str, VariableSettings]:
    """The settings of weights, by id. Raises ModelError for a text that is none."""
    found: dict[str, VariableSettings] = {}
    for each in model.metadata_props:
        if each.key.startswith(_SETTINGS):
            id = each.key.removeprefix(_SETTINGS)
            try:
                found[id] = replicas.settings_of(each.value)
            except ValueError as error:
                raise ModelError(f"The model's metadata of the weight '{id}': {error}.") from error
    return found


def broadcast_of(model: ModelProto) -> set[str]:
    """The inputs of which all replicas get the same values."""
    keys = (each.key for each in model.metadata_props)
    return {key.removeprefix(_BROADCAST) for key in keys if key.startswith(_BROADCAST)}

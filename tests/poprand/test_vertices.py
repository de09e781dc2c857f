"""The vertices of PopLibs' poprand that programs add by name."""

import numpy as np
import pytest

from popir import poplar
from popir.poplar import program

TILES, EACH = 4, 5000


class Masks:
    """A mask on each tile, drawn after a seed."""

    def __init__(self, probability: float = 0.25, type: poplar.Type = poplar.FLOAT) -> None:
        model = poplar.IPUModel()
        model.tilesPerIPU = TILES
        self.device = model.createDevice()
        graph = poplar.Graph(self.device.getTarget())
        self.seed = graph.addVariable(poplar.UNSIGNED_INT, [2], "seed")
        graph.setTileMapping(self.seed, 0)
        self.mask = graph.addVariable(type, [TILES, EACH], "mask")
        sets, draws = graph.addComputeSet("sets"), graph.addComputeSet("draws")
        for tile in range(TILES):
            graph.setTileMapping(self.mask[tile], tile)
            seeded = graph.addVertex(sets, "poprand::SetSeed")
            graph.connect(seeded["seed"], self.seed)
            graph.setInitialValue(seeded["seedModifierUser"], 0x55555555)
            graph.setInitialValue(seeded["seedModifierHw"], (tile << 4) ^ 0xAAAAAAA0)
            drawn = graph.addVertex(draws, f"poprand::Bernoulli<{type.toString()}>")
            graph.connect(drawn["out"], self.mask[tile])
            graph.setInitialValue(drawn["prob"], int(probability * 65536))
            for vertex in (seeded, drawn):
                graph.setTileMapping(vertex, tile)
        graph.createHostWrite("seed", self.seed)
        graph.createHostRead("mask", self.mask)
        self.engine = poplar.Engine(graph, [program.Execute(sets), program.Execute(draws)])
        self.engine.load(self.device)

    def seeded(self, *words: int) -> None:
        self.engine.writeTensor("seed", np.array(words, "uint32"))
        self.engine.run(0)

    def drawn(self) -> np.ndarray:
        self.engine.run(1)
        found = np.empty((TILES, EACH), "float32")
        self.engine.readTensor("mask", found)
        return found


def test_masks_follow_from_the_seed() -> None:
    masks = Masks()
    masks.seeded(42, 7)
    first, second = masks.drawn(), masks.drawn()
    masks.seeded(42, 7)
    np.testing.assert_array_equal(masks.drawn(), first)
    masks.seeded(43, 7)
    third = masks.drawn()
    masks.seeded(42, 8)
    rows = [*first, *second, *third, *masks.drawn()]
    # Independent masks agree in 10 of 16 elements, within 5 standard deviations.
    for i, a in enumerate(rows):
        for b in rows[:i]:
            assert abs((a == b).mean() - 0.625) < 5 * np.sqrt(0.625 * 0.375 / EACH)


@pytest.mark.parametrize("probability", [0.0, 0.25, 0.9, 1.0])
def test_the_probability(probability: float) -> None:
    masks = Masks(probability)
    masks.seeded(1, 2)
    mask = masks.drawn()
    assert set(np.unique(mask)) <= {0.0, 1.0}
    deviation = np.sqrt(probability * (1 - probability) / mask.size)
    assert abs(mask.mean() - probability) <= 5 * deviation

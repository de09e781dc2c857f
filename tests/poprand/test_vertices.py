"""The vertices of PopLibs' poprand that programs add by name."""

import numpy as np
import pytest

from popir import errors, poplar, poprand
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


class Drawn:
    """Vertices that each draw a row of a mask, after a seed of the library."""

    def __init__(self, rows: int = 4) -> None:
        model = poplar.IPUModel()
        model.tilesPerIPU = TILES
        self.device = model.createDevice()
        self.graph = poplar.Graph(self.device.getTarget())
        self.seed = self.graph.addVariable(poplar.UNSIGNED_INT, [2], "seed")
        self.graph.setTileMapping(self.seed, 0)
        self.prog = program.Sequence()
        self.mask = self.graph.addVariable(poplar.FLOAT, [rows, EACH], "mask")
        self.graph.setTileMapping(self.mask, 0)
        self.draws = self.graph.addComputeSet("draws")
        self.vertices: list[poplar.VertexRef] = []

    def vertex(self, tile: int) -> None:
        drawn = self.graph.addVertex(self.draws, "poprand::Bernoulli<float>")
        self.graph.connect(drawn["out"], self.mask[len(self.vertices)])
        self.graph.setInitialValue(drawn["prob"], 32768)
        self.vertices.append(drawn)
        self.graph.setTileMapping(drawn, tile)

    def run(self, *words: int) -> np.ndarray:
        self.prog.add(program.Execute(self.draws))
        self.graph.createHostWrite("seed", self.seed)
        self.graph.createHostRead("mask", self.mask)
        engine = poplar.Engine(self.graph, [self.prog])
        engine.load(self.device)
        engine.writeTensor("seed", np.array(words, "uint32"))
        engine.run(0)
        found = np.empty(self.mask.shape(), "float32")
        engine.readTensor("mask", found)
        return found


def independent(rows: list[np.ndarray]) -> None:
    """Masks of equal probabilities agree in a half, within 5 standard deviations."""
    for i, a in enumerate(rows):
        for b in rows[:i]:
            assert abs((a == b).mean() - 0.5) < 5 * np.sqrt(0.25 / EACH)


def seeded_masks(*words: int, modifier: int = 0, before: bool = True) -> np.ndarray:
    drawn = Drawn()
    if before:
        poprand.setSeed(drawn.graph, drawn.seed, modifier, drawn.prog, "seed")
    for tile in range(TILES):
        drawn.vertex(tile)
    if not before:
        poprand.setSeed(drawn.graph, drawn.seed, modifier, drawn.prog, "seed")
    return drawn.run(*words)


def test_masks_follow_from_the_library_s_seed() -> None:
    first = seeded_masks(1, 2)
    np.testing.assert_array_equal(seeded_masks(1, 2, before=False), first)
    others = [seeded_masks(77, 2), seeded_masks(1, 5), seeded_masks(1, 2, modifier=3)]
    independent([row for each in (first, *others) for row in each])


def test_without_a_seed_tiles_differ() -> None:
    drawn = Drawn()
    for tile in range(TILES):
        drawn.vertex(tile)
    independent(list(drawn.run(0, 0)))


def test_each_worker_of_a_tile_draws_its_own() -> None:
    drawn = Drawn(rows=7)
    for _ in range(6):
        drawn.vertex(2)
    with pytest.raises(
        errors.poplar_graph_connection_error, match=r"tile 2, each of whose 6 workers"
    ):
        drawn.vertex(2)
    # A vertex that moves leaves its worker to others.
    drawn.graph.setTileMapping(drawn.vertices[3], 1)
    drawn.graph.setTileMapping(drawn.vertices[6], 2)
    independent(list(drawn.run(0, 0)))


def test_what_sets_a_tile_s_words_is_alone_on_it() -> None:
    drawn = Drawn(rows=1)
    drawn.vertex(2)
    sets = drawn.graph.addVertex(drawn.draws, "poprand::SetSeed")
    drawn.graph.connect(sets["seed"], drawn.seed)
    for field in ("seedModifierUser", "seedModifierHw"):
        drawn.graph.setInitialValue(sets[field], 0)
    drawn.graph.setTileMapping(sets, 2)
    with pytest.raises(errors.poplar_exception, match=r"writes elements of 'workerSeeds'"):
        drawn.run(1, 2)

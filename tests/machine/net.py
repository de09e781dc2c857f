"""Small programs on a few tiles, and the parts of what they cost."""

from popir import poplar
from popir._device import popops
from popir.poplar import program
from popir.profile import MachineReport

FLOAT = poplar.FLOAT
CALL = 288  # cycles to call a compute set
SYNC = 126  # cycles of a sync, before an exchange


class Net:
    """A graph on an IPU2 of a few tiles, and one program."""

    def __init__(self, tiles: int = 4) -> None:
        self.graph = poplar.Graph(poplar.Target.createIPUTarget(1, tiles, "ipu2"))
        self.prog = program.Sequence()

    def input(self, name: str, shape: list[int], *tiles: int, dtype: poplar.Type = FLOAT):
        """A variable in equal parts, in order, on the tiles named; the host writes and reads it."""
        t = self.graph.addVariable(dtype, shape, name)
        self.map(t, *tiles)
        self.graph.createHostWrite(name, t)
        return t

    def map(self, t, *tiles: int) -> None:
        each = t.numElements() // len(tiles)
        for i, tile in enumerate(tiles):
            self.graph.setTileMapping(t.flatten().slice(i * each, (i + 1) * each), tile)

    def add(self, a, b, *tiles: int, prog=None, name: str = "add"):
        out = self.graph.addVariable(FLOAT, a.shape(), name)
        self.map(out, *tiles)
        popops.addWithOutput(self.graph, a, b, out, self.prog if prog is None else prog, name)
        return out

    def report(self, prog=None) -> MachineReport:
        return MachineReport.of(self.engine(prog))

    def engine(self, prog=None):
        return poplar.Engine(self.graph, [self.prog if prog is None else prog])


def parts(report: MachineReport) -> tuple[int, int, int]:
    assert report.cycles == report.computeCycles + report.exchangeCycles + report.syncCycles
    return report.computeCycles, report.exchangeCycles, report.syncCycles

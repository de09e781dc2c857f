"""The command `popir` in a fork of a Python that has imported it (`tests/forked.py`)."""

from popir.cli.main import main as command


def main(*_: str) -> None:
    """Runs the command line in sys.argv."""
    command()

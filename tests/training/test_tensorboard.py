"""`popir.training.TensorBoard`: its files, read by the format's own framing and messages."""

from __future__ import annotations

import struct
import sys
from pathlib import Path
from typing import Any

import pytest
from tensorboardX.proto.event_pb2 import Event, SessionLog

import popir
from popir.data import Batches
from popir.errors import MissingPackageError, popart_runtime_error
from popir.training import Step, TensorBoard, Validation, train
from tests.training.model import BATCH, LOSS, adam, batches, data, model, schedule, session

CPU = popir.DeviceManager().createCpuDevice()


def crc32c(data: bytes) -> int:
    """The masked CRC-32C of TFRecord files, bit by bit."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def events(file: Path) -> list[Event]:
    """The events of a file: records of length, its CRC, bytes, and their CRC."""
    found, rest = [], file.read_bytes()
    while rest:
        (length,) = struct.unpack("<Q", rest[:8])
        body = rest[12 : 12 + length]
        assert struct.unpack("<I", rest[8:12])[0] == crc32c(rest[:8])
        assert struct.unpack("<I", rest[12 + length : 16 + length])[0] == crc32c(body)
        found.append(Event.FromString(body))
        rest = rest[16 + length :]
    return found


def shown(folder: Path) -> dict[str, dict[int, float]]:
    """By name and step, what TensorBoard shows: a start drops what was there from its step on."""
    found: dict[str, dict[int, float]] = {}
    files = sorted(folder.iterdir(), key=lambda file: events(file)[0].wall_time)
    for event in (event for file in files for event in events(file)):
        if event.HasField("session_log") and event.session_log.status == SessionLog.START:
            for values in found.values():
                for step in [step for step in values if step >= event.step]:
                    del values[step]
        for value in event.summary.value:
            assert event.step not in found.setdefault(value.tag, {})
            found[value.tag][event.step] = value.simple_value
    return found


def test_what_is_written_is_what_was_found(tmp_path: Path) -> None:
    optimizer, steps = adam(), []
    made = Validation(model(), LOSS, Batches(data(50, seed=4), BATCH), CPU)
    with TensorBoard(tmp_path / "new" / "log") as log:
        done = train(
            session(),
            batches(),
            LOSS,
            2,
            optimizer,
            schedule(),
            made,
            validate_every=10,
            log=log,
            report=lambda each: steps.append(each) if isinstance(each, Step) else None,
        )
    found = shown(tmp_path / "new" / "log")
    want: dict[str, dict[int, Any]] = {
        "train/loss": {each.step: each.loss for each in steps},
        "train/learning_rate": {each.step: each.learning_rate for each in steps},
        "validation/loss": {each.step: each.loss for each in done.scores},
        "validation/accuracy": {each.step: each.accuracy for each in done.scores},
    }
    assert {name: len(values) for name, values in want.items()} == {
        "train/loss": 24,
        "train/learning_rate": 24,
        "validation/loss": 3,
        "validation/accuracy": 3,
    }
    assert found.keys() == want.keys()
    for name, values in want.items():
        assert found[name] == pytest.approx(values, rel=1e-6)


def test_steps_that_are_done_again_are_shown_once(tmp_path: Path) -> None:
    """Ten steps, of which a checkpoint has nine; then all of it."""
    want = {}
    train(
        session(),
        batches(),
        LOSS,
        1,
        report=lambda s: want.setdefault(s.step, s.loss) if isinstance(s, Step) else None,
    )
    folder, first = tmp_path / "checkpoint", session()

    def dies() -> bool:
        if first.steps == 10:
            raise KeyboardInterrupt
        return False

    with TensorBoard(tmp_path / "log") as log, pytest.raises(KeyboardInterrupt):
        train(first, batches(), LOSS, 1, folder=folder, save_every=3, log=log, stops=dies)
    assert shown(tmp_path / "log")["train/loss"].keys() == set(range(1, 11))
    with TensorBoard(tmp_path / "log") as log:
        train(session(), batches(), LOSS, 1, folder=folder, save_every=3, resume=True, log=log)
    assert len(list((tmp_path / "log").iterdir())) == 2
    assert shown(tmp_path / "log")["train/loss"] == pytest.approx(want, rel=1e-6)


def test_a_save_writes_what_was_taken(tmp_path: Path) -> None:
    """What a checkpoint has is in the files, though the process is killed then."""
    seen: list[int] = []
    log = TensorBoard(tmp_path / "log")

    def stops() -> bool:
        if trained.steps % 4 == 0:
            seen.append(len(shown(tmp_path / "log")["train/loss"]))
        return False

    trained = session()
    options: Any = {"folder": tmp_path / "checkpoint", "save_every": 4, "stops": stops}
    train(trained, batches(), LOSS, 1, log=log, **options)
    log.close()
    assert seen == [4, 8, 12]


def test_what_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = TensorBoard(tmp_path)
    with open("/dev/full", "wb", buffering=0) as full:
        log.scalars(1, {"a": 1.0})
        log._writer._py_recordio_writer._writer.close()
        log._writer._py_recordio_writer._writer = full
        with pytest.raises(popart_runtime_error, match="cannot be written to: No space left on"):
            log.scalars(2, {"a": 1.0})
    (tmp_path / "file").touch()
    with pytest.raises(popart_runtime_error, match="file/log cannot be written to: Not a dir"):
        TensorBoard(tmp_path / "file" / "log")
    monkeypatch.setitem(sys.modules, "tensorboardX.event_file_writer", None)
    with pytest.raises(MissingPackageError, match=r"pip install 'popir\[tensorboard\]'"):
        TensorBoard(tmp_path)

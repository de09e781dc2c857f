"""Checkpoints: folders from which training goes on bit for bit. `Session.save` and `Session.load`.

A folder has a manifest, `checkpoint.json`, and files of tensors, the shards, in the safetensors
format. Shards have new names in each save, and the manifest is replaced last: whenever a process is
killed, the folder has the old checkpoint or the new one.

`shards` divides tensors into shards and writes one, `manifest` is the text that describes them, and
`folder` is the order in which files come and go.
"""

from popir.checkpoint.folder import Checkpoint, Writer, read
from popir.checkpoint.manifest import Manifest, Optimizer
from popir.checkpoint.shards import Part, Shard, share

__all__ = ["Checkpoint", "Manifest", "Optimizer", "Part", "Shard", "Writer", "read", "share"]

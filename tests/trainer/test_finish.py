"""What is left at the end of a run is there for others too."""

from __future__ import annotations

import stat

from rallypoint_trainer.finish import let_others_read


def test_weights_get_the_rights_of_the_config(tmp_path):
    for name, rights in (
        ("config.json", 0o640),
        ("model-1.safetensors", 0o600),
        ("model-2.safetensors", 0o600),
    ):
        (tmp_path / name).touch()
        (tmp_path / name).chmod(rights)
    let_others_read(tmp_path)
    assert {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()} == {0o640}

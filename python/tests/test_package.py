"""The package as a whole: what importing it loads, and whether the walk-through tells the truth."""

import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import harmony_mask
from harmony_mask import _native

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "python.md"


def test_importing_loads_nothing_heavy():
    """This is what keeps it quick; `benches/import.py` measures how quick."""
    heavy = "{'numpy', 'torch', 'transformers', 'pydantic', 'asyncio', 'typing_extensions'}"
    code = f"import sys, harmony_mask; print(sorted({heavy} & set(sys.modules)))"
    assert subprocess.check_output([sys.executable, "-P", "-c", code], text=True).strip() == "[]"


def test_everything_public_is_documented():
    things = {name: getattr(harmony_mask, name) for name in harmony_mask.__all__ if name != "__version__"}
    members = {
        f"{name}.{member}": getattr(thing, member)
        for name, thing in things.items()
        for member in (vars(thing) if inspect.isclass(thing) else ())
        if not member.startswith("_")
    }
    undocumented = [name for name, thing in (things | members).items() if not inspect.getdoc(thing)]
    assert undocumented == []


def test_the_module_is_typed():
    folder = Path(_native.__file__).parent
    assert (folder / "py.typed").exists() and (folder / "_native.pyi").exists()


@pytest.mark.filterwarnings("ignore")
def test_the_walk_through_runs(capsys):
    """All blocks, one after the other, as a reader would type them. Comments at `print` say what is printed."""
    blocks = re.findall(r"```python\n(.*?)```", DOCUMENT.read_text(), re.DOTALL)
    assert len(blocks) > 5
    code = "\n".join(blocks)
    exec(compile(code, str(DOCUMENT), "exec"), {"__name__": "walk_through"})
    printed = capsys.readouterr().out.splitlines()
    promised = re.findall(r"^(?: *print\(.*\)  )?# (.*)$", code, re.MULTILINE)
    assert printed == promised

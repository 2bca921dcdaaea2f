"""The processor for vLLM, driven as vLLM drives it.

vLLM is not installed here: what is taken from it are three names, which stand below as vLLM 0.32 and 0.33 have them.
`examples/vllm_tiny.py` runs the engine itself.
"""

import enum
import json
import sys
import types
from abc import ABC, abstractmethod
from dataclasses import dataclass, field

import pytest
import torch
from conftest import CALL, LOGITS

import harmony_mask

RETURN = 200_002


class MoveDirectionality(enum.Enum):
    UNIDIRECTIONAL = enum.auto()
    SWAP = enum.auto()


@dataclass(frozen=True)
class BatchUpdate:
    batch_size: int
    removed: list = field(default_factory=list)
    added: list = field(default_factory=list)
    moved: list = field(default_factory=list)


class LogitsProcessor(ABC):
    @abstractmethod
    def __init__(self, vllm_config, device, is_pin_memory): ...

    @abstractmethod
    def apply(self, logits): ...

    @abstractmethod
    def is_argmax_invariant(self): ...

    @abstractmethod
    def update_state(self, batch_update): ...


@dataclass
class Params:
    extra_args: dict | None = None
    max_tokens: int | None = 100


@pytest.fixture(scope="module")
def processor_class():
    names = ["vllm", "vllm.v1", "vllm.v1.sample", "vllm.v1.sample.logits_processor"]
    modules = {name: types.ModuleType(name) for name in names}
    for thing in (BatchUpdate, LogitsProcessor, MoveDirectionality):
        setattr(modules[names[-1]], thing.__name__, thing)
    with pytest.MonkeyPatch.context() as patch:
        for name, module in modules.items():
            patch.setitem(sys.modules, name, module)
        from harmony_mask.vllm import HarmonyLogitsProcessor

        yield HarmonyLogitsProcessor


@pytest.fixture
def processor(processor_class):
    return processor_class(None, torch.device("cpu"), False)


@pytest.fixture(scope="module")
def asked(vocabulary):
    """A prompt."""
    return vocabulary.encode("<|start|>user<|message|>Hi<|end|><|start|>assistant", special_tokens=True)


def params(request=CALL, **more):
    return Params(extra_args={"harmony_request": request}, **more)


def update(processor, **changes):
    processor.update_state(BatchUpdate(batch_size=4, **changes))


def allowed(processor):
    """The tokens that each of four rows may go on with; None where that is all of them."""
    logits = processor.apply(torch.zeros((4, LOGITS)))
    rows = [torch.nonzero(row > float("-inf")).flatten().tolist() for row in logits]
    return [None if len(row) == LOGITS else set(row) for row in rows]


def expected(grammar, tokens):
    matcher = grammar.matcher()
    assert matcher.accept_tokens(tokens)
    bitmask = harmony_mask.allocate_token_bitmask(1, LOGITS, backend="torch")
    matcher.fill_next_token_bitmask(bitmask)
    return set(torch.nonzero(harmony_mask.bitmask.allowed_tokens(bitmask, LOGITS)[0]).flatten().tolist())


def test_rows_come_go_and_move(processor, compiler, asked, completion):
    grammar = compiler.compile(CALL)
    start, further = expected(grammar, []), expected(grammar, completion[:3])
    assert allowed(processor) == [None] * 4
    request, output = json.dumps(CALL), list(completion[:3])
    added = [(1, params(request), asked, []), (2, Params(), asked, []), (3, params(), asked, output)]
    update(processor, added=added)
    assert allowed(processor) == [None, start, None, further]
    update(processor, moved=[(1, 3, MoveDirectionality.SWAP), (3, 0, MoveDirectionality.UNIDIRECTIONAL)])
    assert allowed(processor) == [start, further, None, None]
    processor.update_state(None)
    update(processor, removed=[0], added=[(1, Params(), asked, [])], moved=[(1, 2, MoveDirectionality.SWAP)])
    assert allowed(processor) == [None] * 4


def test_tokens_that_vllm_appends_are_followed(processor, compiler, asked, completion):
    grammar, output = compiler.compile(CALL), []
    update(processor, added=[(0, params(), asked, output)])
    for at, token in enumerate(completion):
        assert allowed(processor)[0] == expected(grammar, completion[:at])
        output.append(-1)
        assert allowed(processor)[0] == expected(grammar, completion[:at]), "a token that is not sampled yet"
        output[-1] = token
    output.append(0)
    assert allowed(processor)[0] is None, "what follows the end is padding"


def test_a_prompt_may_end_within_the_turn(processor, compiler, asked, completion):
    update(processor, added=[(0, params(), asked + completion[:3], list(completion[3:6]))])
    assert allowed(processor)[0] == expected(compiler.compile(CALL), completion[:6])


def test_the_limit_is_kept(processor, compiler, asked):
    needed = len(compiler.compile(CALL).matcher().shortest_completion())
    output = []
    update(processor, added=[(0, params(max_tokens=needed), asked, output), (1, params(max_tokens=1), asked, [])])
    assert allowed(processor)[1], "no completion is so short, so vLLM cuts it off"
    while output[-1:] != [200_012]:
        output.append(max(allowed(processor)[0]))
    assert len(output) == needed


def test_what_cannot_be_masked_ends_at_once(processor, asked, caplog):
    channel = 200_005
    update(processor, added=[(0, params(), asked + [channel] * 2, []), (1, params(), asked, [channel] * 2)])
    assert allowed(processor)[:2] == [{RETURN}, {RETURN}]
    assert allowed(processor)[:2] == [{RETURN}, {RETURN}]
    assert [record.message.startswith("a sequence ends here") for record in caplog.records] == [True] * 2


def test_requests_are_checked_before_they_reach_the_engine(processor_class):
    processor_class.validate_params(Params())
    processor_class.validate_params(params())
    with pytest.raises(ValueError, match="no tools are declared"):
        processor_class.validate_params(params({"tool_choice": "required"}))


def test_masks_change_the_likeliest_token(processor):
    assert not processor.is_argmax_invariant()

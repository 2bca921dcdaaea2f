"""Token masks that let gpt-oss say only valid Harmony.

>>> import harmony_mask
>>> compiler = harmony_mask.Compiler()
>>> grammar = compiler.compile({"text": {"format": {"type": "json_object"}}})
>>> matcher = grammar.matcher()
>>> bitmask = harmony_mask.allocate_token_bitmask(1, 201_088)
>>> matcher.fill_next_token_bitmask(bitmask)
True

numpy is loaded by the first bitmask, torch and transformers never, unless they are asked for; so importing this costs
a few milliseconds.
"""

from ._native import (
    Compiler,
    Delta,
    Deltas,
    Grammar,
    Matcher,
    Message,
    Vocabulary,
    __version__,
    batch_fill_next_token_bitmask,
)
from .bitmask import (
    allocate_token_bitmask,
    apply_token_bitmask_inplace,
    get_bitmask_shape,
    reset_token_bitmask,
)
from .errors import (
    BitmaskError,
    CompileError,
    DeadlineError,
    HarmonyMaskError,
    LimitExceeded,
    PromptError,
    RollbackError,
    TokenRejected,
    VocabularyError,
)

__all__ = [
    "BitmaskError",
    "CompileError",
    "Compiler",
    "DeadlineError",
    "Delta",
    "Deltas",
    "Grammar",
    "HarmonyMaskError",
    "LimitExceeded",
    "Matcher",
    "Message",
    "PromptError",
    "RollbackError",
    "TokenRejected",
    "Vocabulary",
    "VocabularyError",
    "__version__",
    "allocate_token_bitmask",
    "apply_token_bitmask_inplace",
    "batch_fill_next_token_bitmask",
    "get_bitmask_shape",
    "reset_token_bitmask",
]

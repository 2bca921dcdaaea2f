"""vLLM, with a gpt-oss of 26 million random weights, says only what each request allows.

Needs vLLM, which is not among what the tests install. Many sequences run at once, each under a request of its own, and
every completion is verified by other code than the masks.

    python examples/vllm_tiny.py --count 20
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from tiny_gpt_oss import REQUESTS, prompt, tiny_model
from verify import Verifier
from vllm import LLM, SamplingParams
from vllm.inputs import TokensPrompt

import harmony_mask
from harmony_mask.transformers import Completion

NAMES = ["weather", "shopping", "tools_and_format"]
MAX_TOKENS = 96


def engine(folder: Path) -> LLM:
    """vLLM with the model in a folder. It has no tokenizer: tokens go in, and come out."""
    return LLM(
        model=str(folder),
        skip_tokenizer_init=True,
        logits_processors=["harmony_mask.vllm:HarmonyLogitsProcessor"],
        max_model_len=1024,
        dtype="bfloat16",
        enforce_eager=True,
    )


def sampling(request: dict[str, Any] | None, seed: int, stop_token_ids: list[int]) -> SamplingParams:
    """How a sequence is sampled, and what it may say."""
    return SamplingParams(
        max_tokens=MAX_TOKENS,
        seed=seed,
        stop_token_ids=stop_token_ids,
        detokenize=False,
        extra_args=None if request is None else {"harmony_request": json.dumps(request)},
    )


def completion(vocabulary: harmony_mask.Vocabulary, token_ids: list[int]) -> Completion:
    return Completion(token_ids, vocabulary.parse(token_ids), token_ids[-1] in vocabulary.stop_token_ids)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--count", type=int, default=20, help="completions of each request")
    count = options.parse_args().count
    vocabulary = harmony_mask.Vocabulary.o200k_harmony()
    requests = [json.loads((REQUESTS / f"{name}.json").read_text()) for name in NAMES]
    # Every fourth sequence has no masks.
    batch = [(request, seed) for seed in range(count) for request in [*requests, None]]
    with tempfile.TemporaryDirectory() as folder:
        tiny_model().save_pretrained(folder)
        llm = engine(Path(folder))
        prompts = [
            TokensPrompt(prompt_token_ids=prompt(vocabulary, request or requests[0])[0].tolist())
            for request, _ in batch
        ]
        params = [sampling(request, seed, vocabulary.stop_token_ids) for request, seed in batch]
        outputs = llm.generate(prompts, params)
    wrong, free_and_right = 0, 0
    for (request, _), output in zip(batch, outputs, strict=True):
        said = completion(vocabulary, list(output.outputs[0].token_ids))
        problems = Verifier(request or requests[0]).problems(said)
        if request is None:
            free_and_right += not problems
        elif problems:
            wrong += 1
            print(problems, vocabulary.decode(said.token_ids), file=sys.stderr)
    print(f"{3 * count} completions under masks, {wrong} not valid; of {count} without, {free_and_right} are valid")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

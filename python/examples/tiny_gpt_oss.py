"""A gpt-oss of 26 million random weights says only what the request allows.

The architecture and the vocabulary are gpt-oss's own, the weights are noise: whatever is right about the result is due
to the masks. Every completion is verified by other code than theirs, and so is what the same model says without them.

    python examples/tiny_gpt_oss.py                        # one completion for each of the three example requests
    python examples/tiny_gpt_oss.py --count 50 --quiet
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

import torch
from transformers import GptOssConfig, GptOssForCausalLM
from transformers.utils import logging
from verify import Verifier

import harmony_mask
from harmony_mask.transformers import Completion, generate

REQUESTS = Path(__file__).resolve().parents[2] / "examples"
LOGITS = 201_088


def tiny_model(seed: int = 0) -> GptOssForCausalLM:
    """gpt-oss with 2 layers of 64 and its real vocabulary, at random."""
    torch.manual_seed(seed)
    config = GptOssConfig(
        num_hidden_layers=2,
        hidden_size=64,
        intermediate_size=64,
        num_local_experts=4,
        num_experts_per_tok=2,
        head_dim=32,
        num_attention_heads=4,
        num_key_value_heads=2,
        vocab_size=LOGITS,
        max_position_embeddings=4096,
        layer_types=["sliding_attention", "full_attention"],
    )
    return GptOssForCausalLM(config).eval()


def prompt(vocabulary: harmony_mask.Vocabulary, request: dict[str, Any]) -> torch.Tensor:
    """The user's words and an open turn. A real prompt also has a system and a developer message; to random weights
    they are all the same.
    """
    text = request.get("input") or request["messages"][-1]["content"]
    tokens = vocabulary.encode("<|start|>user<|message|>", special_tokens=True)
    tokens += vocabulary.encode(text)
    tokens += vocabulary.encode("<|end|><|start|>assistant", special_tokens=True)
    return torch.tensor([tokens])


def unconstrained(
    model: Any, vocabulary: harmony_mask.Vocabulary, input_ids: torch.Tensor, count: int, max_new_tokens: int
) -> list[Completion]:
    """What the model says when it may say everything."""
    stop_token_ids = vocabulary.stop_token_ids
    sequences = model.generate(
        input_ids,
        max_new_tokens=max_new_tokens,
        do_sample=True,
        num_return_sequences=count,
        eos_token_id=stop_token_ids,
        pad_token_id=stop_token_ids[0],
    )
    completions = sequences[:, input_ids.shape[1] :].tolist()
    return [Completion(tokens, vocabulary.parse(tokens), tokens[-1] in stop_token_ids) for tokens in completions]


def show(completion: Completion) -> None:
    for message in completion.messages:
        recipient = f" to={message.recipient}" if message.recipient else ""
        content = message.content if len(message.content) < 200 else message.content[:200] + "…"
        print(f"  {message.channel}{recipient}, ends with <|{message.end}|>: {content!r}")


def run(name: str, model: Any, compiler: harmony_mask.Compiler, count: int, max_new_tokens: int, quiet: bool) -> bool:
    """Completes one request with masks and without; whether all of the former and none of the latter are valid."""
    request = json.loads((REQUESTS / f"{name}.json").read_text())
    verifier = Verifier(request)
    input_ids = prompt(compiler.vocabulary, request)
    started = time.perf_counter()
    masked = generate(
        model,
        compiler.compile(request),
        input_ids,
        max_new_tokens=max_new_tokens,
        do_sample=True,
        num_return_sequences=count,
    )
    seconds = time.perf_counter() - started
    free = unconstrained(model, compiler.vocabulary, input_ids, count, max_new_tokens)
    problems = [verifier.problems(completion) for completion in masked]
    valid = sum(not found for found in problems)
    valid_free = sum(not verifier.problems(completion) for completion in free)
    print(f"{name}: {valid} of {count} are finished and valid, without masks {valid_free}; {seconds:.1f} s")
    for completion, found in zip(masked, problems, strict=True):
        if found or not quiet:
            show(completion)
        for problem in found:
            print(f"  PROBLEM: {problem}")
    return valid == count and valid_free == 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=1, help="completions for each request")
    parser.add_argument("--max-new-tokens", type=int, default=96)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--quiet", action="store_true", help="show only what is wrong")
    arguments = parser.parse_args()
    logging.set_verbosity_error()
    model, compiler = tiny_model(arguments.seed), harmony_mask.Compiler()
    names = ["weather", "shopping", "tools_and_format"]
    good = [run(name, model, compiler, arguments.count, arguments.max_new_tokens, arguments.quiet) for name in names]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())

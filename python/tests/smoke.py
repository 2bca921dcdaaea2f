"""What must work where only the wheel and its one dependency are installed: no pytest, no torch."""

import sys

import harmony_mask

assert "numpy" not in sys.modules, "numpy is loaded by the first bitmask"

compiler = harmony_mask.Compiler()
matcher = compiler.compile({"text": {"format": {"type": "json_object"}}}).matcher()
bitmask = harmony_mask.allocate_token_bitmask(1, 201_088)
assert matcher.fill_next_token_bitmask(bitmask)
assert matcher.accept_tokens(matcher.shortest_completion()) and matcher.is_terminated()
print(matcher.transcript())
print({name: module.__version__ for name, module in sys.modules.items() if name in ("harmony_mask", "numpy")})
assert not {"torch", "transformers", "pydantic"} & set(sys.modules)

"""Prints names, shapes and sums of the tensors that `talbot export` wrote as JSON, read with Python's safetensors.

    export.py FILE
"""
import json
import sys

from safetensors.numpy import load_file

tensors = load_file(sys.argv[1])
print(json.dumps({name: {"shape": list(t.shape), "sum": float(t.astype("float64").sum())} for name, t in tensors.items()}))

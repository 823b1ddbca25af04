"""Reads what `talbot export` wrote with independent libraries.

    export.py safetensors FILE            prints names, shapes and sums as JSON
    export.py onnx FILE < batches         checks the model, runs it, prints logits and values as JSON

A batch is a list of positions, a position a list of 68 planes as strings of 16 hex digits, bit i = square i.
"""
import json
import sys

kind, path = sys.argv[1:]
if kind == "safetensors":
    from safetensors.numpy import load_file
    tensors = load_file(path)
    print(json.dumps({name: {"shape": list(t.shape), "sum": float(t.astype("float64").sum())} for name, t in tensors.items()}))
else:
    import numpy as np
    import onnxruntime
    try:
        import onnx
        onnx.checker.check_model(onnx.load(path), full_check=True)
    except ImportError:
        print("onnx is not installed: the model is run, but not checked", file=sys.stderr)
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    out = []
    for batch in json.load(sys.stdin):
        words = np.array([[int(plane, 16) for plane in position] for position in batch], dtype=np.uint64)
        bits = words[:, :, None] >> np.arange(64, dtype=np.uint64) & np.uint64(1)
        planes = bits.astype(np.float32).reshape(len(batch), 68, 8, 8)
        logits, value = session.run(["logits", "value"], {"planes": planes})
        out.append({"logits": logits.tolist(), "value": value.tolist()})
    print(json.dumps(out))

"""Checks and runs an ONNX model with ONNX Runtime.

    run.py FILE < numbers

Each line of the numbers is a batch: a JSON list, of as many samples as it fills. All outputs of a batch are printed as a
line of JSON, by name, each a list of flat lists.
"""
import json
import sys

import numpy as np
import onnxruntime

try:
    import onnx
    onnx.checker.check_model(onnx.load(sys.argv[1]), full_check=True)
except ImportError:
    print("onnx is not installed: the model is run, but not checked", file=sys.stderr)
session = onnxruntime.InferenceSession(sys.argv[1], providers=["CPUExecutionProvider"])
x = session.get_inputs()[0]
for line in sys.stdin:
    data = np.array(json.loads(line), dtype=np.float32).reshape(-1, *x.shape[1:])
    outputs = session.run(None, {x.name: data})
    print(json.dumps({o.name: y.reshape(len(data), -1).tolist() for o, y in zip(session.get_outputs(), outputs)}))

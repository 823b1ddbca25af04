"""Prints as JSON what TensorBoard finds in a folder of event files: run -> tag -> [[step, value], …]."""
import json
import sys

from tensorboard.backend.event_processing import plugin_event_multiplexer
from tensorboard.util import tensor_util

multiplexer = plugin_event_multiplexer.EventMultiplexer()
multiplexer.AddRunsFromDirectory(sys.argv[1])
multiplexer.Reload()
found = {}
for run, tags in multiplexer.Runs().items():
    found[run] = {
        tag: [[e.step, float(tensor_util.make_ndarray(e.tensor_proto))] for e in multiplexer.Tensors(run, tag)]
        for tag in tags["tensors"]
    }
print(json.dumps(found))

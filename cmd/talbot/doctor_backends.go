package main

import (
	"talbot/network/backend"
	"talbot/network/ort"
)

// needsCompiler is what to do about a talbot without XLA and ONNX Runtime.
const needsCompiler = "install a C compiler, such as gcc, and build talbot again with scripts/build.sh; or install " +
	"the wheel for Linux (docs/18-releases.md)"

// checkXLA judges the backends besides Go.
func (d *diagnosis) checkXLA(found backend.Discovery) {
	if !d.XLA {
		d.add("xla", statusAbsent, needsCompiler,
			"not built in (the backend go always works)")
		return
	}
	d.add("xla", statusOK, "", "compiled in")
	if p, ok := found.Plugin("cpu"); ok {
		d.add("xla:cpu", statusOK, "", "%s", p.Path)
	} else {
		d.add("xla:cpu", statusAbsent, "run `talbot setup xla-cpu` for faster training on the processor",
			"no plugin found (also looked in %s)", backend.PluginDir())
	}
	for _, g := range d.GPUs {
		d.add("gpu", statusOK, "", "%s, %s", g.Name, g.Path)
	}
	switch p, ok := found.Plugin("cuda"); {
	case len(d.GPUs) == 0:
		d.add("gpu", statusAbsent, "", "no NVIDIA GPU found")
	case ok:
		d.add("xla:cuda", statusOK, "", "%s", p.Path)
	default:
		d.add("xla:cuda", statusAbsent, "run `talbot setup xla-cuda`", "no plugin found")
	}
	for _, p := range found.Plugins {
		if p.Kind != "cpu" && p.Kind != "cuda" {
			d.add("xla:"+p.Kind, statusOK, "", "%s", p.Path)
		}
	}
}

// checkONNX looks for ONNX Runtime and loads it.
func (d *diagnosis) checkONNX(found backend.Discovery) {
	switch {
	case !found.Loads:
		d.add("onnx", statusAbsent, needsCompiler, "ONNX Runtime cannot be loaded")
		return
	case found.Runtime == "":
		d.add("onnx", statusAbsent, "run `talbot setup onnx` for faster play and evaluation on the processor",
			"ONNX Runtime was not found")
		return
	}
	version, err := ort.Load(found.Runtime)
	if err != nil {
		d.add("onnx", statusAbsent, "run `talbot setup onnx --from FILE` with a newer library", "%v", err)
		return
	}
	d.ONNX = foundThing{"ONNX Runtime " + version, found.Runtime}
	d.add("onnx", statusOK, "", "ONNX Runtime %s, %s", version, found.Runtime)
}

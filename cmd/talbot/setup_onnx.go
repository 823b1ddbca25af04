package main

import (
	"context"
	"fmt"
)

// onnxVersion is that of ONNX Runtime's Python package.
const onnxVersion = "1.31.1"

// onnxSources are the packages by system, whose libraries do not depend on Python.
var onnxSources = map[string]struct{ platform, member, sum string }{
	"linux/amd64": {"manylinux_2_28_x86_64", "libonnxruntime.so." + onnxVersion,
		"fc44112fbe06d7d689c57e11d3862031f64711007e4ee020f8eed5185fd2c1d3"},
	"linux/arm64": {"manylinux_2_28_aarch64", "libonnxruntime.so." + onnxVersion,
		"8aa3b76b28c778a2b1dd660d34161adb1d508c9ccd04ff9dc80e26eca5df8467"},
	"darwin/arm64": {"macosx_14_0_arm64", "libonnxruntime." + onnxVersion + ".dylib",
		"07fde7652b628c2c744155cf49020f368ddf5e1e13fc17817d1350514446bef8"},
}

// planONNX says where ONNX Runtime comes from.
func planONNX(m machine) (step, error) {
	from, ok := onnxSources[m.os+"/"+m.arch]
	if !ok {
		return step{}, hint(fmt.Errorf("%s: there is no package for %s/%s", partONNX, m.os, m.arch),
			"use a library that is here: `talbot setup onnx --from FILE`")
	}
	if !m.pip() {
		return step{}, hint(fmt.Errorf("%s: python3 with pip is missing", partONNX),
			"install pip, or use a library that is here: `talbot setup onnx --from FILE`")
	}
	to, err := m.pluginPath(partONNX)
	if err != nil {
		return step{}, err
	}
	source := pluginSource{
		part: partONNX,
		name: "from the Python package onnxruntime " + onnxVersion + ", with pip (24 MB to download, 30 MB on disk)",
		fetch: pip("onnxruntime=="+onnxVersion, "--python-version", "3.13", "--implementation", "cp", "--abi", "cp313",
			"--platform", from.platform),
		pattern: "*.whl", member: "onnxruntime/capi/" + from.member, sum: from.sum,
	}
	return step{part: partONNX,
		plan: []string{"ONNX Runtime for " + m.os + "/" + m.arch + ",", source.name, "into " + to},
		do:   func(ctx context.Context) error { return source.install(ctx, to) }}, nil
}

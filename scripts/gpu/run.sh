#!/bin/bash
# Proves and measures talbot on a GPU machine within so many seconds (540 by default). README.md has the parts.
#
#	run.sh [SECONDS]
#
# It needs what pack.sh put beside it, python3 with PyTorch and jax's CUDA plugin, and no network. Every step has a limit
# and a log, and one that fails keeps none of the others from running; but if no training runs at all, it says why and
# ends. $OUT, gpu-out by default, gets:
#
#	summary.txt    a line for each step, also on standard output    results.jsonl  the figures
#	all.log        the end of what each step printed                logs.tar.gz    all of it
#	lynx.net.safetensors                                            the network of the long training
set -u
limit=${1:-540}
here=$(cd "$(dirname "$0")" && pwd)
out=${OUT:-$PWD/gpu-out} work=${WORK:-/tmp/talbot-gpu}
rm -rf "$work"
mkdir -p "$out" "$work/logs"
parts=${PARTS:-info ladder doctor proofs speed kernels real play lynx}
backend=${BACKEND:-xla:cuda}
net=${NET:-20x128} batch=${BATCH:-2048}
configs=${CONFIGS:-20x128:bf16:2048,20x256:bf16:2048,20x128:float32:2048,20x128:bf16:2048:det,20x128:bf16:4096}
measure=${MEASURE:-5} lynx=${LYNX:-10x128} half=${HALF:-bf16}
blocks=${net%x*} filters=${net#*x}
python=${PYTHON:-python3} talbot=$work/talbot
export TF_CPP_MIN_LOG_LEVEL=${TF_CPP_MIN_LOG_LEVEL:-1} PYTHONUNBUFFERED=1 XDG_CACHE_HOME=$work/cache
results=$out/results.jsonl

say() { printf '%4d s  %(%T)T  %s\n' "$SECONDS" -1 "$*" | tee -a "$out/summary.txt"; }
left() { echo $((limit - SECONDS - ${1:-5})); }
has() { [[ " $parts " == *" $1 "* ]]; }

# run NAME SECONDS COMMAND…: standard output to logs/NAME.out, errors to logs/NAME.log.
run() {
	local name=$1 most=$2 begun=$SECONDS rc
	shift 2
	[ "$most" -le "$(left)" ] || most=$(left)
	if [ "$most" -lt 5 ]; then
		say "$name: left out, no time"
		return 99
	fi
	timeout -k 5 "$most" "$@" >"$work/logs/$name.out" 2>"$work/logs/$name.log" </dev/null
	rc=$?
	case $rc in
	0) say "$name: ok in $((SECONDS - begun)) s" ;;
	124 | 137) say "$name: STOPPED after $((SECONDS - begun)) s" ;;
	*) say "$name: FAILED ($rc) in $((SECONDS - begun)) s: $(grep -v '^ *$' "$work/logs/$name.log" | tail -2 | cut -c1-300 | tr '\n' ' ')" ;;
	esac
	{
		echo "=== $name rc $rc"
		tail -c 60000 "$work/logs/$name.log"
		tail -c 20000 "$work/logs/$name.out"
	} >"$work/logs/.$name.part"
	flock "$work/lock" cat "$work/logs/.$name.part" >>"$out/all.log"
	return $rc
}

finish() {
	local rc=$?
	trap - EXIT
	# shellcheck disable=SC2046
	kill $(jobs -p) 2>/dev/null
	rm -f "$work"/logs/.*.part
	find "$work" -maxdepth 3 \( -name metrics.jsonl -o -name run.json \) \
		-not -path '*/cache/*' | while read -r f; do cp "$f" "$work/logs/$(echo "${f#"$work"/}" | tr / -)" 2>/dev/null; done
	tar -C "$work" -czf "$out/logs.tar.gz" logs 2>/dev/null
	say "end"
	[ -s "$results" ] && cat "$results"
	echo "----- summary"
	cat "$out/summary.txt"
	exit "$rc"
}
trap finish EXIT
trap 'exit 130' INT TERM

xz -dc "$here/talbot.xz" >"$talbot" 2>/dev/null ||
	"$python" -c 'import lzma,shutil,sys; shutil.copyfileobj(lzma.open(sys.argv[1]), open(sys.argv[2],"wb"))' "$here/talbot.xz" "$talbot" ||
	exit 1
chmod +x "$talbot"
all=$(find "$here/data" -mindepth 1 -maxdepth 1 -type d | sort | paste -sd,)
data=${all%%,*}
say "$("$talbot" version 2>&1 | head -1); data: $all"

# Where things are on this machine; empty where there is no such thing.
site=$("$python" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')
plugin=$(find "$site"/jax_plugins/xla_cuda1* -name xla_cuda_plugin.so 2>/dev/null | sort | tail -1)
libraries=$(find "$site"/nvidia -maxdepth 2 -name lib -type d 2>/dev/null | paste -sd:)
# What XLA calls the CUDA folder: bin/ptxas and nvvm/libdevice in one place, of the toolkit or of Triton.
cuda=$work/cuda
mkdir -p "$cuda/bin" "$cuda/nvvm/libdevice"
for top in "${CUDA_HOME:-/usr/local/cuda}" "$site/nvidia/cu13" "$site/nvidia/cuda_nvcc" "$site/torch" "$site/triton/backends/nvidia"; do
	for tool in ptxas nvlink fatbinary; do
		[ -x "$top/bin/$tool" ] && [ ! -e "$cuda/bin/$tool" ] && ln -s "$top/bin/$tool" "$cuda/bin/$tool"
	done
	for bits in "$top"/nvvm/libdevice/libdevice.10.bc "$top"/lib/libdevice.10.bc; do
		[ -f "$bits" ] && [ ! -e "$cuda/nvvm/libdevice/libdevice.10.bc" ] && ln -s "$bits" "$cuda/nvvm/libdevice/"
	done
done
say "plugin: ${plugin:-none}; ptxas: $(readlink "$cuda/bin/ptxas" || echo none); libdevice: $(readlink "$cuda/nvvm/libdevice/libdevice.10.bc" || echo none)"

about() {
	nvidia-smi
	nvidia-smi --query-gpu=name,driver_version,memory.total,power.limit,clocks.max.sm,clocks.max.mem --format=csv
	uname -a; cat /etc/os-release; ldd --version | head -1; lscpu | head -30; free -g; df -h /tmp
	ls -la /dev/nvidia* /proc/driver/nvidia/gpus/*/information
	env | grep -E '^(PATH|LD_|CUDA|XLA|JAX|NVIDIA|VIRTUAL|PYTHON)'
	command -v nvcc ptxas xz zstd python3
	ldconfig -p | grep -E 'libcuda\.so|libcudnn\.so|libcublas\.so|libnvrtc\.so'
	ls "$site" | grep -iE '^(jax|torch|nvidia|triton).*dist-info'
	"$talbot" doctor || true # Stockfish is missing there
}
if has info; then
	nvidia-smi dmon -s pum -o T -d 1 >"$work/logs/dmon.txt" 2>/dev/null &
	# A bare machine reads gigabytes of libraries for the first time: all at once, beside what comes next.
	find "$site/jax_plugins" "$site/nvidia" "$site/torch/lib" -name '*.so*' -size +1M -print0 2>/dev/null |
		xargs -0 -P 8 -n 1 cat >/dev/null 2>&1 &
	export -f about
	export site talbot
	run info 30 bash -c about
fi

# The first environment in which a small training runs is everybody's from there on.
works=no
flags=${XLA_FLAGS:+$XLA_FLAGS }
rung() {
	local name=$1
	shift
	[ "$works" = no ] || return
	if run "ladder-$name" "${RUNG:-90}" env "$@" "$talbot" train --data "$data" --run "$work/ladder-$name" --backend "$backend" \
		--preset small --steps 30 --eval-every 0 --json; then
		works=$name
		[ $# -eq 0 ] || export "$@"
	fi
}
if has ladder; then
	rung plain
	rung libraries "LD_LIBRARY_PATH=$libraries:${LD_LIBRARY_PATH:-}"
	rung folder "LD_LIBRARY_PATH=$libraries:${LD_LIBRARY_PATH:-}" "PATH=$cuda/bin:$PATH" "XLA_FLAGS=$flags--xla_gpu_cuda_data_dir=$cuda"
	[ "$works" != no ] || [ -z "$plugin" ] || backend=xla:$plugin
	rung file "LD_LIBRARY_PATH=$libraries:${LD_LIBRARY_PATH:-}" "PATH=$cuda/bin:$PATH" "XLA_FLAGS=$flags--xla_gpu_cuda_data_dir=$cuda"
	rung careful "LD_LIBRARY_PATH=$libraries:${LD_LIBRARY_PATH:-}" "PATH=$cuda/bin:$PATH" \
		"XLA_FLAGS=$flags--xla_gpu_cuda_data_dir=$cuda --xla_gpu_unsafe_fallback_to_driver_on_ptxas_not_found=true --xla_gpu_autotune_level=0 --xla_gpu_enable_triton_gemm=false"
	say "LADDER: $works"
	if [ "$works" = no ]; then # say why, and keep the rest of the time for another try
		[ -z "$plugin" ] || run diagnose-ldd 20 ldd "$plugin"
		run diagnose-libs 40 env LD_DEBUG=libs TF_CPP_MIN_LOG_LEVEL=0 "$talbot" doctor --gpu --backend "$backend"
		run diagnose-jax 60 "$python" -c 'import jax, jax.numpy as n; print(jax.devices()); x = n.ones((8,8,8,16), n.bfloat16); print(jax.jit(lambda a, k: jax.lax.conv_general_dilated(a, k, (1,1), "SAME", dimension_numbers=("NHWC","HWIO","NHWC")))(x, n.ones((3,3,16,16), n.bfloat16)).sum())'
		run diagnose-torch 60 "$python" -c 'import torch; print(torch.__version__, torch.cuda.get_device_name()); print((torch.ones(512,512,device="cuda")@torch.ones(512,512,device="cuda")).sum())'
		exit 1
	fi
fi

# What PyTorch compiles takes as long as what XLA does: it begins now and measures when it is told to.
if has speed; then
	most=$(left 10)
	end=$((limit - 110))
	! has lynx || end=$((limit - 250))
	run speed "$most" "$python" "$here/compare.py" --configs "$configs" --talbot "$talbot" --backend "$backend" --data "$data" \
		--seconds "$measure" --go "$work/go" --deadline $(($(date +%s) + ${SPEED_END:-$end} - SECONDS)) --out "$results" --work "$work" &
	speed=$!
fi

# The user's check: losses beside those of go, and the speed.
if has doctor; then
	run doctor "${DOCTOR:-150}" "$talbot" doctor --gpu --backend "$backend" --blocks "$blocks" --filters "$filters" --batch "$batch" \
		--seconds "$measure" --json && cp "$work/logs/doctor.out" "$out/doctor.json"
fi

# One step by SGD on all samples of a few games, without anything random: its momentum is the gradient.
same=(--blocks "$blocks" --filters "$filters" --set block_dropout=0 --set value_dropout=0 --seed 1)
once() {
	local name=$1
	shift
	run "gradients-$name" 140 env "$@" "$talbot" train --data "$here/few" --run "$work/grad-$name" --backend "${use:-$backend}" \
		"${same[@]}" --batch "$few" --optimizer sgd --lr 0.01 --weight-decay 0 --clip 0 --schedule constant --warmup 0 --steps 1 \
		--eval-every 0 --precision "${how:-float32}" --json
}
twice() { # a run whole, and one killed and resumed, have the same bytes
	new() {
		local name=$1
		exec "$talbot" train --data "$data" --run "$work/$name" --backend "$backend" --blocks "$blocks" --filters "$filters" \
			--batch "${RESUME_BATCH:-512}" --precision "$half" --steps 60 --checkpoint-every 20 --eval-every 0 --keep 10 --deterministic --json
	}
	(new whole) &
	local whole=$! cut
	(new cut) &
	cut=$!
	until compgen -G "$work/cut/checkpoints/step-*20.safetensors" >/dev/null || ! kill -0 $cut; do sleep 0.02; done
	kill -9 $cut
	wait $cut
	ls "$work/cut/checkpoints"
	"$talbot" train --run "$work/cut" --resume --json || return 1
	wait $whole || return 1
	sha256sum "$work"/{whole,cut}/checkpoints/step-*.safetensors
	cmp "$work"/{whole,cut}/checkpoints/step-*60.safetensors
}
if has proofs; then
	pids=()
	few=$("$python" -c 'import numpy, sys; print(len(numpy.load(sys.argv[1])))' "$here/few.npy")
	run init 60 "$talbot" train --init --run "$work/init" "${same[@]}"
	once tf32 & pids+=($!)
	once exact NVIDIA_TF32_OVERRIDE=0 "XLA_FLAGS=${XLA_FLAGS:+$XLA_FLAGS }--xla_gpu_enable_triton_gemm=false" & pids+=($!)
	how=$half once half & pids+=($!)
	use=go once go & pids+=($!)
	export -f twice
	export work talbot data backend blocks filters half
	run resume 150 bash -c twice & pids+=($!)
	for on in "$backend" go; do
		run "eval-${on//[^a-z]/}" 120 "$talbot" eval --run net: --data "$data" --samples "${EVAL:-8192}" --backend "$on" --report none --json & pids+=($!)
	done
	wait "${pids[@]}"
	runs=()
	for n in go exact tf32 half; do
		runs+=("$n=$(find "$work/grad-$n/checkpoints" -name 'step-*1.safetensors')")
	done
	run gradients 60 "$python" "$here/gradients.py" "$(find "$work/init/checkpoints" -name '*.safetensors' | head -1)" "$here/few.npy" \
		"${runs[@]}" --out "$results"
	"$python" - "$work/logs" "eval-${backend//[^a-z]/}.out" >>"$results" <<'PY'
import json, sys
for name in (sys.argv[2], "eval-go.out"):
    try:
        d = json.load(open(f"{sys.argv[1]}/{name}"))
        print(json.dumps({"kind": "eval", "on": name, **{k: v for k, v in d.items() if k in ("policy_ce", "value_mse", "top1", "samples", "positions_per_second")}}))
    except Exception as e:
        print(json.dumps({"kind": "eval", "on": name, "error": repr(e)}))
PY
fi

touch "$work/go"
if has speed; then
	wait "$speed"
fi

stop_after() { # SECONDS COMMAND…
	timeout --foreground -s INT -k 25 "$@"
	[ $? -eq 124 ]
}
export -f stop_after

# What the GPU does and where it waits.
top=${CUDA_HOME:-/usr/local/cuda}
if has kernels && [[ $backend == *cuda* ]] && run kernels-build 20 c++ -O2 -shared -fPIC -I"$top/include" -I"$top/extras/CUPTI/include" "$here/kernels.cc" -o "$work/kernels.so" \
	-L"$top/extras/CUPTI/lib64" -lcupti; then
	run kernels-run 45 env KERNELS="$work/kernels" CUDA_INJECTION64_PATH="$work/kernels.so" \
		LD_LIBRARY_PATH="${LD_LIBRARY_PATH:-}:$top/extras/CUPTI/lib64:$site/nvidia/cu13/lib" bash -c 'stop_after "$@"' - "${KERNELS_SECONDS:-16}" \
		"$talbot" train --data "$data" --run "$work/kernels-run" --backend "$backend" --blocks "$blocks" --filters "$filters" --batch "$batch" \
		--precision "$half" --steps 1000000 --schedule constant --eval-every 0 --checkpoint-every 0
	run kernels 20 "$python" "$here/kernels.py" "$work/kernels"
	tee -a "$out/summary.txt" <"$work/logs/kernels.out"
fi

# The verb itself on real data, with the backend that talbot chooses by itself; stopped as by Ctrl-C.
if has real; then
	run real 90 bash -c 'stop_after "$@"' - "${REAL:-45}" "$talbot" train --data "$all" --run "$work/real" ${AUTO:+--backend "$AUTO"} --blocks "$blocks" \
		--filters "$filters" --batch "$batch" --precision "$half" --steps 1000000 --until 100000 --schedule constant --lr 1e-3 --warmup 100 --checkpoint-every 500
	grep '"kind":"train"' "$work/real/metrics.jsonl" | tail -1 | tee -a "$results"
fi
if has play; then
	printf 'uci\nisready\nposition startpos\ngo nodes 4000\n' >"$work/uci"
	run uci 35 bash -c '(cat "$0"; sleep "${1:-15}"; echo quit) | "$2" uci --backend "$3"' "$work/uci" "${UCI:-15}" "$talbot" "$backend"
	grep '^info depth' "$work/logs/uci.out" | tail -1
	run bench "${BENCH:-45}" "$talbot" bench --backend "$backend" --batch 64 --seconds 1s --json
fi
if has lynx; then
	reserve=${RESERVE:-35} # to save and export
	most=$(left "$reserve")
	if [ "$most" -gt 30 ]; then
		run lynx "$(left 8)" bash -c 'stop_after "$@"' - "$most" "$talbot" train --recipe lynx --data "$all" --run "$work/lynx" --backend "$backend" \
			--blocks "${lynx%x*}" --filters "${lynx#*x}" --batch "${LYNX_BATCH:-1024}" --precision "$half" --steps 10000000 --until 1000000 \
			--schedule constant --warmup 300 --ema 0.999 --history-dropout 0.05 --eval-every 2000 --checkpoint-every 1000 --keep 1 --seed 1
		grep '"kind":"train"' "$work/lynx/metrics.jsonl" | tail -1 | tee -a "$results"
		grep '"kind":"val"' "$work/lynx/metrics.jsonl" | tail -1 | tee -a "$results"
		run export 15 "$talbot" export --run "$work/lynx" --newest --format net --out "$work/lynx.net.safetensors" &&
			if [ "$(stat -c %s "$work/lynx.net.safetensors")" -lt 16000000 ]; then cp "$work/lynx.net.safetensors" "$out/"; else split -b 15M "$work/lynx.net.safetensors" "$out/lynx.net.safetensors."; fi
	fi
fi
true

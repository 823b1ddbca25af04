package train

import (
	"slices"

	"github.com/gomlx/compute/distributed"
	"github.com/gomlx/gomlx/core/graph"
	gomlx "github.com/gomlx/gomlx/ml/model"
)

// Several devices of one host train a micro-batch together (data parallelism): each holds all weights and moments, and
// gets an equal share of the samples. The graphs are the same as for one device and say nothing of devices; XLA's
// partitioner (Shardy) splits them along the samples and puts in what sums over all samples need. So N devices compute
// what one does, but for the order of sums: normalisations see the whole micro-batch, and dropout is the same.
// Validation, the statistics of averaged weights and prediction use the first device.

// runOnAll is run on all devices. args are the inputs of a device: those that each gets whole, and its share of those
// that are split along their first axis. All outputs are whole on each device, and come of one device after the other.
func (e *engine) runOnAll(x **gomlx.Exec, what string, args func(device, devices int) (whole, share []any),
	build func(in []*graph.Node) *graph.Node) ([][]float32, error) {
	devices := e.config.Devices
	if devices == 1 {
		whole, share := args(0, 1)
		return e.run(x, what, append(whole, share...), build)
	}
	var all []any
	for device := range devices {
		whole, share := args(device, devices)
		all = append(append(all, whole...), share...)
		if *x == nil {
			if err := e.compile(x, what, build); err != nil {
				return nil, err
			}
			if err := e.spread(*x, len(whole)); err != nil {
				return nil, err
			}
		}
	}
	return e.call(*x, all)
}

// spread makes a graph run on all devices. Each gets the first inputs whole, and its share of all others.
func (e *engine) spread(x *gomlx.Exec, whole int) (err error) {
	if e.mesh == nil { // the variables need the same one for all graphs
		if e.mesh, err = distributed.NewDeviceMesh([]int{e.config.Devices}, []string{"samples"}); err != nil {
			return err
		}
	}
	share, err := distributed.NewShardingSpec(e.mesh, distributed.AxisSpec{"samples"})
	if err != nil {
		return err
	}
	everywhere := distributed.NewReplicatedShardingSpec(e.mesh)
	// the last one is that of all that follow
	inputs := append(slices.Repeat([]*distributed.ShardingSpec{everywhere}, whole), share)
	x.AutoSharding(e.mesh).WithInputShardingSpecs(inputs...).WithOutputShardingSpecs(everywhere)
	return nil
}

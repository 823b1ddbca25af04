package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"talbot/dataset"
	"talbot/network/builtin"
	"talbot/network/run"
)

// complete completes a flag's value.
func complete(cmd *cobra.Command, flag string, find func(typed string) []string) {
	_ = cmd.RegisterFlagCompletionFunc(flag, // its only error is a missing flag
		func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
			return completed(find(typed))
		})
}

// completed returns completions and has no space put after one that goes on.
func completed(all []string) ([]string, cobra.ShellCompDirective) {
	if slices.ContainsFunc(all, func(s string) bool {
		return strings.HasSuffix(s, "/") || strings.HasSuffix(s, ":") && s != builtin.Name
	}) {
		return all, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
	return all, cobra.ShellCompDirectiveNoFileComp
}

// completeDatasets completes the operands of a command that takes up to most datasets.
func completeDatasets(most int) cobra.CompletionFunc {
	return completeOperands(most, foldersThat(isDataset))
}

// completeOperands completes the operands of a command that takes up to most of those that find lists.
func completeOperands(most int, find func(typed string) []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) >= most {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return completed(slices.DeleteFunc(find(typed), func(dir string) bool { return slices.Contains(args, dir) }))
	}
}

// completeFolders completes a flag whose value is a folder of that kind, or several with commas between them.
func completeFolders(cmd *cobra.Command, flag string, is func(dir string) bool) {
	complete(cmd, flag, lastOf(foldersThat(is)))
}

// lastOf completes the last of several words with commas between them.
func lastOf(find func(typed string) []string) func(typed string) []string {
	return func(typed string) []string {
		i := strings.LastIndexByte(typed, ',') + 1
		all := find(typed[i:])
		for k := range all {
			all[k] = typed[:i] + all[k]
		}
		return all
	}
}

// networks lists runs, networks of lc0's, and the network that comes with talbot.
func networks(typed string) []string {
	all := foldersThat(run.IsRun)(typed)
	files, _ := filepath.Glob(typed + "*.pb.gz") // what is no pattern names none
	all = append(all, files...)
	if strings.HasPrefix(builtin.Name, typed) {
		all = append(all, builtin.Name)
	}
	return all
}

// foldersThat lists the folders that begin as was typed and are of a kind, and those that may have some below them.
func foldersThat(is func(dir string) bool) func(typed string) []string {
	return func(typed string) []string {
		dir, base := filepath.Split(typed)
		entries, _ := os.ReadDir(filepath.Join(dir, ".")) // what cannot be read has none
		var all []string
		for _, e := range entries {
			path := dir + e.Name()
			info, err := os.Stat(path)
			if err != nil || !info.IsDir() || !strings.HasPrefix(e.Name(), base) ||
				strings.HasPrefix(e.Name(), ".") && base == "" {
				continue
			}
			if is(path) {
				all = append(all, path)
			} else if !isDataset(path) && !run.IsRun(path) {
				all = append(all, path+"/")
			}
		}
		return all
	}
}

func isDataset(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, dataset.ManifestName))
	return err == nil
}

// completeFolder has the shell complete folders alone.
func completeFolder(cmd *cobra.Command, flags ...string) {
	for _, flag := range flags {
		_ = cmd.MarkFlagDirname(flag) // its only error is a missing flag
	}
}

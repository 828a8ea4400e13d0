package exchange

import (
	"runtime/debug"

	"github.com/prometheus/client_golang/prometheus"
)

// buildInfo is a figure that is always 1; its labels say which program this is.
func buildInfo(version string) prometheus.Collector {
	labels := prometheus.Labels{"version": version, "goversion": "unknown", "revision": "unknown"}
	if info, ok := debug.ReadBuildInfo(); ok {
		labels["goversion"] = info.GoVersion
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				labels["revision"] = s.Value
			}
		}
	}
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "bourse_build_info", Help: "Always 1; the labels say which program runs.", ConstLabels: labels,
	}, func() float64 { return 1 })
}

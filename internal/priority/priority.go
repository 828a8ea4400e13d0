// Package priority lets work for which nobody waits urgently give way to orders.
package priority

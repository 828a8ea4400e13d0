package operator

import (
	"slices"

	"bourse/internal/sheet"
)

// addNetwork adds a network to an asset, or replaces all settings of one. The answer of all acts
// on networks is the asset.
func (s *Server) addNetwork(c *call) (any, error) {
	return s.onNetwork(c, func(a *sheet.Asset, at int) error {
		if at < len(a.Networks) && c.onlyNew() {
			return exists("network", c.PathValue("network"))
		}
		return s.readNetwork(c, a, at, sheet.Network{Name: c.PathValue("network")})
	})
}

func (s *Server) changeNetwork(c *call) (any, error) {
	return s.onNetwork(c, func(a *sheet.Asset, at int) error {
		if at == len(a.Networks) {
			return missing("network", c.PathValue("network"))
		}
		return s.readNetwork(c, a, at, a.Networks[at])
	})
}

func (s *Server) removeNetwork(c *call) (any, error) {
	return s.onNetwork(c, func(a *sheet.Asset, at int) error {
		if at == len(a.Networks) {
			return missing("network", c.PathValue("network"))
		}
		a.Networks = slices.Delete(a.Networks, at, at+1)
		return nil
	})
}

// onNetwork changes the networks of the asset in the path. The one in the path is at a place; if
// it is not there, that is behind the last one.
func (s *Server) onNetwork(c *call, change func(a *sheet.Asset, at int) error) (any, error) {
	s.changing.Lock()
	defer s.changing.Unlock()
	settings, err := s.assetSheet(c)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(settings.Networks, func(n sheet.Network) bool { return n.Name == c.PathValue("network") })
	if at < 0 {
		at = len(settings.Networks)
	}
	if err := change(&settings, at); err != nil {
		return nil, err
	}
	return s.setAsset(c, &settings)
}

// readNetwork reads the body over a network and puts it in its place. A new default takes over
// from the old one.
func (s *Server) readNetwork(c *call, a *sheet.Asset, at int, n sheet.Network) error {
	if err := c.read(&n); err != nil {
		return err
	}
	if n.Name != c.PathValue("network") {
		return &Error{Status: 422, Field: "name", Message: "the name in the path is another one"}
	}
	if n.Default {
		for i := range a.Networks {
			a.Networks[i].Default = false
		}
	}
	a.Networks = slices.Replace(a.Networks, at, min(at+1, len(a.Networks)), n)
	return nil
}

package operator

import (
	"bourse/internal/core"
	"bourse/internal/schema"
	"bourse/internal/sheet"
)

// conversionIn is what holds of conversions.
func conversionIn(m core.View) sheet.Conversion {
	return sheet.ConversionOf(m.Conversion(), func(id schema.AssetID) string { return m.Listing().Asset(id).Ticker })
}

func (s *Server) showConversion(*call) (any, error) {
	var settings sheet.Conversion
	s.look(func(m core.View) { settings = conversionIn(m) })
	return settings, nil
}

// setConversion changes what bounds conversions, and switches them on and off.
func (s *Server) setConversion(c *call) (any, error) {
	s.changing.Lock()
	defer s.changing.Unlock()
	var settings sheet.Conversion
	s.look(func(m core.View) { settings = conversionIn(m) })
	if err := c.read(&settings); err != nil {
		return nil, err
	}
	var command *schema.SetConversion
	var err error
	s.look(func(m core.View) { command, err = settings.Command(m.Listing()) })
	if err != nil {
		return nil, invalid(err)
	}
	if _, err := s.do(c, command); err != nil {
		return nil, err
	}
	return s.showConversion(c)
}

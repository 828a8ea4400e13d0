package ws

import (
	"strconv"

	"bourse/internal/api"
	"bourse/internal/schema"
)

// serviceMethods are those that belong to no channel.
func (s *Server) serviceMethods() {
	s.answers("ping", method{do: func(*call) ([]byte, func(), *Error) { return []byte(`"pong"`), nil, nil }})
	s.answers("time", method{do: func(*call) ([]byte, func(), *Error) {
		return strconv.AppendInt(nil, int64(s.now()/schema.Second), 10), nil, nil
	}})
	s.answers("authorize", method{do: s.authorize})
}

// holder is who authorized a connection.
type holder struct {
	api.SocketToken
}

// authorize gives a connection the rights of the account whose token it shows. What follows the
// token is anything that clients like to say.
func (s *Server) authorize(q *call) ([]byte, func(), *Error) {
	text, err := q.text(0)
	if err != nil {
		return nil, nil, err
	}
	token, good := s.options.API.OpenSocketToken(text)
	if !good {
		return nil, nil, errToken
	}
	c := q.conn
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.holder != nil && c.holder.Account != token.Account {
		return nil, nil, errArgument
	}
	c.holder = &holder{token}
	return success, nil, nil
}

// account is whose rights the connection has now, nil if it has none: it was not authorized, or the
// key or the account lost its rights.
func (c *conn) account() *schema.Account {
	c.mu.Lock()
	h := c.holder
	c.mu.Unlock()
	if h == nil {
		return nil
	}
	return c.server.options.API.Directory().Holder(h.Account, h.Key)
}

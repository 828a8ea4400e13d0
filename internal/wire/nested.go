package wire

import (
	"encoding/binary"
)

// Embed walks over a message inside a message.
func Embed[T any, M interface {
	*T
	Message
}](c *Coder, n int, name string, p *T,
) {
	switch c.mode {
	case encoding:
		c.embed(n, M(p))
	case decoding:
		if c.take(n, sized) {
			c.within(c.chunk(), M(p))
		}
	case describing:
		c.proto.message(n, name, M(new(T)), false)
	case printing:
		c.name(name)
		c.print(M(p))
	case parsing:
		if v := c.member(name, object); v != nil {
			c.parse(name, v, M(p))
		}
	}
}

// List walks over a list of messages.
func List[T any, M interface {
	*T
	Message
}](c *Coder, n int, name string, p *[]T,
) {
	switch c.mode {
	case encoding:
		for i := range *p {
			c.embed(n, M(&(*p)[i]))
		}
	case decoding:
		for c.take(n, sized) {
			var item T
			c.within(c.chunk(), M(&item))
			*p = append(*p, item)
		}
	case describing:
		c.proto.message(n, name, M(new(T)), true)
	case printing:
		if len(*p) != 0 {
			c.name(name)
			c.buf = append(c.buf, '[')
			for i := range *p {
				c.buf = c.comma()
				c.print(M(&(*p)[i]))
			}
			c.buf = append(c.buf, ']')
		}
	case parsing:
		if v := c.member(name, list); v != nil {
			for i := range v.items {
				var item T
				c.parse(name, &v.items[i], M(&item))
				*p = append(*p, item)
			}
		}
	}
}

// embed writes m as a field.
func (c *Coder) embed(n int, m Message) {
	c.key(n, sized)
	c.sized(m)
}

// sized writes the fields of m behind their length. The length is not known before they are
// written: one byte is left for it, and the rare message of 128 bytes or more is moved up.
func (c *Coder) sized(m Message) {
	at := len(c.buf)
	c.buf = append(c.buf, 0)
	m.Fields(c)
	size := len(c.buf) - at - 1
	if size < 0x80 {
		c.buf[at] = byte(size)
		return
	}
	var length [binary.MaxVarintLen64]byte
	extra := binary.PutUvarint(length[:], uint64(size)) - 1
	c.buf = append(c.buf, length[:extra]...)
	copy(c.buf[at+1+extra:], c.buf[at+1:at+1+size])
	copy(c.buf[at:], length[:extra+1])
}

// within decodes m from b and comes back to where the outer message stands.
func (c *Coder) within(b []byte, m Message) {
	if c.err != nil {
		return
	}
	rest := c.buf
	c.buf = b
	m.Fields(c)
	c.finish()
	if c.err == nil {
		c.buf = rest
	}
}

// OneOf walks over a field that can hold messages of several types: the index of makers is the
// number of a type's field, and Kind gives that number back. The name is that of the choice.
func OneOf[K ~uint8, M interface {
	comparable
	Message
	Kind() K
}](c *Coder, name string, makers []func() M, p *M,
) {
	var none M
	switch c.mode {
	case encoding:
		if *p != none {
			c.embed(int((*p).Kind()), *p)
		}
	case decoding:
		if !c.peek() || c.tag>>3 >= uint64(len(makers)) || makers[c.tag>>3] == nil {
			return
		}
		n := int(c.tag >> 3)
		if c.take(n, sized) {
			if spare, ok := c.spare.(M); ok && int(spare.Kind()) == n {
				*p, c.spare = spare, nil
			} else {
				*p = makers[n]()
			}
			c.within(c.chunk(), *p)
		}
	case describing:
		c.proto.open(name)
		for n, make := range makers {
			if make != nil {
				m := make()
				c.proto.message(n, snake(typeName(m)), m, false)
			}
		}
		c.proto.close()
	case printing:
		if *p != none {
			c.name(snake(typeName(*p)))
			c.print(*p)
		}
	case parsing:
		for _, make := range makers {
			if make == nil || *p != none {
				continue
			}
			m := make()
			name := snake(typeName(m))
			if v := c.member(name, object); v != nil {
				*p = m
				c.parse(name, v, m)
			}
		}
	}
}

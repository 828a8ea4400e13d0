// Package auth decides whether a signed request is what its signer sent, and whether it comes for
// the first time.
//
// A Secret checks signatures. A Register remembers the nonces that were used at this node. The
// log keeps the nonces of the commands in it; the register adds those of requests that never
// get there: reads, and writes that were refused at the door.
//
// What the register promises: a nonce that was kept is never accepted again, in no mode, whatever
// the clock does, also after the process was killed. After a power cut the nonces of about the
// last second may be forgotten, because the file is synced once a second and not for every
// request. Someone who recorded such a request could then repeat it: in window mode within the
// five seconds of its window, which are mostly over when the machine is back, and in the ordinary
// mode until the key signs another one. A read would be answered again; a write that had been
// refused at the door would be judged again.
//
// What callers must do: use a nonce only after its signature was found good, and keep it before
// the answer is sent.
package auth

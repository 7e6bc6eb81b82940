package klero

// #include <stdlib.h>
// #include <klero.h>
import "C"

import "unsafe"

// What a call for many items copies before it passes them to C, unless one item alone is larger.
const (
	mostBytes = 32 << 20
	mostItems = 1 << 16
)

// copies are slices in C's memory. A table of pointers to Go's memory may not be passed to C, and
// pinning each slice takes longer than copying it.
type copies struct {
	room []byte
	used int
}

// newCopies has room for size bytes. Call free.
func newCopies(size int) *copies {
	// One byte more, so that a slice of none has an address as well: a claimed output of no bytes is not
	// the same as no claimed output. cgo's malloc never returns nil.
	memory := C.malloc(C.size_t(size) + 1)
	return &copies{room: unsafe.Slice((*byte)(memory), size+1)}
}

// add copies a slice. It stays within the room even if another goroutine exchanges the slice meanwhile.
func (c *copies) add(bytes []byte) C.klero_bytes {
	free := c.room[c.used:]
	size := copy(free, bytes)
	c.used += size
	return C.klero_bytes{data: first(free), size: C.size_t(size)}
}

func (c *copies) free() {
	C.free(unsafe.Pointer(&c.room[0]))
}

// part is the number of items, from the first on, that one call takes, and the size of their bytes.
func part(items int, size func(int) int) (count, bytes int) {
	for count < items && count < mostItems {
		more := size(count)
		if count > 0 && bytes+more > mostBytes {
			break
		}
		bytes += more
		count++
	}
	return count, bytes
}

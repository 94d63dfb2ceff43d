/* One @kind@. */
typedef struct {
/* @insert fields@ */
} shuf_@name@;

static inline void shuf_@name@_take(shuf_cursor *cursor, shuf_@name@ *out)
{
/* @insert takes@ */
}

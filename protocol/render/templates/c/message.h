/* @meaning@ */
typedef struct {
/* @insert fields@ */
} shuf_@name@;

static inline shuf_result shuf_@name@_decode(shuf_@name@ *out,
    const uint8_t *body, size_t length)
{
    shuf_cursor cursor = shuf_cursor_over(body, length);
/* @insert takes@ */
    return shuf_cursor_end(&cursor);
}

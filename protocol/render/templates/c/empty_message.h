/* @meaning@ No fields. */
static inline shuf_result shuf_@name@_decode(const uint8_t *body, size_t length)
{
    (void)body;
    return length == 0 ? SHUF_OK : SHUF_MALFORMED;
}

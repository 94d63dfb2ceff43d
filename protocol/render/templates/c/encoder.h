static inline shuf_result shuf_@name@_encode(const shuf_@name@ *in,
    uint8_t *body, size_t room, size_t *length)
{
    shuf_writer writer = shuf_writer_into(body, room);
/* @insert writes@ */
    return shuf_writer_end(&writer, length);
}

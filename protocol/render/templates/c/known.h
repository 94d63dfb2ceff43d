static inline int shuf_@name@_known(unsigned value)
{
    return @test@;
}
